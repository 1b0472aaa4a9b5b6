import type { Database } from '../../database/client.ts'
import type { App, Prisma } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import { requireAccount } from '../account/account-queries.ts'
import { accountOrCurrent, type Caller, permit } from '../kernel/caller.ts'
import { type Page, type PageRequest, page } from '../kernel/page.ts'

async function readableAccount(
  database: Database,
  caller: Caller,
  accountId: string | null | undefined,
): Promise<string> {
  const account = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
  permit(caller, 'app:read', { accountId: account })
  return account
}

/** The apps of one account, for whoever may read it. The scope of GraphQL's lists of apps. */
export async function appsScope(
  database: Database,
  caller: Caller,
  accountId?: string | null,
): Promise<Prisma.AppWhereInput> {
  return { accountId: await readableAccount(database, caller, accountId), deletedAt: null }
}

/** What a list shows of an app (§2.3). Times are ISO 8601 text already. */
export type AppSummary = Pick<
  App,
  'id' | 'accountId' | 'name' | 'slug' | 'gitProvider' | 'gitNamespace' | 'gitRepo' | 'dockerPreset'
> & { createdAt: string; updatedAt: string }

/** By hand, because the list that clients poll most costs half of what it does through Prisma's model. */
export async function listApps(
  database: Database,
  caller: Caller,
  accountId: string | undefined,
  request: PageRequest,
): Promise<Page<AppSummary>> {
  const account = await readableAccount(database, caller, accountId)
  return page(
    request,
    ({ take, after }) => database.$queryRaw<AppSummary[]>`
      SELECT id, account_id AS "accountId", name, slug, git_provider AS "gitProvider",
        git_namespace AS "gitNamespace", git_repo AS "gitRepo", docker_preset AS "dockerPreset",
        to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "createdAt",
        to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "updatedAt"
      FROM app WHERE account_id = ${account} AND deleted_at IS NULL AND id > ${after.id?.gt ?? ''}
      ORDER BY id LIMIT ${take}`,
  )
}

/** `query` is what GraphQL wants to have loaded along with it. */
export async function getApp(database: Database, caller: Caller, appId: string, query: object = {}): Promise<App> {
  const app = await database.app.findFirst({ ...query, where: { id: appId, deletedAt: null } })
  if (!app) throw notFound('app', appId)
  const { accountId } = 'accountId' in app ? app : await database.app.findUniqueOrThrow({ where: { id: appId } })
  permit(caller, 'app:read', { accountId })
  return app
}
