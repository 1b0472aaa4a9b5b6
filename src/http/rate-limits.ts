import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../config/config.ts'
import { DomainError } from '../domain/errors.ts'

const WINDOW_SECONDS = 60
/** Several accounts may share an address; all of them together still do not exhaust this process. */
const ACCOUNTS_PER_ADDRESS = 5

export type RateLimitSettings = Pick<
  Config,
  'BERTH_RATE_LIMIT' | 'BERTH_ANONYMOUS_RATE_LIMIT' | 'BERTH_OPERATION_RATE_LIMIT'
>

/** One counted request: the client's budget, and the refusal once it is used up. */
export interface Allowance {
  headers: Record<string, string>
  refusal: DomainError | null
}

export interface RateLimits {
  /** Counts a request of an address, whoever calls. */
  consumeAddress(address: string): Promise<Allowance>
  /** Counts a request without a valid token; introspection counts as several. */
  consumeAnonymous(address: string, points?: number): Promise<Allowance>
  /** Takes back one such count: the token was valid, or nobody could say. */
  returnAnonymous(address: string): Promise<void>
  /** Counts a request of an account. All of its tokens share one budget, and so do both APIs. */
  consumeRequest(account: string): Promise<Allowance>
  /** Counts an operation on an environment. Throws RATE_LIMITED. */
  consumeOperation(appEnvId: string): Promise<void>
}

/** Budgets per minute, kept in memory: each api process has its own. */
export function createRateLimits(config: RateLimitSettings): RateLimits {
  const perAddress = budget('requests from this address', config.BERTH_RATE_LIMIT * ACCOUNTS_PER_ADDRESS)
  const anonymous = budget('requests without a valid token from this address', config.BERTH_ANONYMOUS_RATE_LIMIT)
  const requests = budget('requests of this account', config.BERTH_RATE_LIMIT)
  const operations = new RateLimiterMemory({ points: config.BERTH_OPERATION_RATE_LIMIT, duration: WINDOW_SECONDS })
  return {
    consumeAddress: (address) => perAddress.consume(address, 1),
    consumeAnonymous: (address, points = 1) => anonymous.consume(address, points),
    returnAnonymous: (address) => anonymous.giveBack(address),
    consumeRequest: (account) => requests.consume(account, 1),
    async consumeOperation(appEnvId) {
      const { state, isExceeded } = await consume(operations, appEnvId, 1)
      if (isExceeded) throw rateLimited('TOO_MANY_OPERATIONS', 'operations on this environment', secondsLeft(state))
    },
  }
}

function budget(what: string, points: number) {
  const limiter = new RateLimiterMemory({ points, duration: WINDOW_SECONDS })
  const policy = `"requests";q=${points};w=${WINDOW_SECONDS}`
  const allowance = (state: RateLimiterRes, isExceeded: boolean): Allowance => {
    const seconds = secondsLeft(state)
    return {
      // The fields of draft-ietf-httpapi-ratelimit-headers.
      headers: { 'RateLimit-Policy': policy, RateLimit: `"requests";r=${state.remainingPoints};t=${seconds}` },
      refusal: isExceeded ? rateLimited('TOO_MANY_REQUESTS', what, seconds) : null,
    }
  }
  return {
    async consume(key: string, cost: number): Promise<Allowance> {
      const { state, isExceeded } = await consume(limiter, key, cost)
      return allowance(state, isExceeded)
    },
    async giveBack(key: string): Promise<void> {
      await limiter.reward(key, 1)
    },
  }
}

/** The library reports an exceeded budget by rejecting with its state. */
async function consume(
  limiter: RateLimiterMemory,
  key: string,
  points: number,
): Promise<{ state: RateLimiterRes; isExceeded: boolean }> {
  try {
    return { state: await limiter.consume(key, points), isExceeded: false }
  } catch (rejected) {
    if (rejected instanceof RateLimiterRes) return { state: rejected, isExceeded: true }
    throw rejected
  }
}

const secondsLeft = (state: RateLimiterRes): number => Math.max(1, Math.ceil(state.msBeforeNext / 1000))

const rateLimited = (reason: string, what: string, seconds: number): DomainError =>
  new DomainError('RATE_LIMITED', reason, `Too many ${what}; try again in ${seconds} s`, { retryAfterSeconds: seconds })
