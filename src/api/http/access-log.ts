import type { Logger } from 'pino'
import type { ServerEnv, ServerMiddleware } from './context.ts'
import type { HttpMetrics } from './http-metrics.ts'

type Known = Pick<ServerEnv['Variables'], 'requestId' | 'tokenId' | 'tool' | 'failure' | 'route'>

export interface Access extends Partial<Known> {
  method: string
  path: string
  status: number
  /** When the request came, by `performance.now()`. */
  started: number
  /** A read that succeeded. */
  isQuiet: boolean
}

export type RecordAccess = (access: Access) => void

/**
 * Counts requests, and logs one line for each, without query, headers or body: nothing in it can hold a secret.
 * Successful reads are most of the traffic and the least interesting: they are counted, and logged only at debug.
 */
export function accessRecorder(log: Logger, metrics: HttpMetrics): RecordAccess {
  const logsQuietly = log.isLevelEnabled('debug')
  return ({ method, path, status, started, isQuiet, route, requestId, tokenId, tool, failure }) => {
    const ms = performance.now() - started
    metrics.observe(method, route ?? 'other', status, ms / 1000)
    if (isQuiet && !logsQuietly) return
    const line = { method, path, status, ms: Math.round(ms * 10) / 10, requestId, tokenId, tool }
    if (status >= 500) log.error({ ...line, err: failure }, 'request failed')
    else if (isQuiet) log.debug(line, 'request')
    else log.info(line, 'request')
  }
}

export const logAccess =
  (record: RecordAccess): ServerMiddleware =>
  async (c, next) => {
    const started = performance.now()
    await next()
    const { method, path } = c.req
    const { status } = c.res
    const isQuiet = status < 400 && (method === 'GET' || method === 'HEAD')
    record({ ...c.var, method, path, status, started, isQuiet })
  }
