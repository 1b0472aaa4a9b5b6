import type { ServerMiddleware } from './context.ts'
import { refuseLength } from './json-body.ts'

/** Refuses bodies whose declared length is over the limit, whether anybody would read them or not. */
export const limitBody =
  (limitKb: number): ServerMiddleware =>
  (c, next) => {
    refuseLength(c.req.header('content-length'), limitKb)
    return next()
  }
