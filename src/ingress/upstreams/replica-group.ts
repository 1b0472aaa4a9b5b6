import type { Route } from '../routes/route-table.ts'
import type { RequestCounts } from '../traffic/request-counts.ts'
import type { ReplicaPool } from './replica-pool.ts'

/** The replicas behind one host. */
export class ReplicaGroup {
  readonly route: Route
  /** Of requests that ended without a replica; null until one does. */
  counts: RequestCounts | null = null
  private readonly pools: readonly ReplicaPool[]
  private next = 0

  constructor(route: Route, pools: readonly ReplicaPool[]) {
    this.route = route
    this.pools = pools
  }

  get isEmpty(): boolean {
    return this.pools.length === 0
  }

  /** Requests and tunnels that its replicas are serving. */
  get outstanding(): number {
    let sum = 0
    for (const { outstanding } of this.pools) sum += outstanding
    return sum
  }

  /** The least busy replica, in turn among equals; null when all of them are excluded. */
  pick(excluded: ReadonlySet<ReplicaPool> | null, now: number): ReplicaPool | null {
    const { pools } = this
    let best: ReplicaPool | null = null
    let bestIndex = 0
    for (let step = 0; step < pools.length; step += 1) {
      const index = (this.next + step) % pools.length
      const pool = pools[index] as ReplicaPool
      if (excluded?.has(pool) || (best && !isBetter(pool, best, now))) continue
      best = pool
      bestIndex = index
    }
    this.next = bestIndex + 1
    return best
  }
}

function isBetter(pool: ReplicaPool, best: ReplicaPool, now: number): boolean {
  if (pool.isFull !== best.isFull) return best.isFull
  const isCooling = pool.isCooling(now)
  if (isCooling !== best.isCooling(now)) return !isCooling
  return pool.outstanding < best.outstanding
}
