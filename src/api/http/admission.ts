import { presentedHash } from '../../calls/authenticate.ts'
import type { Caller } from '../../calls/caller.ts'
import { DomainError } from '../../domain/errors.ts'
import { networkOf } from '../../domain/trusted-proxies.ts'
import type { Services } from '../../services/services.ts'
import type { RateLimits } from './rate-limits.ts'

/** What is known of a request before anything is looked up. */
export interface Arriving {
  /** Of the client, as far as trusted proxies say. */
  address: string
  authorization: string | null | undefined
}

export interface ArrivingHook {
  address: string
  /** Null: the hook of the GitHub App, which has no secret path. */
  hook: string | null
}

export interface Admitted {
  /** Null without a valid token. */
  caller: Caller | null
  /** Why there is no caller. */
  refusal: unknown
  /** What is left of the budget that the request was counted in. */
  headers: Record<string, string>
}

export interface Admission {
  /** Counts a request and authenticates its caller. Throws RATE_LIMITED. */
  admit(request: Arriving): Promise<Admitted>
  /** Counts a connection that has not said yet who calls. Throws RATE_LIMITED. */
  admitAddress(address: string): Promise<void>
  /**
   * Counts a request to a hook, which `find` looks for: as one without a valid token until it is found, and then for the
   * hook, so that what others send from an address of a git host keeps no delivery out. Throws RATE_LIMITED.
   */
  admitHook<Found>(request: ArrivingHook, find: () => Promise<Found | null>): Promise<Found | null>
  /** Counts work that a caller without a token asks for, in requests. Throws RATE_LIMITED. */
  chargeAnonymous(address: string, requests: number): Promise<void>
}

// Tokens whose account is known, so that a used-up budget is noticed without the database.
const MAX_KNOWN = 10_000

type Authenticate = Services['authenticate']

/**
 * Counts every request before the database is asked for anything: by address, and by the account of a token that was
 * valid a moment ago. Refused requests cost the database nothing, and callers whose token is known get their answers,
 * however many unknown tokens others try from the same address.
 */
export function createAdmission(authenticate: Authenticate, limits: RateLimits): Admission {
  /** Account by hash of the token. */
  const known = new Map<string, string>()

  const knownHooks = new Set<string>()

  function rememberHook(hook: string): void {
    if (knownHooks.size >= MAX_KNOWN) knownHooks.clear()
    knownHooks.add(hook)
  }

  async function admitUnknown(request: Arriving, network: string, hash: string | null): Promise<Admitted> {
    // Counted as invalid until it has turned out not to be: many at once must not pass before the first is counted.
    const headers = spend(await limits.consumeAnonymous(hash === null ? network : invalidOf(network)))
    const { caller, refusal } = await callerOf(request, hash)
    if (hash === null || isUnauthenticated(refusal)) return { caller: null, refusal, headers }
    await limits.returnAnonymous(invalidOf(network))
    // An outage is no failure of the caller's.
    if (!caller) return { caller, refusal, headers }
    const account = accountOf(caller)
    remember(hash, account)
    return { caller, refusal: null, headers: spend(await limits.consumeRequest(account)) }
  }

  async function admitKnown(request: Arriving, network: string, hash: string, account: string): Promise<Admitted> {
    const headers = spend(await limits.consumeRequest(account))
    const { caller, refusal } = await callerOf(request, hash)
    if (caller) remember(hash, accountOf(caller))
    else if (isUnauthenticated(refusal)) {
      known.delete(hash)
      spend(await limits.consumeAnonymous(invalidOf(network)))
    }
    return { caller, refusal, headers }
  }

  async function callerOf(
    { authorization }: Arriving,
    hash: string | null,
  ): Promise<Pick<Admitted, 'caller' | 'refusal'>> {
    try {
      return { caller: await authenticate(authorization, hash), refusal: null }
    } catch (refusal) {
      return { caller: null, refusal }
    }
  }

  function remember(hash: string, account: string): void {
    if (known.size >= MAX_KNOWN && !known.has(hash)) known.clear()
    known.set(hash, account)
  }

  return {
    async admit(request) {
      const network = networkOf(request.address)
      spend(await limits.consumeAddress(network))
      const hash = presentedHash(request.authorization)
      const account = hash === null ? undefined : known.get(hash)
      if (hash === null || account === undefined) return admitUnknown(request, network, hash)
      return admitKnown(request, network, hash, account)
    },
    async admitAddress(address) {
      spend(await limits.consumeAddress(networkOf(address)))
    },
    async admitHook({ address, hook }, find) {
      const network = networkOf(address)
      spend(await limits.consumeAddress(network))
      if (hook === null) return find()
      const isKnown = knownHooks.has(hook)
      if (!isKnown) spend(await limits.consumeAnonymous(invalidOf(network)))
      else spend(await limits.consumeRequest(`hook ${hook}`))
      const found = await find()
      if (found === null) knownHooks.delete(hook)
      else if (!isKnown) {
        await limits.returnAnonymous(invalidOf(network))
        rememberHook(hook)
      }
      return found
    },
    async chargeAnonymous(address, requests) {
      if (requests > 0) spend(await limits.consumeAnonymous(networkOf(address), requests))
    },
  }
}

/** Invalid tokens have a budget of their own, so that they cannot use up the one for requests without a token. */
const invalidOf = (network: string) => `invalid ${network}`

/** The budget's headers; throws when it is used up. */
function spend({ headers, refusal }: Awaited<ReturnType<RateLimits['consumeRequest']>>): Record<string, string> {
  if (refusal) throw new RateLimited(refusal, headers)
  return headers
}

/** A refusal, with the budget that it is about. */
export class RateLimited extends DomainError {
  readonly headers: Record<string, string>

  constructor({ code, reason, message, details }: DomainError, headers: Record<string, string>) {
    super(code, reason, message, details)
    this.headers = headers
  }
}

const isUnauthenticated = (refusal: unknown) => refusal instanceof DomainError && refusal.code === 'UNAUTHENTICATED'

/** The budget that a caller's requests count in: one for all tokens of an account. */
const accountOf = ({ accountId, currentAccountId, userId, tokenId }: Caller): string =>
  accountId ?? currentAccountId ?? userId ?? tokenId
