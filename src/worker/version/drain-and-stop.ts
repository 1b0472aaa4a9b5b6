import { notifyIngresses } from '../../storage/events/notifications.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import type { StepName } from '../attempt/steps.ts'
import { drainClients } from '../service/drain-clients.ts'
import { sleep } from '../time/sleep.ts'
import { removeReplicas } from './remove-replicas.ts'
import { drainOthers } from './route.ts'

/**
 * Ends traffic to the environment before its containers end, so that no request is refused. Ingresses are notified of a
 * changed route, and poll the table once a second in case the notification was lost: after the propagation time, none
 * of them routes to the old replicas. Clients of managed services, whose connections last, have the drain time.
 */
export async function unroute(attempt: AttemptContext): Promise<void> {
  const { steps, appEnv, lease, signal, config } = attempt
  const propagationMs = config.BERTH_ROUTE_PROPAGATION_MS
  if (steps.isFinished('unroute')) return
  await steps.advance({
    start: 'unroute',
    async write(tx) {
      await drainOthers(tx, appEnv.id, null, propagationMs / 1000)
      // What is stopped does not sleep: no request wakes it.
      await tx.requestScaling.deleteMany({ where: { appEnvId: appEnv.id } })
      await notifyIngresses(tx)
    },
  })
  // Counted from the checkpoint, so that a successor waits no longer than necessary.
  const waited = lease.claim.clock.now().getTime() - steps.startedAt('unroute').getTime()
  const pauseMs = appEnv.replicas.length === 0 ? 0 : Math.max(0, propagationMs - waited)
  await sleep(pauseMs, signal)
  signal.throwIfAborted()
  await drainClients(attempt, steps.startedAt('unroute'))
}

/** Stops and removes each running container by its own name: containers of a later operation are not affected. */
export async function drainAndStop(attempt: AttemptContext, step: StepName): Promise<string> {
  const { steps, engine } = attempt
  await steps.advance({ finish: { name: 'unroute', detail: null }, start: step })
  const observed = await engine.observe()
  await removeReplicas(attempt, observed)
  return `${observed.length} removed`
}
