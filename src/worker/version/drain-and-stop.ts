import { notifyIngresses } from '../../events/notifications.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import type { StepName } from '../attempt/steps.ts'
import { sleep } from '../claim/pause.ts'
import { removeAll } from '../reconcile/repair.ts'
import { drainOthers } from './route.ts'

/**
 * Ends traffic to the environment before its containers end, so that no request meets a closed port. Ingresses are
 * notified of a changed route at once, and read the table once a second in case they missed it: after the propagation
 * time none of them sends a new request.
 */
export async function unroute(attempt: AttemptContext): Promise<void> {
  const { steps, appEnv, lease, signal, config } = attempt
  const propagationMs = config.BERTH_ROUTE_PROPAGATION_MS
  if (steps.isFinished('unroute')) return
  await steps.advance({
    start: 'unroute',
    async write(tx) {
      await drainOthers(tx, appEnv.id, null, propagationMs / 1000)
      await notifyIngresses(tx)
    },
  })
  // Counted from the checkpoint, so that a successor waits no longer than needed.
  const waited = lease.claim.clock.now().getTime() - steps.startedAt('unroute').getTime()
  const pauseMs = appEnv.replicas.length === 0 ? 0 : Math.max(0, propagationMs - waited)
  await sleep(pauseMs, signal)
  signal.throwIfAborted()
}

/** Stops and removes whatever runs, each by its own name: what a later operation may bring is not meant. */
export async function drainAndStop(attempt: AttemptContext, step: StepName): Promise<string> {
  const { steps, engine } = attempt
  await steps.advance({ finish: { name: 'unroute', detail: null }, start: step })
  const observed = await engine.observe()
  await removeAll(attempt, observed)
  return `${observed.length} removed`
}
