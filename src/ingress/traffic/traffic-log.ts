import type { Logger } from 'pino'
import { addTraffic, type CountedContainer, noTraffic, type ReportedTraffic, RequestCounts } from './request-counts.ts'

/** Where an ingress reports what it counted. */
export interface TrafficReports {
  /** Adds the counts to those that were reported before. Throws when they were not taken. */
  report(traffic: readonly ReportedTraffic[]): Promise<void>
  close(): Promise<void>
}

/** What is lost when this process is killed: the counts of so many milliseconds. */
const REPORT_MS = 5_000
/** Of one statement. */
const BATCH = 500
/**
 * Containers whose counts are kept while the database does not take them. What is counted of others counts for their
 * environment alone; environments are kept as often again.
 */
const MAX_KEPT = 10_000

/** Counts requests to web apps by container, and reports them in batches. */
export class TrafficLog {
  private readonly reports: TrafficReports
  private readonly log: Logger
  private readonly timer: NodeJS.Timeout
  /** What has counted something since the last report. */
  private touched: RequestCounts[] = []
  /** What was taken from them and not reported yet. */
  private readonly kept = new Map<string, ReportedTraffic>()
  private reporting: Promise<void> | null = null
  private isFailing = false
  private readonly onFirst = (counts: RequestCounts) => {
    this.touched.push(counts)
  }

  constructor(reports: TrafficReports, log: Logger) {
    this.reports = reports
    this.log = log
    this.timer = setInterval(() => void this.report(), REPORT_MS).unref()
  }

  /** Counts of their own for a container: to be kept by the caller, as long as requests may end there. */
  countsOf(container: CountedContainer): RequestCounts {
    return new RequestCounts(container, this.onFirst)
  }

  /** Reports what was counted so far; what the database does not take is reported with the next ones. Never throws. */
  report(): Promise<void> {
    this.reporting ??= this.reportAll().finally(() => {
      this.reporting = null
    })
    return this.reporting
  }

  /** With a last report, unless the database is known to be away: a process that ends does not wait for it. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.reporting
    if (!this.isFailing) await this.report()
    await this.reports.close()
  }

  private async reportAll(): Promise<void> {
    this.keep(this.touched.splice(0).flatMap((counts) => counts.take() ?? []))
    const all = [...this.kept.values()]
    this.kept.clear()
    for (let start = 0; start < all.length; start += BATCH) {
      try {
        await this.reports.report(all.slice(start, start + BATCH))
        this.succeeded()
      } catch (error) {
        this.keep(all.slice(start))
        this.failed(error as Error)
        return
      }
    }
  }

  private keep(traffic: readonly ReportedTraffic[]): void {
    let lost = 0
    for (const one of traffic) {
      const sum = this.sumFor(one)
      if (sum) addTraffic(sum, one)
      else lost += one.classes.reduce((total, count) => total + count, one.aborted)
    }
    if (lost > 0)
      this.log.warn({ requests: lost }, 'ingress: requests are missing in the metrics of their environments')
  }

  /** Null where there is no room for another. */
  private sumFor({ appEnvId, containerName, contentId }: CountedContainer): ReportedTraffic | null {
    const known = this.kept.get(keyOf(appEnvId, containerName))
    if (known) return known
    if (containerName !== '' && this.kept.size >= MAX_KEPT)
      return this.sumFor({ appEnvId, containerName: '', contentId: '' })
    if (this.kept.size >= 2 * MAX_KEPT) return null
    const sum = noTraffic({ appEnvId, containerName, contentId })
    this.kept.set(keyOf(appEnvId, containerName), sum)
    return sum
  }

  private succeeded(): void {
    if (this.isFailing) this.log.info('ingress: metrics of requests are reported again')
    this.isFailing = false
  }

  /** Said once, however long it lasts. */
  private failed(error: NodeJS.ErrnoException): void {
    const reason = error.message || error.code
    if (!this.isFailing)
      this.log.warn({ error: reason }, 'ingress: metrics of requests cannot be reported; they are kept and tried again')
    this.isFailing = true
  }
}

const keyOf = (appEnvId: string, containerName: string) => `${appEnvId} ${containerName}`
