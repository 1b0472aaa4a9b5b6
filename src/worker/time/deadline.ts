/** The operation took longer than it may. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded'
}

/** When an attempt at an operation has to end. It moves while the attempt waits for others. */
export class Deadline {
  readonly #late = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #endsAt = 0

  constructor(leftMs: number) {
    this.leftMs = leftMs
  }

  /** Fires when the time is up, and never before. */
  get signal(): AbortSignal {
    return this.#late.signal
  }

  get leftMs(): number {
    return Math.max(0, this.#endsAt - performance.now())
  }

  set leftMs(leftMs: number) {
    this.close()
    this.#endsAt = performance.now() + leftMs
    if (leftMs === 0) this.#late.abort(new DeadlineExceeded())
    else this.#timer = setTimeout(() => this.#late.abort(new DeadlineExceeded()), leftMs)
  }

  close(): void {
    clearTimeout(this.#timer)
  }
}
