import type { Logger } from 'pino'
import type { Route, RouteTable } from '../routes/route-table.ts'
import { AppLoad, type ReportedLoad, type ScaledRoute } from './app-load.ts'

/** Where an ingress reports its requests, and asks for containers. */
export interface LoadReports {
  report(
    loads: readonly ReportedLoad[],
    asked: readonly string[],
    appEnvIds: readonly string[],
  ): Promise<Record<string, number>>
  close(): Promise<void>
}

const REPORT_MS = 1_000
/** PostgreSQL's error state for a right that the role lacks. */
const NOT_PERMITTED = '42501'
/** What was asked for is asked again: a notification may be lost, and a worker killed. At once, when more is needed. */
const ASK_AGAIN_MS = 1_000

/**
 * Counts the requests of environments that are scaled by them, and asks the workers for a container when there is none,
 * or not enough. An ask leaves at once; everything else is reported every second.
 */
export class Activator {
  private readonly loads = new Map<string, AppLoad>()
  private readonly asked = new Set<string>()
  private readonly timer: NodeJS.Timeout
  private isReporting = false
  private reporting: Promise<void> = Promise.resolve()
  private isDue = false
  private failure: Error | null = null
  private isClosed = false

  private readonly reports: LoadReports
  private readonly log: Logger

  constructor(reports: LoadReports, log: Logger) {
    this.reports = reports
    this.log = log
    this.timer = setInterval(() => this.tick(), REPORT_MS).unref()
  }

  /** Null for an environment that is not scaled by requests. */
  loadOf({ appEnvId, scaling }: Route): AppLoad | null {
    return scaling ? (this.loads.get(appEnvId) ?? null) : null
  }

  /** Takes over a new table. What it says is reported back at once where a container has stopped taking requests. */
  apply(table: RouteTable): void {
    const now = performance.now()
    const scaled = new Map(
      table.toJSON().flatMap((route) => (route.scaling ? [[route.appEnvId, route as ScaledRoute]] : [])),
    )
    for (const [appEnvId, load] of this.loads)
      if (!scaled.has(appEnvId) && load.total === 0) this.loads.delete(appEnvId)
    let isNews = false
    for (const [appEnvId, route] of scaled) {
      const known = this.loads.get(appEnvId)
      const load = known ?? new AppLoad(route)
      isNews ||= known?.route.scaling.revision !== route.scaling.revision
      this.loads.set(appEnvId, load)
      load.follow(route, now)
    }
    if (isNews) this.reportSoon()
  }

  /** Call it for a request that has to wait. */
  ask(load: AppLoad): void {
    const now = performance.now()
    if (!load.wantsMore || load.pauseMs(now) > 0) return
    const { asked, needed } = load
    if (asked && now - asked.at < ASK_AGAIN_MS && needed <= asked.containers) return
    load.asked = { at: now, containers: needed }
    this.asked.add(load.route.appEnvId)
    this.reportSoon()
  }

  /** Why the last report failed; null when it did not. Until one is taken, nothing that sleeps is woken. */
  get problem(): Error | null {
    return this.failure
  }

  /** Whether waiting is of no use: the database refuses reports until the right is granted. */
  get isForbidden(): boolean {
    return this.failure !== null && 'code' in this.failure && this.failure.code === NOT_PERMITTED
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearInterval(this.timer)
    await this.reporting
    await this.reports.close()
  }

  private tick(): void {
    if (this.loads.size === 0) return
    for (const load of this.loads.values()) if (load.waiting > 0 || load.wantsMore) this.ask(load)
    this.reportSoon()
  }

  /** What is said within one turn of the event loop, or while a report is on its way, is said in one. */
  private reportSoon(): void {
    if (this.isDue) return
    this.isDue = true
    if (!this.isReporting) setImmediate(() => this.beginReport())
  }

  private beginReport(): void {
    if (!this.isReporting) this.reporting = this.report()
  }

  private async report(): Promise<void> {
    this.isReporting = true
    while (this.isDue && !this.isClosed) {
      this.isDue = false
      await this.reportOnce().catch((error: Error) => this.failed(error))
    }
    this.isReporting = false
  }

  private async reportOnce(): Promise<void> {
    const now = performance.now()
    const changed = [...this.loads.values()].flatMap((load) => {
      const report = load.report(now)
      return report ? [{ ...report, of: load }] : []
    })
    const asked = [...this.asked]
    this.asked.clear()
    const active = [...this.loads.values()].filter(({ total }) => total > 0)
    const ids = active.map(({ route }) => route.appEnvId)
    const others = await this.reports.report(
      changed.map(({ load }) => load),
      asked,
      ids,
    )
    for (const { of, ...report } of changed) of.wasReported(report)
    for (const load of active) load.others = Number(others[load.route.appEnvId] ?? 0)
    if (this.failure) this.log.info('ingress: requests are reported again')
    this.failure = null
  }

  private failed(error: Error): void {
    if (!this.failure)
      this.log.warn({ error: error.message }, 'ingress: requests cannot be reported; what sleeps is not woken')
    this.failure = error
  }
}
