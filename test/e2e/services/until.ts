import { setTimeout as pause } from 'node:timers/promises'

const PAUSE_MS = 200
/** A bound on a hang, not a measure. */
const USUAL_SECONDS = 120

/** Reads until the condition holds; fails with the last value. An error of a read is a value that does not hold. */
export async function until<T>(
  what: string,
  read: () => Promise<T>,
  holds: (seen: T) => boolean,
  seconds = USUAL_SECONDS,
): Promise<T> {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const seen = await read().catch((error: Error) => error)
    if (!(seen instanceof Error) && holds(seen)) return seen
    if (Date.now() > end) {
      const last = seen instanceof Error ? seen.message : JSON.stringify(seen)
      throw new Error(`${what}: not within ${seconds} s; last seen: ${last.slice(0, 1000)}`)
    }
    await pause(PAUSE_MS)
  }
}
