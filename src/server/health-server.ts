import { Hono } from 'hono'
import { answer, beginRequest, type ServerEnv } from '../http/context.ts'
import { answerReadiness, type Readiness } from './health.ts'
import { answerTlsAsk, type KnowsHost } from './tls-ask.ts'

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
