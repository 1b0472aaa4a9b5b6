import type { Permission } from '../domain/permissions.ts'
import type { Caller } from './caller.ts'

/** How long another process's revocation can go unnoticed here. Revocations of this process take effect at once. */
const KEPT_MS = 500
const MAX_CALLERS = 10_000

/** Almost all writes are of these kinds, and they change neither tokens nor memberships. */
const LEAVES_CALLERS_ALONE: ReadonlySet<Permission> = new Set(['app:change', 'appEnv:change', 'appEnv:operate'])

interface Known {
  caller: Promise<Caller>
  /** On the monotonic clock: one that is set back must not keep a revoked token valid. */
  until: number
}

export interface Found {
  caller: Caller
  /** Until the token expires, by the database's clock; null for never. */
  remainingMs: number | null
}

/**
 * Caches callers by token for half a second: a client that sends a hundred requests a second costs two queries. Every
 * write of this process that could change a caller clears the cache.
 */
export class CallerCache {
  readonly #known = new Map<string, Known>()

  /** Finds the caller by the hash of their token, or loads them; refusals are not cached. */
  get(hash: string, lookUp: () => Promise<Found>): Promise<Caller> {
    const known = this.#known.get(hash)
    if (known && known.until > performance.now()) return known.caller
    const since = performance.now()
    const until = since + KEPT_MS
    const looking = lookUp()
    const entry: Known = { until, caller: looking.then(({ caller }) => caller) }
    looking.then(
      ({ remainingMs }) => {
        if (remainingMs !== null) entry.until = Math.min(until, since + remainingMs)
      },
      () => {
        if (this.#known.get(hash) === entry) this.#known.delete(hash)
      },
    )
    if (this.#known.size >= MAX_CALLERS) this.#known.clear()
    this.#known.set(hash, entry)
    return entry.caller
  }

  /** Call it after every write, successful or not. A load in progress is not cached either. */
  clearAfter({ permission }: { permission: Permission }): void {
    if (!LEAVES_CALLERS_ALONE.has(permission)) this.#known.clear()
  }
}
