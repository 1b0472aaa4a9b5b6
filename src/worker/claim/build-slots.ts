interface Waiter {
  accountId: string
  enter: () => void
  onPosition: (position: number) => void
}

/**
 * Build slots of one worker: the next one goes to the account that builds least, then to the build that has waited longest. One slot
 * more is for accounts that build nothing, so that long builds of others delay none of theirs.
 */
export class BuildSlots {
  readonly #slots: number
  readonly #waiting: Waiter[] = []
  readonly #building: string[] = []

  constructor(slots: number) {
    this.#slots = slots
  }

  /** How many builds a new one of the account would have to wait for. */
  ahead(accountId: string): number {
    return this.#isFree(accountId) ? 0 : this.#waiting.length + 1
  }

  /**
   * Waits for a slot; calls `onPosition` whenever the position in the queue changes. Returns how to release the slot.
   */
  async take(accountId: string, signal: AbortSignal, onPosition: (position: number) => void): Promise<() => void> {
    if (this.#isFree(accountId)) this.#building.push(accountId)
    else await this.#queue(accountId, signal, onPosition)
    let isHeld = true
    return () => {
      if (isHeld) this.#release(accountId)
      isHeld = false
    }
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

  #isFree(accountId: string): boolean {
    const taken = this.#building.length
    return taken < this.#slots || (taken === this.#slots && !this.#building.includes(accountId))
  }

  #countOf(accountId: string): number {
    return this.#building.filter((other) => other === accountId).length
  }

  /** Hands the slot straight to the next build. */
  #release(accountId: string): void {
    this.#building.splice(this.#building.indexOf(accountId), 1)
    const [next] = this.#waiting
      .filter((waiter) => this.#isFree(waiter.accountId))
      .toSorted((one, other) => this.#countOf(one.accountId) - this.#countOf(other.accountId))
    if (next) {
      this.#waiting.splice(this.#waiting.indexOf(next), 1)
      this.#building.push(next.accountId)
      next.enter()
    }
    this.#reportPositions()
  }

  #reportPositions(): void {
    for (const [index, { onPosition }] of this.#waiting.entries()) onPosition(index + 1)
  }
}
