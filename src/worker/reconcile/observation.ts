import { type Health, healthOf } from '../../domain/app-env.ts'
import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import { exitOf } from '../version/container-ends.ts'
import type { ReplicaPlan } from './replica-plan.ts'

/** What a reconcile found, as users see it. */
export interface Observation {
  health: Health
  replicasRunning: number
  replicasReady: number
  /** Why the environment is less than healthy. To be quoted. */
  observedReason: string | null
}

const NOTHING_SERVES = { health: 'UNKNOWN', replicasReady: 0, observedReason: null } as const

/** Recorded for an environment in which nothing runs, nor should. */
export const NOTHING_RUNS = { rolloutId: null, replicasDesired: 0, replicasRunning: 0, ...NOTHING_SERVES } as const

const isRunning = ({ phase }: ObservedReplica) => phase === 'running'

interface Recorded extends Pick<Observation, 'health' | 'observedReason'> {
  requestScaling: { depth: unknown } | null
  currentContentId: string | null
}

/** `unready`: why the probe of a running replica failed, by container. What sleeps keeps the health that it had. */
export function observationOf(
  { wanted, upcoming }: ReplicaPlan,
  unready: ReadonlyMap<string, string>,
  recorded: Recorded,
): Observation {
  if (wanted.length === 0 && recorded.requestScaling) {
    const { health, observedReason } = recorded
    return { health, observedReason, replicasRunning: 0, replicasReady: 0 }
  }
  if (wanted.length === 0) {
    // Before its first deployment, what is recorded is why that has failed.
    const observedReason = recorded.currentContentId === null ? recorded.observedReason : null
    return { ...NOTHING_SERVES, observedReason, replicasRunning: upcoming.filter(isRunning).length }
  }
  const running = wanted.flatMap(({ observed }) => (observed && isRunning(observed) ? [observed] : []))
  const ready = running.filter((replica) => !unready.has(replica.containerId))
  const reasons = wanted.flatMap(({ observed }) => {
    if (!observed) return ['missing']
    if (observed.phase !== 'running') return [exitOf(observed)]
    const reason = unready.get(observed.containerId)
    return reason ? [`not ready: ${reason}`] : []
  })
  return {
    health: healthOf(wanted.length, ready.length),
    replicasRunning: running.length,
    replicasReady: ready.length,
    observedReason: reasons.length > 0 ? summary(reasons, wanted.length) : null,
  }
}

/** `1 of 2 containers exited with code 1`; several reasons are listed with their counts. */
function summary(reasons: readonly string[], desired: number): string {
  const counts = Map.groupBy(reasons, (reason) => reason)
  return [...counts].map(([reason, { length }]) => `${length} of ${desired} containers ${reason}`).join('; ')
}
