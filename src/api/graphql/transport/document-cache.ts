/** Longer documents are not cached: documents from unknown clients must not fill the memory. */
const MAX_KEY_LENGTH = 10_000
const MAX_ENTRIES = 500

export interface Cache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
}

/** The most recently used documents. Small on purpose: real clients send a few documents again and again. */
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
      // Maps keep the order of insertion: the first document is the least recently used.
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        break
      }
    },
  }
}

/** Invalid documents are not worth keeping. */
export const noCache: Cache<never> = { get: () => undefined, set: () => {} }
