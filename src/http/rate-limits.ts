import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../config/config.ts'
import { DomainError } from '../domain/errors.ts'

const WINDOW_SECONDS = 60

/** One counted request: the client's budget, and the refusal once it is used up. */
export interface Allowance {
  headers: Record<string, string>
  refusal: DomainError | null
}

export interface RateLimits {
  /** Counts an API request of a token, or of an address without one. Both APIs share one budget. */
  consumeRequest(key: string): Promise<Allowance>
  /** Counts an operation on an environment. Throws RATE_LIMITED. */
  consumeOperation(appEnvId: string): Promise<void>
}

/** Budgets per minute, kept in memory: each api process has its own. */
export function createRateLimits(config: Pick<Config, 'BERTH_RATE_LIMIT' | 'BERTH_OPERATION_RATE_LIMIT'>): RateLimits {
  const requests = new RateLimiterMemory({ points: config.BERTH_RATE_LIMIT, duration: WINDOW_SECONDS })
  const operations = new RateLimiterMemory({ points: config.BERTH_OPERATION_RATE_LIMIT, duration: WINDOW_SECONDS })
  const policy = `"requests";q=${config.BERTH_RATE_LIMIT};w=${WINDOW_SECONDS}`
  return {
    async consumeRequest(key) {
      const { state, isExceeded } = await consume(requests, key)
      const seconds = secondsLeft(state)
      return {
        // The fields of draft-ietf-httpapi-ratelimit-headers.
        headers: { 'RateLimit-Policy': policy, RateLimit: `"requests";r=${state.remainingPoints};t=${seconds}` },
        refusal: isExceeded ? rateLimited('TOO_MANY_REQUESTS', 'requests with this token', seconds) : null,
      }
    },
    async consumeOperation(appEnvId) {
      const { state, isExceeded } = await consume(operations, appEnvId)
      if (isExceeded) throw rateLimited('TOO_MANY_OPERATIONS', 'operations on this environment', secondsLeft(state))
    },
  }
}

/** The library reports an exceeded budget by rejecting with its state. */
async function consume(
  limiter: RateLimiterMemory,
  key: string,
): Promise<{ state: RateLimiterRes; isExceeded: boolean }> {
  try {
    return { state: await limiter.consume(key), isExceeded: false }
  } catch (rejected) {
    if (rejected instanceof RateLimiterRes) return { state: rejected, isExceeded: true }
    throw rejected
  }
}

const secondsLeft = (state: RateLimiterRes): number => Math.max(1, Math.ceil(state.msBeforeNext / 1000))

const rateLimited = (reason: string, what: string, seconds: number): DomainError =>
  new DomainError('RATE_LIMITED', reason, `Too many ${what}; try again in ${seconds} s`, { retryAfterSeconds: seconds })
