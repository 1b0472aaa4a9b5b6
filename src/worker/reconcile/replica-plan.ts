import type { ObservedReplica } from '../../runtime/runtime.ts'

/** Replica rows as far as planning needs them. */
export interface RecordedReplica {
  name: string
  rolloutId: string
  index: number
  state: 'STARTING' | 'READY' | 'UNREADY' | 'DRAINING'
  drainUntil: Date | null
}

export interface DesiredReplicas {
  /** The rollout that serves and how many of it; none while stopped. */
  rolloutId: string | null
  replicas: number
  /** A rollout that an open operation is bringing about, which is not to be touched. */
  upcoming: { rolloutId: string; replicas: number } | null
}

export interface ReplicaPlan {
  /** One for each replica that should serve; null where there is no container. */
  wanted: { index: number; observed: ObservedReplica | null }[]
  /** What an open operation is bringing about, as far as it has come. */
  upcoming: ObservedReplica[]
  /** True when containers that should run are missing or not running. */
  needsApply: boolean
  /** Containers that belong to nothing. */
  surplus: ObservedReplica[]
  /** Rows that still route to containers which should not serve any more: they drain now. */
  outdated: RecordedReplica[]
  /** Rows of containers that are gone or are being removed. */
  gone: RecordedReplica[]
}

const slotKey = (replica: { rolloutId: string; index: number }) => `${replica.rolloutId} ${replica.index}`

/** Compares what should run with what does. Pure: the same facts give the same plan, whoever comes upon them. */
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
  // Nothing drains in an environment that is stopped or deleted: stopping has its own pause.
  const drains = (row: RecordedReplica) =>
    desired.replicas > 0 && (row.state !== 'DRAINING' || (row.drainUntil !== null && row.drainUntil > now))

  const wanted = Array.from({ length: desired.replicas }, (_, index) => ({
    index,
    observed: observed.find((replica) => replica.rolloutId === desired.rolloutId && replica.index === index) ?? null,
  }))
  const existing = new Set(observed.map(slotKey))
  const leaving = recorded.filter((row) => !isWanted(row))
  const draining = leaving.filter((row) => drains(row) && existing.has(slotKey(row)))
  const stillDraining = new Set(draining.map(slotKey))
  return {
    wanted,
    upcoming: observed.filter((replica) => isUpcoming(replica) && !isWanted(replica)),
    needsApply: wanted.some((one) => !one.observed || isDown(one.observed)),
    surplus: observed.filter(
      (replica) => !isWanted(replica) && !isUpcoming(replica) && !stillDraining.has(slotKey(replica)),
    ),
    outdated: draining.filter((row) => row.state !== 'DRAINING'),
    gone: leaving.filter((row) => !stillDraining.has(slotKey(row))),
  }
}

/** One that is restarting is left to the engine, which waits longer after every crash. */
const isDown = ({ phase }: ObservedReplica) => phase !== 'running' && phase !== 'restarting'
