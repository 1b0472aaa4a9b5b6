import { stepOf } from '../../domain/duration-histogram.ts'

/** What is counted of requests that ended, for the metrics of their environment. */
export interface EndedCounts {
  invocations: number
  errors: number
  queuedMs: number
  /** How many took how long, by `stepOf`. */
  durations: number[]
}

/** Requests of one environment that ended since they were last reported. */
export class EndedRequests {
  private counts: EndedCounts = { invocations: 0, errors: 0, queuedMs: 0, durations: [] }

  add(isError: boolean, durationMs: number, queuedMs: number): void {
    const { counts } = this
    counts.invocations += 1
    if (isError) counts.errors += 1
    counts.queuedMs += Math.round(queuedMs)
    const step = stepOf(durationMs)
    while (counts.durations.length <= step) counts.durations.push(0)
    counts.durations[step] = (counts.durations[step] ?? 0) + 1
  }

  /** Null when there were none. */
  get(): EndedCounts | null {
    return this.counts.invocations > 0 ? { ...this.counts, durations: [...this.counts.durations] } : null
  }

  /** What was reported is not reported again. */
  subtract(reported: EndedCounts): void {
    const { counts } = this
    counts.invocations -= reported.invocations
    counts.errors -= reported.errors
    counts.queuedMs -= reported.queuedMs
    counts.durations = counts.durations.map((count, step) => count - (reported.durations[step] ?? 0))
  }
}
