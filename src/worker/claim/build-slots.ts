/** Places for builds in one worker: first come, first served, and everyone knows how many are before them. */
export class BuildSlots {
  readonly #places: number
  readonly #waiting: { enter: () => void; tell: (position: number) => void }[] = []
  #taken = 0

  constructor(places: number) {
    this.#places = places
  }

  /** How many would be before somebody who came now. */
  get ahead(): number {
    return this.#taken < this.#places ? 0 : this.#waiting.length + 1
  }

  /** Waits for a place; `tell` hears the position in the queue whenever it changes. Returns how to give the place back. */
  async take(signal: AbortSignal, tell: (position: number) => void): Promise<() => void> {
    if (this.#taken >= this.#places) await this.#queue(signal, tell)
    else this.#taken += 1
    let isHeld = true
    return () => {
      if (isHeld) this.#leave()
      isHeld = false
    }
  }

  async #queue(signal: AbortSignal, tell: (position: number) => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const place = { enter: resolve, tell }
    const giveUp = () => {
      const at = this.#waiting.indexOf(place)
      if (at >= 0) this.#waiting.splice(at, 1)
      this.#tellAll()
      reject(signal.reason)
    }
    signal.throwIfAborted()
    signal.addEventListener('abort', giveUp, { once: true })
    this.#waiting.push(place)
    tell(this.#waiting.length)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** The place goes to whoever waits longest, without being free in between. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next.enter()
    else this.#taken -= 1
    this.#tellAll()
  }

  #tellAll(): void {
    for (const [index, { tell }] of this.#waiting.entries()) tell(index + 1)
  }
}
