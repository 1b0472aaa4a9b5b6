import type { RouteTable, Target } from '../routes/route-table.ts'
import { ReplicaGroup } from './replica-group.ts'
import { ReplicaPool } from './replica-pool.ts'

/** The connection pools of every replica in the table; they outlive the tables that name their replica. */
export class Upstreams {
  private pools = new Map<string, ReplicaPool>()
  private groups = new Map<string, ReplicaGroup>()
  private isLoaded = false

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
        const pool = pools.get(key) ?? this.pools.get(key) ?? new ReplicaPool(target)
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

  closeStale(now: number): void {
    for (const pool of this.pools.values()) pool.closeStale(now)
  }

  close(): void {
    for (const pool of this.pools.values()) pool.retire()
  }
}

// A container that was restarted may come back at another address, and another container at its old one.
const keyOf = ({ name, address, port }: Target) => `${name} ${address} ${port}`
