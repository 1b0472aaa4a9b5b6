import { countDuration } from '../../domain/duration-histogram.ts'
import type { Route, RouteScaling } from '../routes/route-table.ts'

/** The window is kept in so many parts: what is left out of it is late by one of them at most. */
const PARTS = 100
const MIN_PART_MS = 500

/** The largest of the values that a number had within the last seconds. */
class PeakWindow {
  private parts: { at: number; peak: number }[] = []

  private readonly seconds: () => number

  constructor(seconds: () => number) {
    this.seconds = seconds
  }

  record(value: number, now: number): void {
    const last = this.parts.at(-1)
    if (last && now - last.at < this.partMs) last.peak = Math.max(last.peak, value)
    else this.parts.push({ at: now, peak: value })
    if (this.parts.length > 2 * PARTS) this.dropOld(now)
  }

  of(now: number): number {
    this.dropOld(now)
    return this.parts.reduce((most, { peak }) => Math.max(most, peak), 0)
  }

  private get partMs(): number {
    return Math.max(MIN_PART_MS, (this.seconds() * 1000) / PARTS)
  }

  private dropOld(now: number): void {
    const since = now - this.seconds() * 1000 - this.partMs
    this.parts = this.parts.filter(({ at }) => at >= since)
  }
}

/** What is counted of requests that ended, for the metrics of their environment. */
interface EndedCounts {
  invocations: number
  errors: number
  queuedMs: number
  /** How many took how long, by `stepOf`. */
  durations: number[]
}

/** Requests of one environment that ended since they were last reported. */
class EndedRequests {
  private counts: EndedCounts = { invocations: 0, errors: 0, queuedMs: 0, durations: [] }

  add(isError: boolean, durationMs: number, queuedMs: number): void {
    const { counts } = this
    counts.invocations += 1
    if (isError) counts.errors += 1
    counts.queuedMs += Math.round(queuedMs)
    countDuration(counts.durations, durationMs)
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

/** What one ingress reports of the requests for one environment. */
export interface ReportedLoad {
  appEnvId: string
  inFlight: number
  waiting: number
  peak: number
  byReplica: Record<string, number>
  revision: number
  /** Time since the last request; null when there was none. */
  idleMs: number | null
  /** Requests that ended since the last report that was taken. */
  ended: EndedCounts | null
}

export type ScaledRoute = Route & { scaling: RouteScaling }

/** The requests in this process for one environment that is scaled by them. */
export class AppLoad {
  inFlight = 0
  waiting = 0
  /** What other ingress processes had when they last reported. */
  others = 0
  /** When a worker was last asked to act, and for how many containers; null since the table changed. */
  asked: { at: number; containers: number } | null = null
  private readonly ended = new EndedRequests()
  private readonly byReplica = new Map<string, number>()
  private readonly window: PeakWindow
  private activeAt: number | null = null
  private reported = ''
  private failure = { count: 0, until: 0 }

  route: ScaledRoute

  constructor(route: ScaledRoute) {
    this.route = route
    this.window = new PeakWindow(() => this.route.scaling.idleSeconds)
  }

  get total(): number {
    return this.inFlight + this.waiting
  }

  follow(route: ScaledRoute, now: number): void {
    const count = route.scaling.failure?.count ?? 0
    if (count !== this.failure.count) {
      this.failure = { count, until: now + (route.scaling.failure?.pauseSeconds ?? 0) * 1000 }
    }
    this.route = route
    this.asked = null
  }

  /** What is left of the pause after a failed wake; 0 when a wake may be tried. */
  pauseMs(now: number): number {
    return this.route.targets.length > 0 ? 0 : Math.max(0, this.failure.until - now)
  }

  /** The requests that this process may have at one container: its share, by what all of them have. */
  get share(): number {
    const { concurrency } = this.route.scaling
    if (this.others === 0) return concurrency
    const own = Math.max(1, this.total)
    return Math.max(1, Math.ceil((concurrency * own) / (own + this.others)))
  }

  /** Whether another container would help. */
  get wantsMore(): boolean {
    return this.needed > this.route.targets.length
  }

  /** Containers that all requests need, as many as there may be. */
  get needed(): number {
    const { maxScale, concurrency } = this.route.scaling
    return Math.min(maxScale, Math.ceil((this.total + this.others) / concurrency))
  }

  begin(replica: string, now: number): void {
    this.inFlight += 1
    this.byReplica.set(replica, (this.byReplica.get(replica) ?? 0) + 1)
    this.touch(now)
  }

  end(replica: string, now: number): void {
    this.inFlight -= 1
    const left = (this.byReplica.get(replica) ?? 1) - 1
    if (left > 0) this.byReplica.set(replica, left)
    else this.byReplica.delete(replica)
    this.touch(now)
  }

  beginWaiting(now: number): void {
    this.waiting += 1
    this.touch(now)
  }

  endWaiting(now: number): void {
    this.waiting -= 1
    this.touch(now)
  }

  /** Call it when a request has ended: with an answer, or because its client left. */
  answered(isError: boolean, durationMs: number, queuedMs: number): void {
    this.ended.add(isError, durationMs, queuedMs)
  }

  private touch(now: number): void {
    this.activeAt = now
    this.window.record(this.total, now)
  }

  /** Null when nothing has changed since the last report that was taken. */
  report(now: number): { load: ReportedLoad; text: string } | null {
    const { inFlight, waiting } = this
    if (this.total > 0) this.touch(now)
    const load: ReportedLoad = {
      appEnvId: this.route.appEnvId,
      inFlight,
      waiting,
      peak: Math.max(this.total, this.window.of(now)),
      byReplica: Object.fromEntries(this.byReplica),
      revision: this.route.scaling.revision,
      idleMs: this.activeAt === null ? null : Math.round(now - this.activeAt),
      ended: this.ended.get(),
    }
    // The time alone is news only while there are requests.
    const text = JSON.stringify({ ...load, idleMs: this.total > 0 ? now : this.activeAt })
    return text === this.reported && !load.ended ? null : { load, text }
  }

  wasReported({ load, text }: { load: ReportedLoad; text: string }): void {
    if (load.ended) this.ended.subtract(load.ended)
    this.reported = text
  }
}
