import type { Transaction } from '../../database/client.ts'
import { notifyIngresses } from '../../events/notifications.ts'
import { fenced } from '../claim/fenced.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { onEngine } from '../scope/engine-scope.ts'
import { NOTHING_RUNS } from './observation.ts'

/** For a deleted environment whose operation could not finish: reconciles complete the rest. */
export async function purge(context: EnvironmentContext, appEnv: ClaimedAppEnv): Promise<void> {
  await removeUnusedNetwork(context, appEnv)
  await fenced(context.database, context.lease, async (tx) => {
    await purgeRows(tx, appEnv.id)
    await tx.appEnv.updateMany({ where: { id: appEnv.id }, data: { ...NOTHING_RUNS, status: 'STOPPED' } })
  })
}

/** Deletes routes, hosts and secrets. Versions, operations and events stay, as history. */
export async function purgeRows(tx: Transaction, appEnvId: string): Promise<void> {
  await tx.replica.deleteMany({ where: { appEnvId } })
  await tx.host.deleteMany({ where: { appEnvId } })
  await tx.upload.deleteMany({ where: { appEnvId } })
  await tx.variable.deleteMany({ where: { appEnvId } })
  // Those of a kept volume stay: whoever mounts it needs them.
  await tx.serviceCredentials.deleteMany({ where: { appEnvs: { some: { id: appEnvId } }, volumes: { none: {} } } })
  await notifyIngresses(tx)
}

/** Removes the account's network with its last environment on the engine. The engine refuses to remove one that is in use. */
export async function removeUnusedNetwork(
  { database, engine, scope }: EnvironmentContext,
  { accountId }: ClaimedAppEnv,
): Promise<void> {
  const where = { accountId, deletedAt: null, ...onEngine(scope) }
  const needed = await database.appEnv.findFirst({ where, select: { id: true } })
  if (needed) return
  await engine.removeNetwork(accountId)
  await database.buildCache.deleteMany({ where: { accountId, engineKey: engine.key } })
}
