/** A request that waits for room at its app. */
export interface WaitingExchange {
  readonly appEnvId: string
  /** Goes on if there is room now; says whether there was. */
  tryProceed(): boolean
}

// More clients than this do not get an answer within the time that they wait.
const MAX_PER_APP = 500

/** Requests over a cap, in the order in which they came, by app. Apps take turns, however many requests each has. */
export class WaitingExchanges {
  /** How many wait, of all apps. */
  size = 0
  private readonly byApp = new Map<string, Set<WaitingExchange>>()

  /** False when too many wait already for this app. */
  join(exchange: WaitingExchange): boolean {
    const queue = this.byApp.get(exchange.appEnvId) ?? new Set()
    if (queue.size >= MAX_PER_APP) return false
    this.byApp.set(exchange.appEnvId, queue.add(exchange))
    this.size += 1
    return true
  }

  /** Call it for one that went on or gave up. */
  leave(exchange: WaitingExchange): void {
    const queue = this.byApp.get(exchange.appEnvId)
    if (!queue?.delete(exchange)) return
    this.size -= 1
    if (queue.size === 0) this.byApp.delete(exchange.appEnvId)
  }

  /** Call it when a connection has become free: the first request that it helps goes on. */
  proceed(): void {
    if (this.size === 0) return
    for (const [appEnvId, queue] of this.byApp) {
      const [first] = queue
      if (!first?.tryProceed()) continue
      this.leave(first)
      // To the end of the turns.
      if (this.byApp.delete(appEnvId) && queue.size > 0) this.byApp.set(appEnvId, queue)
      return
    }
  }
}
