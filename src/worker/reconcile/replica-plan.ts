import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'

/** The columns of a replica row that planning needs. */
export interface RecordedReplica {
  name: string
  rolloutId: string
  index: number
  state: 'STARTING' | 'READY' | 'UNREADY' | 'DRAINING' | 'ASLEEP'
  drainUntil: Date | null
}

export interface DesiredReplicas {
  /** The serving rollout and its number of replicas; null while stopped. */
  rolloutId: string | null
  replicas: number
  /** Whether the engine restarts containers that end; otherwise one that ended early waits. Default: true. */
  engineRestarts?: boolean
  /** Requests decide the number: what drains is kept at zero, too, and what sleeps stays. */
  maySleep?: boolean
  /** A rollout that an open operation is starting; it must not be touched. */
  upcoming: { rolloutId: string; replicas: number } | null
}

export interface ReplicaPlan {
  /** One entry for each replica that should serve; null where there is no container. */
  wanted: { index: number; observed: ObservedReplica | null }[]
  /** Containers that an open operation has started so far. */
  upcoming: ObservedReplica[]
  /** True when containers that should run are missing or not running. */
  needsApply: boolean
  /** Containers that belong to nothing. */
  surplus: ObservedReplica[]
  /** Rows that still route to containers which should no longer serve: these start to drain. */
  outdated: RecordedReplica[]
  /** Rows of containers that are gone or are being removed. */
  gone: RecordedReplica[]
}

/** Between two starts of a program that does not run for longer. */
const RESTART_PAUSE_MS = 10_000

const slotKey = (replica: { rolloutId: string; index: number }) => `${replica.rolloutId} ${replica.index}`

/** Compares desired with observed replicas. Pure: the same facts give the same plan. */
export function planReplicas(
  desired: DesiredReplicas,
  recorded: readonly RecordedReplica[],
  observed: readonly ObservedReplica[],
  now: Date,
): ReplicaPlan {
  const isWanted = (replica: { rolloutId: string; index: number }) =>
    replica.rolloutId === desired.rolloutId && replica.index < desired.replicas
  const isUpcoming = (replica: { rolloutId: string; index: number }) =>
    replica.rolloutId === desired.upcoming?.rolloutId && replica.index < desired.upcoming.replicas
  // Nothing drains in an environment that is stopped or deleted: stopping waits for routes by itself.
  const drains = (row: RecordedReplica) =>
    (desired.replicas > 0 || desired.maySleep) &&
    (row.state !== 'DRAINING' || (row.drainUntil !== null && row.drainUntil > now))

  const waits = (replica: ObservedReplica) => desired.engineRestarts === false && endedEarly(replica, now)

  const wanted = Array.from({ length: desired.replicas }, (_, index) => ({
    index,
    observed: observed.find((replica) => replica.rolloutId === desired.rolloutId && replica.index === index) ?? null,
  }))
  const sleeps = (row: RecordedReplica) => row.state === 'ASLEEP' && row.rolloutId === desired.rolloutId
  const existing = new Set(observed.map(slotKey))
  const sleeping = new Set(recorded.filter((row) => sleeps(row) && existing.has(slotKey(row))).map(slotKey))
  const leaving = recorded.filter((row) => !isWanted(row) && !sleeping.has(slotKey(row)))
  const draining = leaving.filter((row) => drains(row) && existing.has(slotKey(row)))
  const stillDraining = new Set(draining.map(slotKey))
  return {
    wanted,
    upcoming: observed.filter((replica) => isUpcoming(replica) && !isWanted(replica)),
    needsApply: wanted.some(({ observed }) => !observed || (isDown(observed) && !waits(observed))),
    surplus: observed.filter(
      (replica) =>
        !isWanted(replica) &&
        !isUpcoming(replica) &&
        !stillDraining.has(slotKey(replica)) &&
        !sleeping.has(slotKey(replica)),
    ),
    outdated: draining.filter((row) => row.state !== 'DRAINING'),
    gone: leaving.filter((row) => !stillDraining.has(slotKey(row))),
  }
}

/** Without the engine's pauses, a program that ends as soon as it starts would be started without end. */
function endedEarly({ phase, startedAt, finishedAt }: ObservedReplica, now: Date): boolean {
  if (phase !== 'exited' || !startedAt || !finishedAt) return false
  const [ranMs, agoMs] = [finishedAt.getTime() - startedAt.getTime(), now.getTime() - finishedAt.getTime()]
  return ranMs < RESTART_PAUSE_MS && agoMs < RESTART_PAUSE_MS
}

/** A restarting container is left to the engine, which backs off after every crash. */
const isDown = ({ phase }: ObservedReplica) => phase !== 'running' && phase !== 'restarting'
