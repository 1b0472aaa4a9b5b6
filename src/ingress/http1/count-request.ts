import type { RequestCounts } from '../traffic/request-counts.ts'
import type { TrafficLog } from '../traffic/traffic-log.ts'
import type { ReplicaGroup } from '../upstreams/replica-group.ts'
import type { ReplicaPool } from '../upstreams/replica-pool.ts'

/** A request as it ended. */
interface Ended {
  /** Null: the client left before the answer ended. */
  status: number | null
  ms: number
  /** Of bodies. */
  bytesIn: number
  bytesOut: number
}

/** Counts a request for the metrics of its app, at the replica that was asked last; null: none was. */
export function countEnded(
  traffic: TrafficLog,
  group: ReplicaGroup,
  asked: ReplicaPool | null,
  { status, ms, bytesIn, bytesOut }: Ended,
): void {
  countsOf(traffic, group, asked)?.ended(status, ms, bytesIn, bytesOut)
}

/** The same for one that the ingress refused without reading it. */
export function countRefused(traffic: TrafficLog, group: ReplicaGroup, status: number): void {
  countsOf(traffic, group, null)?.ended(status, 0, 0, 0)
}

/** Counts the bytes of an upgraded connection that has ended. */
export function countPassed(
  traffic: TrafficLog,
  group: ReplicaGroup,
  asked: ReplicaPool,
  bytesIn: number,
  bytesOut: number,
): void {
  countsOf(traffic, group, asked)?.passed(bytesIn, bytesOut)
}

/** Null for an app that is scaled by its requests: they are counted where it is. */
function countsOf(traffic: TrafficLog, group: ReplicaGroup, asked: ReplicaPool | null): RequestCounts | null {
  const { appEnvId, scaling } = group.route
  if (scaling) return null
  if (asked) {
    const { name, contentId = '' } = asked.target
    asked.counts ??= traffic.countsOf({ appEnvId, containerName: name, contentId })
    return asked.counts
  }
  group.counts ??= traffic.countsOf({ appEnvId, containerName: '', contentId: '' })
  return group.counts
}
