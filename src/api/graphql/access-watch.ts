import type { Caller } from '../../calls/caller.ts'

/** Revocation ends live subscriptions within 5 s (contract §1); this leaves time for the check itself. */
const CHECK_MS = 3_000

/** Called with the current caller, or with the reason why there is none any more. */
type OnCheck = (present: Caller | null, refusal: unknown) => void

export interface AccessWatch {
  /** Checks every few seconds, once for all who watch the same token. Returns how to stop. */
  watch(authorization: string | null, onCheck: OnCheck): () => void
  close(): void
}

type Authenticate = (authorization: string) => Promise<Caller>

/** Checks again and again whether connected callers still have access. */
export function createAccessWatch(authenticate: Authenticate): AccessWatch {
  const watchers = new Map<string, Set<OnCheck>>()
  const timer = setInterval(() => {
    for (const [authorization, callbacks] of watchers) void check(authorization, callbacks)
  }, CHECK_MS).unref()

  async function check(authorization: string, callbacks: ReadonlySet<OnCheck>): Promise<void> {
    try {
      const caller = await authenticate(authorization)
      for (const onCheck of [...callbacks]) onCheck(caller, null)
    } catch (error) {
      // An unreachable database revokes nothing: the next check that reaches it decides.
      if ((error as { code?: string }).code !== 'UNAUTHENTICATED') return
      for (const onCheck of [...callbacks]) onCheck(null, error)
    }
  }

  return {
    watch(authorization, onCheck) {
      const key = authorization ?? ''
      const callbacks = watchers.get(key) ?? new Set()
      watchers.set(key, callbacks.add(onCheck))
      return () => {
        callbacks.delete(onCheck)
        if (callbacks.size === 0 && watchers.get(key) === callbacks) watchers.delete(key)
      }
    },
    close: () => clearInterval(timer),
  }
}
