import { z } from 'zod'
import { databaseTime } from '../../database/time.ts'
import { conflict } from '../../domain/errors.ts'
import { releaseHosts } from '../host/claim-host.ts'
import { type CommandContext, command } from '../kernel/command.ts'
import { appEnvTarget } from '../kernel/input.ts'
import { beginOperation } from '../lifecycle/begin-operation.ts'
import { type AppEnvTarget, lockAppEnv } from '../targets/load-app-env.ts'

export const deleteAppEnv = command({
  name: 'deleteAppEnv',
  about: 'Delete an environment. It is gone from every answer at once; its containers follow.',
  dangerous: true,
  input: z.strictObject(appEnvTarget),
  permission: 'appEnv:delete',
  target: ({ tx }, input) => lockAppEnv(tx, input),
  async execute(context, _input, target) {
    const { appEnv } = target
    if (appEnv.preventDestroy) {
      throw conflict(
        'PREVENT_DESTROY',
        `preventDestroy protects "${appEnv.cliEnvName}"; turn it off before deleting it`,
      )
    }
    const operationId = await removeAppEnv(context, target)
    context.auditDetails({ name: appEnv.name })
    return { message: `Environment "${appEnv.name}" is deleted`, operationId }
  },
})

/** Takes the environment out of every answer and records the operation that removes what it ran. */
export async function removeAppEnv(context: CommandContext, { appEnv }: AppEnvTarget): Promise<string> {
  const { tx } = context
  const operation = await beginOperation(context, appEnv, { kind: 'DELETE' })
  const now = await databaseTime(tx)
  await tx.appEnv.update({ where: { id: appEnv.id }, data: { deletedAt: now, volumeId: null } })
  // A host that routes to nothing would keep its name from whoever comes next.
  await releaseHosts(context, appEnv.id, appEnv.accountId)
  await tx.host.deleteMany({ where: { appEnvId: appEnv.id } })
  await tx.token.updateMany({ where: { appEnvId: appEnv.id, revokedAt: null }, data: { revokedAt: now } })
  // A restriction that named it would be refused when it is sent back.
  await tx.$executeRaw`
    UPDATE membership SET app_env_ids = array_remove(app_env_ids, ${appEnv.id})
    WHERE account_id = ${appEnv.accountId} AND ${appEnv.id} = ANY(app_env_ids)`
  context.announce({ type: 'appEnv.deleted', appId: appEnv.appId, appEnvId: appEnv.id, payload: { name: appEnv.name } })
  return operation.id
}
