import { Hono } from 'hono'
import { answer, beginRequest, type ServerContext, type ServerEnv } from '../http/context.ts'
import { answerReadiness, type Readiness } from './health.ts'

/** Whether a host is routed, as far as the ingress of this process knows. */
export type KnowsHost = (host: string) => boolean

/** The internal listener: /livez and /readyz, and Caddy's question about hosts if this process runs the ingress. */
export function createHealthServer(readiness: Readiness, knowsHost: KnowsHost | null = null) {
  const draining = new AbortController()
  const app = new Hono<ServerEnv>()
  app.use(beginRequest)
  app.get('/livez', (c) => answer(c, 200, 'ok', { 'Content-Type': 'text/plain; charset=utf-8' }))
  app.get('/readyz', (c) => answerReadiness(c, readiness, draining.signal.aborted))
  if (knowsHost) app.get('/tls/ask', (c) => answerTlsAsk(c, knowsHost))
  return { fetch: app.fetch, drain: () => draining.abort() }
}

/**
 * Caddy asks this before it requests a certificate for a host that a client has named: 200 for a routed host, 404 for
 * any other. On the internal listener only, where no client can try names.
 */
function answerTlsAsk(c: ServerContext, knowsHost: KnowsHost): Response {
  const host = (c.req.query('domain') ?? '').toLowerCase()
  const isKnown = knowsHost(host)
  return answer(c, isKnown ? 200 : 404, isKnown ? 'routed' : 'unknown', { 'Content-Type': 'text/plain; charset=utf-8' })
}
