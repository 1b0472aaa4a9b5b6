import type { Database } from '../../database/client.ts'
import type { App } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import { ORDER } from '../../resources/order.ts'
import { accountOrCurrent, type Caller, permit } from '../kernel/caller.ts'
import { collection } from '../kernel/collection.ts'
import { type Page, type PageRequest, page } from '../kernel/page.ts'
import { findRow, type Wanted, withColumns } from '../kernel/read.ts'
import { requireAccount } from '../targets/load-account.ts'

async function readableAccount(database: Database, caller: Caller, accountId: string | undefined): Promise<string> {
  const account = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
  permit(caller, 'app:read', { accountId: account })
  return account
}

interface AppFilter {
  accountId?: string | undefined
}

export const apps = collection({
  model: 'App',
  orderBy: ORDER.app,
  scope: async (database, caller, { accountId }: AppFilter) => ({
    accountId: await readableAccount(database, caller, accountId),
    deletedAt: null,
  }),
})

/** What a list shows of an app (§2.3). Times are ISO 8601 text already. */
export type AppSummary = Pick<
  App,
  'id' | 'accountId' | 'name' | 'slug' | 'gitProvider' | 'gitNamespace' | 'gitRepo' | 'dockerPreset'
> & { createdAt: string; updatedAt: string }

/** By hand, because the list that clients poll most costs half of what it does through Prisma's model. */
export async function listApps(
  database: Database,
  caller: Caller,
  { accountId }: AppFilter,
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
    ORDER.app,
  )
}

export async function getApp(database: Database, caller: Caller, appId: string, wanted: Wanted = {}): Promise<App> {
  const query = { ...withColumns(wanted, 'accountId'), where: { id: appId, deletedAt: null } }
  const app = await findRow(database, 'App', query)
  if (!app) throw notFound('app', appId)
  permit(caller, 'app:read', { accountId: app.accountId })
  return app
}
