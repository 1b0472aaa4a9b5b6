import type { Permission } from '../../domain/permissions.ts'
import type { Caller } from './caller.ts'

/** How long another process's revocation can go unnoticed here. Revocations of this process count at once. */
const KEPT_MS = 500
const MAX_CALLERS = 10_000

/** Writes of these kinds, which are nearly all, change neither tokens nor memberships. */
const LEAVES_CALLERS_ALONE: ReadonlySet<Permission> = new Set(['app:change', 'appEnv:change', 'appEnv:operate'])

interface Known {
  caller: Promise<Caller>
  until: number
}

/**
 * Who tokens belong to, for half a second: a client that calls a hundred times a second is looked up twice.
 * Every write of this process that could change a caller forgets them all.
 */
export class CallerCache {
  readonly #known = new Map<string, Known>()

  /** Finds the caller by the hash of their token, or looks them up; refusals are not kept. */
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

  /** To be called when a write has ended, however it ended. A look-up under way is not kept either. */
  forgetAfter({ permission }: { permission: Permission }): void {
    if (!LEAVES_CALLERS_ALONE.has(permission)) this.#known.clear()
  }
}
