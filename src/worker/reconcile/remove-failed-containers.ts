import { record } from '../../storage/events/record.ts'
import { fenced } from '../claim/fenced.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { removeReplicas } from '../version/remove-replicas.ts'
import type { Probed } from './replica-states.ts'

/**
 * Removes containers that fail their startup or liveness probe, or write too much; the same reconcile starts them again. Recorded before
 * it is done: otherwise the restart would look like a crash without a cause.
 */
export async function removeFailedContainers(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  probed: readonly Probed[],
): Promise<number> {
  const dead = probed.flatMap(({ index, observed, failureReason }) =>
    failureReason && observed ? [{ index, observed, reason: `container ${index}, ${failureReason}` }] : [],
  )
  if (dead.length === 0) return 0
  const reason = await context.quote(dead.map((one) => one.reason).join('; '))
  context.log.info({ appEnvId: appEnv.id, reason }, 'Replacing containers that failed a probe or wrote too much')
  await fenced(context.database, context.lease, async (tx) => {
    const lastRestartAt = context.lease.claim.clock.now()
    const data = { restartCount: { increment: dead.length }, lastRestartAt, lastRestartReason: reason }
    await tx.appEnv.updateMany({ where: { id: appEnv.id }, data })
    const about = { appId: appEnv.appId, appEnvId: appEnv.id }
    await record(tx, appEnv.accountId, [
      { type: 'appEnv.containersRestarted', ...about, payload: { containers: dead.map((one) => one.index), reason } },
    ])
  })
  await removeReplicas(
    context,
    dead.map((one) => one.observed),
  )
  return dead.length
}
