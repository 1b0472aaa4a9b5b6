import { Counter, Histogram, Registry } from 'prom-client'
import { permit } from '../services/kernel/caller.ts'
import { answer, type ServerContext } from './context.ts'

export interface HttpMetrics {
  registry: Registry
  observe(method: string, route: string, status: number, seconds: number): void
}

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Counts requests by route pattern. Other modules add their own metrics to the same registry. */
export function createHttpMetrics(registry = new Registry()): HttpMetrics {
  const requests = new Counter({
    name: 'berth_http_requests_total',
    help: 'Requests to the API, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'berth_http_request_duration_seconds',
    help: 'Time from a request of the API to its answer.',
    labelNames: ['method', 'route'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  })
  return {
    registry,
    observe(method, route, status, seconds) {
      requests.inc({ method, route, status })
      duration.observe({ method, route }, seconds)
    },
  }
}

/**
 * Prometheus' text format, for the installation's admin only: route names and rates reveal something about every
 * tenant, and behind a proxy "from loopback" would include everybody.
 */
export async function answerMetrics(c: ServerContext, { registry }: HttpMetrics): Promise<Response> {
  permit(c.get('caller'), 'installation:manage', { accountId: null })
  return answer(c, 200, await registry.metrics(), { 'Content-Type': registry.contentType })
}
