import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

const BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Metrics of the ingress. Series are created once, not for each request. */
export class IngressMetrics {
  private readonly byClass: Counter.Internal[]
  private readonly aborted: Counter.Internal
  private readonly retries: Counter
  private readonly latency: Histogram
  private readonly problems: Counter<'code'>

  /** `ongoing` are the requests and tunnels under way, `waiting` those of them that wait for room at their app. */
  constructor(registry: Registry, ongoing: { readonly size: number }, waiting: { readonly size: number }) {
    const registers = [registry]
    const requests = new Counter({
      name: 'berth_ingress_requests_total',
      help: 'Requests to deployed apps by class of status; "aborted" when the client left before the answer ended.',
      labelNames: ['status'],
      registers,
    })
    this.byClass = ['1xx', '2xx', '3xx', '4xx', '5xx'].map((status) => requests.labels(status))
    this.aborted = requests.labels('aborted')
    this.retries = new Counter({
      name: 'berth_ingress_upstream_retries_total',
      help: 'Requests sent to another replica, or on another connection, because the first failed.',
      registers,
    })
    this.problems = new Counter({
      name: 'berth_ingress_problems_total',
      help: 'Answers of the ingress itself, by code.',
      labelNames: ['code'],
      registers,
    })
    this.latency = new Histogram({
      name: 'berth_ingress_request_seconds',
      help: 'Time from the head of a request to the end of its answer.',
      buckets: BUCKETS_SECONDS,
      registers,
    })
    new Gauge({
      name: 'berth_ingress_requests_active',
      help: 'Requests and tunnels under way.',
      registers,
      collect() {
        this.set(ongoing.size)
      },
    })
    new Gauge({
      name: 'berth_ingress_requests_waiting',
      help: 'Requests that wait because their app, or this process, has as many connections as it may.',
      registers,
      collect() {
        this.set(waiting.size)
      },
    })
  }

  /** Null: the client left before. */
  ended(status: number | null, seconds: number): void {
    if (status === null) this.aborted.inc()
    else {
      this.byClass[Math.floor(status / 100) - 1]?.inc()
      this.latency.observe(seconds)
    }
  }

  retried(): void {
    this.retries.inc()
  }

  refused(code: string): void {
    this.problems.inc({ code })
  }
}
