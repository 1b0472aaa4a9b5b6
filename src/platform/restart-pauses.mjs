// Plain JavaScript, because the supervisor, which runs on an older Node.js, uses it as well.

const MAX_MS = 30_000
const SECOND_MS = 500
/** A process that was ready for this long does not die of how it starts. */
const HEALTHY_MS = 10_000

/** How long to wait before a process is started again: not at all at first, then longer and longer. */
export class RestartPauses {
  #deaths = 0

  /** `readyForMs`: how long the process was ready before it died; 0 if it never was. */
  next(readyForMs) {
    this.#deaths = readyForMs >= HEALTHY_MS ? 1 : this.#deaths + 1
    if (this.#deaths === 1) return 0
    const pauseMs = Math.min(MAX_MS, SECOND_MS * 2 ** Math.min(this.#deaths - 2, 30))
    // Shortened by up to a half, so that processes that die together are not started together.
    return pauseMs * (0.5 + Math.random() / 2)
  }
}
