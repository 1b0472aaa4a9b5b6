import { Hono } from 'hono'
import { answer, beginRequest, type ServerEnv } from './context.ts'
import { answerReadiness, type Readiness } from './health.ts'

/** /livez and /readyz alone, for a process that serves no API. */
export function createHealthServer(readiness: Readiness) {
  const draining = new AbortController()
  const app = new Hono<ServerEnv>()
  app.use(beginRequest)
  app.get('/livez', (c) => answer(c, 200, 'ok', { 'Content-Type': 'text/plain; charset=utf-8' }))
  app.get('/readyz', (c) => answerReadiness(c, readiness, draining.signal.aborted))
  return { fetch: app.fetch, drain: () => draining.abort() }
}
