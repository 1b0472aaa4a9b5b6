import { createHash, timingSafeEqual } from 'node:crypto'
import type { Handler } from 'hono'
import { Counter, Histogram, Registry } from 'prom-client'
import { permit } from '../../calls/caller.ts'
import { DomainError } from '../../domain/errors.ts'
import { answer, type ServerEnv, type ServerMiddleware } from './context.ts'

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

/** How long a reader is known without the database, in which tokens are. */
const REMEMBERED_MS = 15 * 60_000

/**
 * Prometheus' text format, for the installation's admin only: route names and rates reveal something about every
 * tenant, and behind a proxy "from loopback" would include every client. While the database is away, when metrics are
 * needed most, the token that read them last may go on.
 */
export function serveMetrics({ registry }: HttpMetrics, identified: ServerMiddleware): Handler<ServerEnv> {
  let known: { digest: Buffer; until: number } | null = null
  return async (c) => {
    const digest = createHash('sha256')
      .update(c.req.header('authorization') ?? '')
      .digest()
    try {
      await identified(c, async () => {})
      permit(c.get('caller'), 'installation:manage', { accountId: null })
      known = c.req.header('authorization') ? { digest, until: performance.now() + REMEMBERED_MS } : null
    } catch (error) {
      const isKnown = known !== null && known.until > performance.now() && timingSafeEqual(known.digest, digest)
      if (!isKnown || !(error instanceof DomainError && error.code === 'UNAVAILABLE')) throw error
    }
    return answer(c, 200, await registry.metrics(), { 'Content-Type': registry.contentType })
  }
}
