/** Longer documents are parsed anew each time: what strangers send must not fill the memory. */
const MAX_KEY_LENGTH = 10_000
const MAX_ENTRIES = 500

interface Cache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
}

/** The documents used last. Small on purpose: real clients send a few documents again and again. */
export function createDocumentCache<Value>(): Cache<Value> {
  const entries = new Map<string, Value>()
  return {
    get(key) {
      if (key.length > MAX_KEY_LENGTH) return undefined
      return entries.get(key)
    },
    set(key, value) {
      if (key.length > MAX_KEY_LENGTH) return
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= MAX_ENTRIES) return
      // Maps keep the order of insertion: the first is the one that was parsed longest ago.
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        break
      }
    },
  }
}

/** Broken documents are not worth keeping. */
export const noCache: Cache<never> = { get: () => undefined, set: () => {} }
