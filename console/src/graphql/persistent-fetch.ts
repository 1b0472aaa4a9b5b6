/** Pauses before a request is sent again that got no answer at all. */
export const PAUSES_MS = [200, 700, 1_500]

/**
 * As `fetch`, but a request that got no answer is sent again: Chromium drops what is open whenever a network interface of
 * the machine changes, and each container that starts on it makes one. Reads may be repeated, and writes have a key that
 * lets them happen once.
 */
export const persistentFetch: typeof fetch = async (input, init) => {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await fetch(input, init)
    } catch (error) {
      if (init?.signal?.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  return fetch(input, init)
}
