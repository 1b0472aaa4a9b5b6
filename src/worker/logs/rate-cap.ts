const MINUTE = 60_000_000_000n

/** A long line counts as several short ones. */
const BYTES_PER_LINE = 1024

export interface CapState {
  /** Minutes since 1970. */
  minute: bigint
  used: number
  /** Lines that were dropped and not reported yet. */
  dropped: number
}

/**
 * How many lines a container may log in a minute. Counted by the lines' own time, and kept with the checkpoint, so that
 * a second reading decides the same.
 */
export class RateCap {
  readonly state: CapState
  readonly #linesPerMinute: number

  constructor(linesPerMinute: number, state: CapState) {
    this.#linesPerMinute = linesPerMinute
    this.state = state
  }

  /** False for a line over the cap. Calls `report` with the number of dropped lines once the next minute begins. */
  admits(nanoseconds: bigint, length: number, report: (dropped: number) => void): boolean {
    const minute = nanoseconds / MINUTE
    if (minute > this.state.minute) {
      this.report(report)
      Object.assign(this.state, { minute, used: 0 })
    }
    this.state.used += 1 + Math.floor(length / BYTES_PER_LINE)
    if (this.state.used <= this.#linesPerMinute) return true
    this.state.dropped += 1
    return false
  }

  /** Reports dropped lines now, because nothing follows for a while. */
  report(report: (dropped: number) => void): void {
    if (this.state.dropped > 0) report(this.state.dropped)
    this.state.dropped = 0
  }
}

export const droppedNotice = (dropped: number, linesPerMinute: number): string =>
  `[berth] ${dropped} lines were dropped here: more than ${linesPerMinute} in a minute, or than the account’s log budget`
