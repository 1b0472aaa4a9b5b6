import type { Database } from '../../database/client.ts'
import type { App, Prisma } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import { accountOrCurrent, type Caller, permit } from '../caller.ts'
import { type Page, type PageRequest, page } from '../page.ts'
import { requireAccount } from '../account/read-accounts.ts'

/** The apps of one account, for whoever may read it. The scope of every list of apps, in both doors. */
export async function appsScope(database: Database, caller: Caller, accountId?: string | null): Promise<Prisma.AppWhereInput> {
  const account = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
  permit(caller, 'app:read', { accountId: account })
  return { accountId: account, deletedAt: null }
}

export async function listApps(database: Database, caller: Caller, accountId: string | undefined, request: PageRequest): Promise<Page<App>> {
  const where = await appsScope(database, caller, accountId)
  return page(request, ({ take, after, orderBy }) => database.app.findMany({ where: { ...where, ...after }, take, orderBy }))
}

/** `query` is what GraphQL wants to have loaded along with it. */
export async function getApp(database: Database, caller: Caller, appId: string, query: object = {}): Promise<App> {
  const app = await database.app.findFirst({ ...query, where: { id: appId, deletedAt: null } })
  if (!app) throw notFound('app', appId)
  const { accountId } = 'accountId' in app ? app : await database.app.findUniqueOrThrow({ where: { id: appId } })
  permit(caller, 'app:read', { accountId })
  return app
}
