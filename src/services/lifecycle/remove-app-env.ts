import type { CommandContext } from '../../calls/command.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { removeExternalAccess } from '../external-access/change-external-access.ts'
import { endAllRuns } from '../open-runs/end-runs.ts'
import type { AppEnvTarget } from '../targets/load-app-env.ts'
import { discardVolume } from '../volume/delete-volume.ts'
import { beginOperation } from './begin-operation.ts'
import { releaseHosts } from './cooling-hosts.ts'

/**
 * Hides the environment from every answer and records the operation that removes its resources. Returns that. The
 * volumes of a pull request are deleted with its environment: they cannot be used again.
 */
export async function removeAppEnv(context: CommandContext, { appEnv }: AppEnvTarget): Promise<string> {
  const { tx } = context
  const operation = await beginOperation(context, appEnv, { kind: 'DELETE' })
  const now = await databaseTime(tx)
  await tx.appEnv.update({ where: { id: appEnv.id }, data: { deletedAt: now, volumeId: null } })
  // A host that routes to nothing would block its name for the next owner.
  await releaseHosts(context, appEnv.id, appEnv.accountId)
  await tx.host.deleteMany({ where: { appEnvId: appEnv.id } })
  await removeExternalAccess(context, appEnv)
  await endAllRuns(context, appEnv)
  await tx.token.updateMany({ where: { appEnvId: appEnv.id, revokedAt: null }, data: { revokedAt: now } })
  // A restriction that still named it would be refused when a client sends it back.
  await tx.$executeRaw`
    UPDATE membership SET app_env_ids = array_remove(app_env_ids, ${appEnv.id})
    WHERE account_id = ${appEnv.accountId} AND ${appEnv.id} = ANY(app_env_ids)`
  await tx.$executeRaw`
    UPDATE invitation SET app_env_ids = array_remove(app_env_ids, ${appEnv.id})
    WHERE account_id = ${appEnv.accountId} AND ${appEnv.id} = ANY(app_env_ids)`
  const volumes =
    appEnv.pullRequest === null ? [] : await tx.volume.findMany({ where: { appEnvId: appEnv.id, deletedAt: null } })
  for (const volume of volumes) await discardVolume(context, volume)
  context.announce({ type: 'appEnv.deleted', appId: appEnv.appId, appEnvId: appEnv.id, payload: { name: appEnv.name } })
  return operation.id
}
