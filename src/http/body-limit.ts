import type { ServerMiddleware } from './context.ts'
import { refuseLength } from './json-body.ts'

/** Refuses bodies whose declared length is over the limit, even if no handler would read them. */
export const limitBody =
  (limitKb: number): ServerMiddleware =>
  (c, next) => {
    refuseLength(c.req.header('content-length'), limitKb)
    return next()
  }
