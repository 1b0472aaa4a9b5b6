const MINUTE = 60_000_000_000n

/** A long line costs as much as several short ones. */
const BYTES_PER_LINE = 1024

export interface CapState {
  /** Minutes since 1970. */
  minute: bigint
  used: number
  /** Lines that were dropped and not yet told of. */
  dropped: number
}

/**
 * How many lines a container may say in a minute. Counted by the lines' own time, and kept with the place in the
 * output, so that whoever reads them again decides the same.
 */
export class RateCap {
  readonly state: CapState
  readonly #linesPerMinute: number

  constructor(linesPerMinute: number, state: CapState) {
    this.#linesPerMinute = linesPerMinute
    this.state = state
  }

  /** False for a line that is one too many. `told` gives the number of dropped lines once they are over. */
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

  /** Nothing follows for now. */
  report(report: (dropped: number) => void): void {
    if (this.state.dropped > 0) report(this.state.dropped)
    this.state.dropped = 0
  }
}

export const droppedNotice = (dropped: number, linesPerMinute: number): string =>
  `[berth] ${dropped} lines were dropped here: more than ${linesPerMinute} in a minute`
