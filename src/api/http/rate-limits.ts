import type { Config } from '../../config/config.ts'
import { DomainError } from '../../domain/errors.ts'
import { type Consumed, SharedBudget, type SharedCounts } from './shared-budget.ts'

const WINDOW_SECONDS = 60
/** Several accounts may share an address; all of them together still do not exhaust this process. */
const ACCOUNTS_PER_ADDRESS = 5

export type RateLimitSettings = Pick<
  Config,
  | 'BERTH_RATE_LIMIT'
  | 'BERTH_ANONYMOUS_RATE_LIMIT'
  | 'BERTH_OPERATION_RATE_LIMIT'
  | 'BERTH_REGISTRY_LOGIN_RATE_LIMIT'
  | 'BERTH_LOOKUP_RATE_LIMIT'
>

/** One counted request: the client's budget, and the refusal once it is used up. */
export interface Allowance {
  headers: Record<string, string>
  refusal: DomainError | null
}

export interface RateLimits {
  /** Counts a request of an address, of any caller. */
  consumeAddress(address: string): Promise<Allowance>
  /** Counts a request without a valid token; introspection counts as several. */
  consumeAnonymous(address: string, points?: number): Promise<Allowance>
  /** Takes back one such count: the token was valid, or could not be checked. */
  returnAnonymous(address: string): Promise<void>
  /** Counts a request of an account. All of its tokens share one budget, and so do both APIs. */
  consumeRequest(account: string): Promise<Allowance>
  /** Counts an operation on an environment. Throws RATE_LIMITED. */
  consumeOperation(appEnvId: string): Promise<void>
  /** Counts a login that is tried at a registry for an account. Throws RATE_LIMITED. */
  consumeLogin(accountId: string): Promise<void>
  /** Counts a read for which other machines are asked. Throws RATE_LIMITED. */
  consumeLookup(accountId: string): Promise<void>
}

/** Budgets per minute, which all processes with the same counts share. Without counts, this process counts alone. */
export function createRateLimits(config: RateLimitSettings, counts: SharedCounts | null = null): RateLimits {
  const { BERTH_RATE_LIMIT: limit, BERTH_ANONYMOUS_RATE_LIMIT: anonymousLimit } = config
  const perAddress = budget('requests from this address', limit * ACCOUNTS_PER_ADDRESS, within('address', counts))
  const anonymous = budget(
    'requests without a valid token from this address',
    anonymousLimit,
    within('anonymous', counts),
  )
  const requests = budget('requests of this account', limit, within('account', counts))
  const operations = new SharedBudget(config.BERTH_OPERATION_RATE_LIMIT, within('operation', counts))
  const logins = new SharedBudget(config.BERTH_REGISTRY_LOGIN_RATE_LIMIT, within('login', counts))
  const lookups = new SharedBudget(config.BERTH_LOOKUP_RATE_LIMIT, within('lookup', counts))
  return {
    consumeAddress: (address) => perAddress.consume(address, 1),
    consumeAnonymous: (address, points = 1) => anonymous.consume(address, points),
    returnAnonymous: async (address) => anonymous.giveBack(address),
    consumeRequest: (account) => requests.consume(account, 1),
    async consumeOperation(appEnvId) {
      const { isExceeded, secondsLeft } = await operations.consume(appEnvId, 1)
      if (isExceeded) throw rateLimited('TOO_MANY_OPERATIONS', 'operations on this environment', secondsLeft)
    },
    async consumeLogin(accountId) {
      const { isExceeded, secondsLeft } = await logins.consume(accountId, 1)
      if (isExceeded) throw rateLimited('TOO_MANY_LOGINS', 'logins tried at registries for this account', secondsLeft)
    },
    async consumeLookup(accountId) {
      const { isExceeded, secondsLeft } = await lookups.consume(accountId, 1)
      if (isExceeded)
        throw rateLimited('TOO_MANY_LOOKUPS', 'reads of this account that ask DNS or git hosts', secondsLeft)
    },
  }
}

/** The counts of one budget: the keys of two may be alike. */
const within = (name: string, counts: SharedCounts | null): SharedCounts | null =>
  counts && { add: (key, points) => counts.add(`${name} ${key}`, points) }

function budget(what: string, points: number, counts: SharedCounts | null) {
  const shared = new SharedBudget(points, counts)
  const policy = `"requests";q=${points};w=${WINDOW_SECONDS}`
  const allowance = ({ isExceeded, remaining, secondsLeft }: Consumed): Allowance => ({
    // The fields of draft-ietf-httpapi-ratelimit-headers.
    headers: { 'RateLimit-Policy': policy, RateLimit: `"requests";r=${remaining};t=${secondsLeft}` },
    refusal: isExceeded ? rateLimited('TOO_MANY_REQUESTS', what, secondsLeft) : null,
  })
  return {
    consume: async (key: string, cost: number): Promise<Allowance> => allowance(await shared.consume(key, cost)),
    giveBack: (key: string): void => shared.giveBack(key, 1),
  }
}

const rateLimited = (reason: string, what: string, seconds: number): DomainError =>
  new DomainError('RATE_LIMITED', reason, `Too many ${what}; try again in ${seconds} s`, { retryAfterSeconds: seconds })
