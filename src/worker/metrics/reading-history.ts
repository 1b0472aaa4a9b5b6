import type { Reading } from '../../app-types/engines/engine-metrics.ts'

/** An engine that does not answer is asked less and less often, but never more rarely than every so many rounds. */
const MAX_ROUNDS_LEFT_OUT = 16

interface Asked {
  last: Reading | null
  failures: number
  /** Rounds in which it is not asked. */
  leftOut: number
}

/**
 * What one worker remembers of the engines that it asks: the reading before, because rates are differences of two, and
 * how often they failed. Lost with the worker; its successor then has no rates in its first round.
 */
export class ReadingHistory {
  readonly #asked = new Map<number, Asked>()

  /** Whether it is asked in this round. To be called once in each. */
  isDue(containerId: number): boolean {
    const asked = this.#asked.get(containerId)
    if (!asked || asked.leftOut === 0) return true
    asked.leftOut -= 1
    return false
  }

  /** Returns the reading before. */
  answered(containerId: number, reading: Reading): Reading | null {
    const before = this.#asked.get(containerId)?.last ?? null
    this.#asked.set(containerId, { last: reading, failures: 0, leftOut: 0 })
    return before
  }

  failed(containerId: number): void {
    const { last, failures } = this.#asked.get(containerId) ?? { last: null, failures: 0 }
    const leftOut = Math.min(2 ** failures - 1, MAX_ROUNDS_LEFT_OUT)
    this.#asked.set(containerId, { last, failures: failures + 1, leftOut })
  }

  /** Removes all others. */
  keep(containerIds: ReadonlySet<number>): void {
    for (const id of this.#asked.keys()) if (!containerIds.has(id)) this.#asked.delete(id)
  }
}
