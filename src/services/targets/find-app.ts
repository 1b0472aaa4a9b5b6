import { type Caller, permit } from '../../calls/caller.ts'
import { findRow, type Wanted, withColumns } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import type { App } from '../../storage/database/generated/prisma/client.ts'

export async function findApp(database: Database, caller: Caller, appId: string, wanted: Wanted = {}): Promise<App> {
  const query = { ...withColumns(wanted, 'accountId'), where: { id: appId, deletedAt: null } }
  const app = await findRow(database, 'App', query)
  if (!app) throw notFound('app', appId)
  permit(caller, 'app:read', { accountId: app.accountId })
  return app
}
