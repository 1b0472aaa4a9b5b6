import { countDuration } from '../../domain/duration-histogram.ts'

/** Whose requests are counted together. */
export interface CountedContainer {
  appEnvId: string
  /** Both empty for requests that no container was asked for. */
  containerName: string
  contentId: string
}

/** What was counted, as it is reported. */
export interface ReportedTraffic extends CountedContainer {
  /** Answers with 1xx, 2xx, 3xx, 4xx and 5xx. */
  classes: number[]
  /** Whose client left before the answer ended. */
  aborted: number
  /** Of bodies. */
  bytesIn: number
  bytesOut: number
  /** How many answers took how long, by the steps of the histogram. */
  durations: number[]
}

const CLASSES = 5

export const noTraffic = ({ appEnvId, containerName, contentId }: CountedContainer): ReportedTraffic => ({
  appEnvId,
  containerName,
  contentId,
  classes: Array(CLASSES).fill(0),
  aborted: 0,
  bytesIn: 0,
  bytesOut: 0,
  durations: [],
})

/** Adds what another counted, of the same container or of one whose counts this one takes over. */
export function addTraffic(sum: ReportedTraffic, more: ReportedTraffic): void {
  for (const [index, count] of more.classes.entries()) sum.classes[index] = (sum.classes[index] ?? 0) + count
  for (const [step, count] of more.durations.entries()) sum.durations[step] = (sum.durations[step] ?? 0) + count
  sum.aborted += more.aborted
  sum.bytesIn += more.bytesIn
  sum.bytesOut += more.bytesOut
}

/** The requests to one container since they were last taken. It is called for each request, and allocates nothing then. */
export class RequestCounts {
  private readonly container: CountedContainer
  private readonly onFirst: (counts: RequestCounts) => void
  private counted: ReportedTraffic | null = null

  /** `onFirst` is called when something is counted for the first time since it was taken. */
  constructor(container: CountedContainer, onFirst: (counts: RequestCounts) => void) {
    this.container = container
    this.onFirst = onFirst
  }

  /** A request that has ended. Null: its client left before. */
  ended(status: number | null, ms: number, bytesIn: number, bytesOut: number): void {
    const counted = this.begun()
    if (status === null) counted.aborted += 1
    else {
      // What HTTP does not define counts as an error of the app.
      const index = Math.min(Math.floor(status / 100), CLASSES) - 1
      counted.classes[index] = (counted.classes[index] ?? 0) + 1
      countDuration(counted.durations, ms)
    }
    counted.bytesIn += bytesIn
    counted.bytesOut += bytesOut
  }

  /** What passed through a connection that had switched protocols. */
  passed(bytesIn: number, bytesOut: number): void {
    const counted = this.begun()
    counted.bytesIn += bytesIn
    counted.bytesOut += bytesOut
  }

  /** What was counted, which is forgotten here; null when nothing was. */
  take(): ReportedTraffic | null {
    const { counted } = this
    this.counted = null
    return counted
  }

  private begun(): ReportedTraffic {
    if (this.counted) return this.counted
    this.counted = noTraffic(this.container)
    this.onFirst(this)
    return this.counted
  }
}
