/** A request that waits for room at its app, or for a container. */
export interface WaitingExchange {
  readonly appEnvId: string
  /** What of it this process may hold meanwhile: its head, and the part of its body that is read ahead. */
  readonly heldBytes: number
  /** Continues if there is room now; returns whether there was. */
  tryProceed(): boolean
}

/** What may wait of one app. */
export interface QueueBounds {
  requests: number
  bytes: number
}

/** Of an app whose containers are busy. More clients than this do not get an answer within the time that they wait. */
export const APP_QUEUE: QueueBounds = { requests: 500, bytes: Number.POSITIVE_INFINITY }

interface Queue {
  exchanges: Set<WaitingExchange>
  bytes: number
}

/** Requests over a cap, in the order in which they came, by app. Apps take turns, however many requests each has. */
export class WaitingExchanges {
  /** How many wait, of all apps. */
  size = 0
  private readonly byApp = new Map<string, Queue>()

  /** False when too many wait already for this app. */
  join(exchange: WaitingExchange, bounds: QueueBounds): boolean {
    const queue = this.byApp.get(exchange.appEnvId) ?? { exchanges: new Set(), bytes: 0 }
    if (queue.exchanges.size >= bounds.requests || queue.bytes + exchange.heldBytes > bounds.bytes) return false
    queue.exchanges.add(exchange)
    queue.bytes += exchange.heldBytes
    this.byApp.set(exchange.appEnvId, queue)
    this.size += 1
    return true
  }

  /** Call it for one that went on or gave up. */
  leave(exchange: WaitingExchange): void {
    const queue = this.byApp.get(exchange.appEnvId)
    if (!queue?.exchanges.delete(exchange)) return
    queue.bytes -= exchange.heldBytes
    this.size -= 1
    if (queue.exchanges.size === 0) this.byApp.delete(exchange.appEnvId)
  }

  /** Call it when a connection has become free: the first request that can use it continues. */
  proceed(): void {
    if (this.size === 0) return
    for (const [appEnvId, queue] of this.byApp) {
      const [first] = queue.exchanges
      if (!first?.tryProceed()) continue
      this.leave(first)
      // To the end of the turns.
      if (this.byApp.delete(appEnvId) && queue.exchanges.size > 0) this.byApp.set(appEnvId, queue)
      return
    }
  }

  /** Call it when containers may have come or gone: of each app, as many go on as there is room for. */
  proceedAll(): void {
    for (const queue of [...this.byApp.values()]) {
      for (const exchange of [...queue.exchanges]) {
        if (!exchange.tryProceed()) break
        this.leave(exchange)
      }
    }
  }
}
