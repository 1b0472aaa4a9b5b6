import type { Permission } from '../../domain/permissions.ts'
import type { Caller } from './caller.ts'

/** How long another process's revocation can go unnoticed here. Revocations of this process take effect at once. */
const KEPT_MS = 500
const MAX_CALLERS = 10_000

/** Almost all writes are of these kinds, and they change neither tokens nor memberships. */
const LEAVES_CALLERS_ALONE: ReadonlySet<Permission> = new Set(['app:change', 'appEnv:change', 'appEnv:operate'])

interface Known {
  caller: Promise<Caller>
  until: number
}

/**
 * Caches callers by token for half a second: a client that sends a hundred requests a second costs two queries. Every
 * write of this process that could change a caller clears the cache.
 */
export class CallerCache {
  readonly #known = new Map<string, Known>()

  /** Finds the caller by the hash of their token, or loads them; refusals are not cached. */
  get(hash: string, lookUp: () => Promise<{ caller: Caller; expiresAt: Date | null }>): Promise<Caller> {
    const known = this.#known.get(hash)
    if (known && known.until > Date.now()) return known.caller
    const until = Date.now() + KEPT_MS
    const looking = lookUp()
    const entry: Known = { until, caller: looking.then(({ caller }) => caller) }
    looking.then(
      ({ expiresAt }) => {
        if (expiresAt) entry.until = Math.min(until, expiresAt.getTime())
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
