import { replicaName } from '../../domain/replica-name.ts'
import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import type { Replica } from '../../storage/database/generated/prisma/client.ts'

type ReplicaState = Replica['state']
/** A replica as the ingress routes to it. */
export type ReplicaRoute = Pick<Replica, 'name' | 'index' | 'containerId' | 'address' | 'port' | 'state'>

/** A replica that should serve, its row, and the result of its probe. */
export interface Probed {
  index: number
  row: ReplicaRoute | null
  observed: ObservedReplica | null
  /** Why the probe failed; null when it succeeded, or the replica does not run. */
  failure: string | null
  /** Failed probes in a row. */
  failures: number
  /** How many failures are tolerated; FAILURES_UNTIL_UNREADY unless the readiness probe sets its own threshold. */
  failuresAllowed?: number | undefined
  /** Why the container must be restarted; such a replica takes no traffic in any case. */
  failureReason?: string | null | undefined
  /** It has lost its account's network, and is to be connected. */
  mayConnect?: boolean
  /** Nothing answers at its address, so that its program cannot be the cause of the failure. */
  isUnreachable?: boolean
}

/** One slow answer must not take a replica out of rotation. */
const FAILURES_UNTIL_UNREADY = 3

/** Whether the row describes the same run of the container: a restart changes its address. */
const isSameRun = ({ row, observed }: Pick<Probed, 'row' | 'observed'>) =>
  row !== null && row.containerId === observed?.containerId && row.address === observed?.address

export const wasReady = (probed: Pick<Probed, 'row' | 'observed'>) =>
  isSameRun(probed) && (probed.row?.state === 'READY' || probed.row?.state === 'UNREADY')

export const hasUsedUpFailures = ({
  failures,
  failuresAllowed,
}: Pick<Probed, 'failures' | 'failuresAllowed'>): boolean => failures >= (failuresAllowed ?? FAILURES_UNTIL_UNREADY)

/** True for a replica that fails its probes more often than a ready one may. */
export const isUnready = (probed: Probed): boolean =>
  probed.failure !== null &&
  !(isSameRun(probed) && probed.row?.state === 'READY' && !hasUsedUpFailures(probed) && !probed.failureReason)

function stateOf(probed: Probed): ReplicaState {
  if (probed.observed?.phase !== 'running' || probed.failureReason) return 'STARTING'
  if (!isUnready(probed)) return 'READY'
  return wasReady(probed) ? 'UNREADY' : 'STARTING'
}

/**
 * Which replicas take traffic: those whose probes succeed. When none does, those that were ready before and still run,
 * because a slow answer is better than none.
 */
export function routesOf(rollout: Parameters<typeof replicaName>[0], replicas: readonly Probed[]): ReplicaRoute[] {
  const states = replicas.map(stateOf)
  const isAnyReady = states.includes('READY')
  return replicas.map((probed, position) => {
    const state = states[position] ?? 'STARTING'
    return {
      name: replicaName(rollout, probed.index),
      index: probed.index,
      containerId: probed.observed?.containerId ?? null,
      address: probed.observed?.address ?? null,
      port: probed.observed?.port ?? null,
      state: state === 'UNREADY' && !isAnyReady ? 'READY' : state,
    }
  })
}

export const isSameRoute = (a: ReplicaRoute, b: ReplicaRoute): boolean =>
  a.containerId === b.containerId && a.address === b.address && a.port === b.port && a.state === b.state
