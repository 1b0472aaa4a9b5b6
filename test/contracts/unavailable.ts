import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'

export const UNAVAILABLE = { code: 'RUNTIME_UNAVAILABLE' }

/** Far longer than a call with a deadline of a second takes, also on a busy machine; shorter than any other deadline. */
const TOO_LATE_MS = 20_000

/** Makes all calls at once; each must find the engine unavailable, and end at the deadline of a second that it was given. */
export async function expectUnavailable(calls: Record<string, () => Promise<unknown>>): Promise<void> {
  const outcomes = Object.entries(calls).map(async ([name, call]) => {
    const outcome = call().then(
      () => 'no error',
      (reason: unknown) => reason,
    )
    const tooLate = pause(TOO_LATE_MS, 'does not end', { ref: false })
    expect(await Promise.race([outcome, tooLate]), name).toMatchObject(UNAVAILABLE)
  })
  await Promise.all(outcomes)
}
