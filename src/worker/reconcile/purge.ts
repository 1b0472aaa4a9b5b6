import type { Transaction } from '../../storage/database/client.ts'
import { notifyIngresses } from '../../storage/events/notifications.ts'
import { fenced } from '../claim/fenced.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { onEngine } from '../scope/engine-scope.ts'
import { NOTHING_RUNS } from './observation.ts'

/** For a deleted environment whose operation could not finish: reconciles complete the rest. */
export async function purge(context: EnvironmentContext, appEnv: ClaimedAppEnv): Promise<void> {
  await removeUnusedNetworks(context, appEnv)
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
  // Those of a kept volume stay: the next environment with the volume needs them.
  await tx.serviceCredentials.deleteMany({ where: { appEnvs: { some: { id: appEnvId } }, volumes: { none: {} } } })
  await notifyIngresses(tx)
}

/**
 * Removes the networks of the account and of the group with their last environment on the engine. The engine refuses to
 * remove one that is in use.
 */
export async function removeUnusedNetworks(context: EnvironmentContext, appEnv: ClaimedAppEnv): Promise<void> {
  const { networkGroup } = appEnv
  if (networkGroup !== null) await removeUnusedGroup(context, networkGroup)
  await removeUnusedNetwork(context, appEnv)
}

async function removeUnusedGroup({ database, engine }: EnvironmentContext, networkGroup: string): Promise<void> {
  const where = { networkGroup, deletedAt: null }
  const needed = await database.appEnv.findFirst({ where, select: { id: true } })
  if (!needed) await engine.removeGroupNetwork(networkGroup)
}

async function removeUnusedNetwork(
  { database, engine, scope }: EnvironmentContext,
  { accountId }: ClaimedAppEnv,
): Promise<void> {
  const where = { accountId, deletedAt: null, ...onEngine(scope) }
  const needed = await database.appEnv.findFirst({ where, select: { id: true } })
  if (needed) return
  await engine.removeNetwork(accountId)
  await database.buildCache.deleteMany({ where: { accountId, engineKey: engine.key } })
}
