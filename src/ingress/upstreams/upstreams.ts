import type { RouteTable, Target } from '../routes/route-table.ts'
import { ConnectionBudget, type UpstreamLimits } from './connection-budget.ts'
import { ReplicaGroup } from './replica-group.ts'
import { ReplicaPool } from './replica-pool.ts'
import type { UpstreamConnection } from './upstream-connection.ts'

/** The connection pools of every replica in the table; they outlive the tables that name their replica. */
export class Upstreams {
  private pools = new Map<string, ReplicaPool>()
  private groups = new Map<string, ReplicaGroup>()
  private isLoaded = false
  private readonly budget: ConnectionBudget

  constructor(limits: UpstreamLimits) {
    this.budget = new ConnectionBudget(limits)
  }

  /** Whether there has been a table at all. */
  get hasTable(): boolean {
    return this.isLoaded
  }

  find(hostName: string): ReplicaGroup | null {
    return this.groups.get(hostName) ?? null
  }

  /** Takes over a new table. Requests that are under way end where they are. */
  apply(table: RouteTable): void {
    const pools = new Map<string, ReplicaPool>()
    const groups = new Map<string, ReplicaGroup>()
    for (const route of table.toJSON()) {
      const members = route.targets.map((target) => {
        const key = keyOf(target)
        const pool = pools.get(key) ?? this.pools.get(key) ?? new ReplicaPool(target, this.budget)
        pools.set(key, pool)
        return pool
      })
      groups.set(route.host.toLowerCase(), new ReplicaGroup(route, members))
    }
    for (const [key, pool] of this.pools) if (!pools.has(key)) pool.retire()
    this.pools = pools
    this.groups = groups
    this.isLoaded = true
  }

  /** Whether a replica of the group may be sent one more request now. */
  hasRoom(pool: ReplicaPool, group: ReplicaGroup): boolean {
    const { budget } = this
    return !pool.isFull && !budget.isUsedUp && group.outstanding < budget.perApp
  }

  /** A connection to the replica, as its pool has or makes one; idle ones elsewhere give way to a new one. */
  take(pool: ReplicaPool, now: number, maxIdleMs: number): UpstreamConnection {
    const connection = pool.take(now, maxIdleMs)
    if (this.budget.open > this.budget.total) this.closeIdle()
    return connection
  }

  /** Frees every descriptor that no request or tunnel needs. */
  closeIdle(): void {
    for (const pool of this.pools.values()) pool.closeIdle()
  }

  closeStale(now: number): void {
    for (const pool of this.pools.values()) pool.closeStale(now)
  }

  close(): void {
    for (const pool of this.pools.values()) pool.retire()
  }
}

// A container that was restarted may come back at another address, and another container at its old one.
const keyOf = ({ name, address, port }: Target) => `${name} ${address} ${port}`
