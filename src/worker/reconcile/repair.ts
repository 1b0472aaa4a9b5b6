import { Failure } from '../../domain/failure.ts'
import { fenced } from '../claim/fenced.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { applyWithImage } from '../images/version-image.ts'
import { removeReplicas } from '../version/remove-replicas.ts'
import { servingRollout } from '../version/rollout.ts'
import type { ReplicaPlan } from './replica-plan.ts'

/**
 * Starts what is missing, then removes what is surplus: in this order, because removing waits for containers to end.
 * `isIncomplete`: containers of the plan were removed since, or have lost their network. True when containers were started, so that the next
 * reconcile should come soon.
 */
export async function repair(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  plan: ReplicaPlan,
  isIncomplete = false,
): Promise<boolean> {
  const wasBroughtBack = (plan.needsApply || isIncomplete) && (await restoreReplicas(context, appEnv, plan))
  await removeReplicas(context, plan.surplus)
  return wasBroughtBack
}

async function restoreReplicas(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  plan: ReplicaPlan,
): Promise<boolean> {
  const { currentContent: content, rolloutId } = appEnv
  if (!content || !rolloutId) return false
  context.log.info({ appEnvId: appEnv.id, contentId: content.id }, 'Starting or connecting containers')
  try {
    const rollout = await servingRollout(context, appEnv, plan.wanted.length, plan.gone)
    await applyWithImage(context, appEnv, content, rollout)
    return true
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const observedReason = await context.quote(`Containers cannot be brought back: ${error.message}`)
    context.log.warn({ appEnvId: appEnv.id, reason: error.reason }, observedReason)
    await fenced(context.database, context.lease, (tx) =>
      tx.appEnv.updateMany({ where: { id: appEnv.id }, data: { observedReason } }),
    )
    return false
  }
}
