import { bodyLimit } from 'hono/body-limit'
import { DomainError } from '../domain/errors.ts'
import type { ServerMiddleware } from './context.ts'

/** Refuses bodies over the limit: by their declared length, or while a stream of unknown length is read. */
export function limitBody(limitKb: number): ServerMiddleware {
  const maxSize = limitKb * 1024
  const refuse = (): never => {
    throw new DomainError('PAYLOAD_TOO_LARGE', undefined, `A request body may have at most ${limitKb} KB`)
  }
  const limitStream = bodyLimit({ maxSize, onError: refuse })
  return (c, next) => {
    const length = c.req.header('content-length')
    const hasNoBody = length === undefined && (c.req.method === 'GET' || c.req.method === 'HEAD')
    if (hasNoBody) return next()
    // Node reads no further than a declared length, so that there is nothing to count.
    if (length === undefined || c.req.header('transfer-encoding')) return limitStream(c, next)
    return Number(length) > maxSize ? refuse() : next()
  }
}
