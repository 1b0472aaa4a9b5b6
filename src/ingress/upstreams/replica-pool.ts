import type { Target } from '../routes/route-table.ts'
import type { RequestCounts } from '../traffic/request-counts.ts'
import type { ConnectionBudget } from './connection-budget.ts'
import { UpstreamConnection } from './upstream-connection.ts'

const MAX_IDLE_CONNECTIONS = 256
// How long a replica that refused is the last choice, so that not every request has to find out again.
const COOL_DOWN_MS = 2_000

/** The connections to one replica, and how busy it is. */
export class ReplicaPool {
  readonly target: Target
  /** Requests and tunnels that it is serving. */
  outstanding = 0
  /** Of requests that ended here; null until one does. */
  counts: RequestCounts | null = null
  private readonly idle: UpstreamConnection[] = []
  private readonly budget: ConnectionBudget
  private readonly onClose = (connection: UpstreamConnection) => {
    this.budget.open -= 1
    this.remove(connection)
  }
  private coolUntil = 0
  private isRetired = false

  constructor(target: Target, budget: ConnectionBudget) {
    this.target = target
    this.budget = budget
  }

  get isFull(): boolean {
    return this.outstanding >= this.budget.perReplica
  }

  /** A connection idle for at most so long, the last used first, or else a new one. */
  take(now: number, maxIdleMs: number): UpstreamConnection {
    this.outstanding += 1
    this.budget.busy += 1
    return this.takeIdle(now, maxIdleMs) ?? this.open()
  }

  private takeIdle(now: number, maxIdleMs: number): UpstreamConnection | null {
    // One that the replica has closed is among them until that is reported.
    while (this.idle.at(-1)?.hasEnded) this.idle.pop()
    const connection = this.idle.at(-1)
    if (!connection || now - connection.idleSince > Math.min(maxIdleMs, connection.idleLimitMs)) return null
    this.idle.pop()
    return connection
  }

  private open(): UpstreamConnection {
    this.budget.open += 1
    return new UpstreamConnection(this.target, this.onClose)
  }

  /** Gives back what `take` gave. */
  release(connection: UpstreamConnection, isReusable: boolean, now: number): void {
    this.outstanding -= 1
    this.budget.busy -= 1
    connection.finish()
    if (!isReusable || this.isRetired || connection.hasEnded || this.idle.length >= MAX_IDLE_CONNECTIONS) {
      connection.destroy()
      return
    }
    connection.idleSince = now
    connection.isReused = true
    this.idle.push(connection)
  }

  /** Closes connections that the replica is about to close itself. */
  closeStale(now: number): void {
    const stale = this.idle.filter((connection) => now - connection.idleSince > connection.idleLimitMs)
    for (const connection of stale) {
      this.remove(connection)
      connection.destroy()
    }
  }

  /** Closes the idle connections, because their descriptors are needed. */
  closeIdle(): void {
    for (const connection of this.idle.splice(0)) connection.destroy()
  }

  coolDown(now: number): void {
    this.coolUntil = now + COOL_DOWN_MS
  }

  isCooling(now: number): boolean {
    return now < this.coolUntil
  }

  /** No new requests: idle connections close now, busy ones when their request has ended. */
  retire(): void {
    this.isRetired = true
    this.closeIdle()
  }

  private remove(connection: UpstreamConnection): void {
    const index = this.idle.indexOf(connection)
    if (index >= 0) this.idle.splice(index, 1)
  }
}
