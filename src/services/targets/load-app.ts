import type { Target } from '../../calls/command.ts'
import { notFound } from '../../domain/errors.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { App } from '../../storage/database/generated/prisma/client.ts'

export type AppTarget = Target & { app: App }

/** Locks the app for the rest of the transaction, so that the decision stays valid. */
export async function lockApp(tx: Transaction, appId: string): Promise<AppTarget> {
  await tx.$queryRaw`SELECT 1 FROM app WHERE id = ${appId} FOR UPDATE`
  const app = await tx.app.findFirst({ where: { id: appId, deletedAt: null } })
  if (!app) throw notFound('app', appId)
  return { type: 'app', id: app.id, accountId: app.accountId, version: app.version, app }
}
