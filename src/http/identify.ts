import type { Services } from '../services/services.ts'
import { addressOf, type ServerContext, type ServerMiddleware } from './context.ts'
import type { RateLimits } from './rate-limits.ts'

interface Identification {
  services: Pick<Services, 'authenticate'>
  limits: RateLimits
  /** False: requests without a valid token pass too, and the API decides what to answer (GraphiQL needs no token). */
  isRequired: boolean
}

/** Authenticates the caller and counts the request, by its token or, without a valid one, by its address. */
export function identify({ services, limits, isRequired }: Identification): ServerMiddleware {
  return async (c, next) => {
    try {
      const caller = await services.authenticate(c.req.header('authorization'))
      c.set('caller', caller)
      c.set('tokenId', caller.tokenId)
    } catch (error) {
      await count(c, limits, addressOf(c))
      if (isRequired) throw error
      return next()
    }
    await count(c, limits, c.get('caller').tokenId)
    return next()
  }
}

async function count(c: ServerContext, limits: RateLimits, key: string): Promise<void> {
  const { headers, refusal } = await limits.consumeRequest(key)
  Object.assign(c.get('headers'), headers)
  if (refusal) throw refusal
}
