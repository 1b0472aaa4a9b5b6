interface Waiter {
  accountId: string
  enter: () => void
  onPosition: (position: number) => void
}

/**
 * Build slots of one worker, of which an account has one at a time: its builder's limits are for all that it builds.
 * First come, first served among those that may, and every waiting build knows its position.
 */
export class BuildSlots {
  readonly #slots: number
  readonly #waiting: Waiter[] = []
  /** The accounts that build. */
  readonly #building = new Set<string>()

  constructor(slots: number) {
    this.#slots = slots
  }

  /** How many builds a new one of the account would have to wait for. */
  ahead(accountId: string): number {
    return this.#hasSlotFor(accountId) ? 0 : this.#waiting.length + 1
  }

  /**
   * Waits for a slot; calls `onPosition` whenever the position in the queue changes. Returns how to release the slot.
   */
  async take(accountId: string, signal: AbortSignal, onPosition: (position: number) => void): Promise<() => void> {
    if (this.#hasSlotFor(accountId)) this.#building.add(accountId)
    else await this.#queue(accountId, signal, onPosition)
    let isHeld = true
    return () => {
      if (isHeld) this.#release(accountId)
      isHeld = false
    }
  }

  #hasSlotFor(accountId: string): boolean {
    return this.#building.size < this.#slots && !this.#building.has(accountId)
  }

  async #queue(accountId: string, signal: AbortSignal, onPosition: (position: number) => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { accountId, enter: resolve, onPosition }
    const giveUp = () => {
      const at = this.#waiting.indexOf(waiter)
      if (at >= 0) this.#waiting.splice(at, 1)
      this.#reportPositions()
      reject(signal.reason)
    }
    signal.throwIfAborted()
    signal.addEventListener('abort', giveUp, { once: true })
    this.#waiting.push(waiter)
    onPosition(this.#waiting.length)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** Hands the slot straight to the build that has waited longest, of those whose account does not build. */
  #release(accountId: string): void {
    this.#building.delete(accountId)
    const at = this.#waiting.findIndex((waiter) => this.#hasSlotFor(waiter.accountId))
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1)
    if (!next) return
    this.#building.add(next.accountId)
    next.enter()
    this.#reportPositions()
  }

  #reportPositions(): void {
    for (const [index, { onPosition }] of this.#waiting.entries()) onPosition(index + 1)
  }
}
