/** Build slots of one worker: first come, first served, and every waiting build knows its position. */
export class BuildSlots {
  readonly #slots: number
  readonly #waiting: { enter: () => void; onPosition: (position: number) => void }[] = []
  #taken = 0

  constructor(slots: number) {
    this.#slots = slots
  }

  /** How many builds a new one would have to wait for. */
  get ahead(): number {
    return this.#taken < this.#slots ? 0 : this.#waiting.length + 1
  }

  /**
   * Waits for a slot; calls `onPosition` whenever the position in the queue changes. Returns how to release the slot.
   */
  async take(signal: AbortSignal, onPosition: (position: number) => void): Promise<() => void> {
    if (this.#taken >= this.#slots) await this.#queue(signal, onPosition)
    else this.#taken += 1
    let isHeld = true
    return () => {
      if (isHeld) this.#release()
      isHeld = false
    }
  }

  async #queue(signal: AbortSignal, onPosition: (position: number) => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { enter: resolve, onPosition }
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

  /** Hands the slot straight to the build that has waited longest. */
  #release(): void {
    const next = this.#waiting.shift()
    if (next) next.enter()
    else this.#taken -= 1
    this.#reportPositions()
  }

  #reportPositions(): void {
    for (const [index, { onPosition }] of this.#waiting.entries()) onPosition(index + 1)
  }
}
