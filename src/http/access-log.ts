import type { Logger } from 'pino'
import type { ServerMiddleware } from './context.ts'
import type { HttpMetrics } from './http-metrics.ts'

/** Successful reads are most of the traffic and the least interesting: they are counted, and logged only at debug. */
const isQuiet = (method: string, status: number): boolean => status < 400 && (method === 'GET' || method === 'HEAD')

/** One line a request, without query, headers or body: nothing in it can hold a secret. */
export function logAccess(log: Logger, metrics: HttpMetrics): ServerMiddleware {
  const logsQuietly = log.isLevelEnabled('debug')
  return async (c, next) => {
    const started = performance.now()
    await next()
    const ms = performance.now() - started
    const { method } = c.req
    const { status } = c.res
    metrics.observe(method, c.get('route') ?? 'other', status, ms / 1000)
    const quiet = isQuiet(method, status)
    if (quiet && !logsQuietly) return
    const { requestId, tokenId, tool, failure } = c.var
    const line = { method, path: c.req.path, status, ms: Math.round(ms * 10) / 10, requestId, tokenId, tool }
    if (status >= 500) log.error({ ...line, err: failure }, 'request failed')
    else if (quiet) log.debug(line, 'request')
    else log.info(line, 'request')
  }
}
