import type { Caller } from '../services/caller.ts'
import type { Services } from '../services/services.ts'

/** Revocation ends live subscriptions within 5 s (contract §1); this leaves a second for the look itself. */
const LOOK_AGAIN_MS = 4_000

/** Told who the caller is now, or why they are nobody any more. */
type OnLook = (present: Caller | null, refusal: unknown) => void

export interface AccessWatch {
  /** Who is calling. Calls with one token share a look-up, but never one that began before they came. */
  authenticate(authorization: string | null): Promise<Caller>
  /** Looks again every few seconds, once for all who watch the same token. Returns how to stop. */
  watch(authorization: string | null, onLook: OnLook): () => void
  close(): void
}

/** Keeps an eye on whether those who are connected may still be. */
export function createAccessWatch(services: Pick<Services, 'authenticate'>): AccessWatch {
  const watchers = new Map<string, Set<OnLook>>()
  const { authenticate } = sharedLookups(services)
  const timer = setInterval(() => {
    for (const [authorization, callbacks] of watchers) void look(authorization, callbacks)
  }, LOOK_AGAIN_MS).unref()

  async function look(authorization: string, callbacks: ReadonlySet<OnLook>): Promise<void> {
    try {
      const caller = await authenticate(authorization)
      for (const onLook of [...callbacks]) onLook(caller, null)
    } catch (error) {
      // A database that is away revokes nothing: the look after it is back decides.
      if ((error as { code?: string }).code !== 'UNAUTHENTICATED') return
      for (const onLook of [...callbacks]) onLook(null, error)
    }
  }

  return {
    authenticate,
    watch(authorization, onLook) {
      const key = authorization ?? ''
      const callbacks = watchers.get(key) ?? new Set()
      watchers.set(key, callbacks.add(onLook))
      return () => {
        callbacks.delete(onLook)
        if (callbacks.size === 0 && watchers.get(key) === callbacks) watchers.delete(key)
      }
    },
    close: () => clearInterval(timer),
  }
}

/**
 * Under load the same tokens come again and again. At most one look-up of a token is under way; those who come
 * meanwhile share the next. So nobody is let in by a look that is older than their own request.
 */
function sharedLookups(services: Pick<Services, 'authenticate'>) {
  const underWay = new Map<string, Promise<unknown>>()
  const next = new Map<string, Promise<Caller>>()

  async function lookUp(authorization: string | null, key: string): Promise<Caller> {
    await underWay.get(key)
    next.delete(key)
    const looking = services.authenticate(authorization)
    const settled = looking.then(
      () => {},
      () => {},
    )
    underWay.set(key, settled)
    void settled.then(() => underWay.get(key) === settled && underWay.delete(key))
    return looking
  }

  return {
    authenticate(authorization: string | null): Promise<Caller> {
      const key = authorization ?? ''
      const shared = next.get(key) ?? lookUp(authorization, key)
      if (!next.has(key)) next.set(key, shared)
      return shared
    },
  }
}
