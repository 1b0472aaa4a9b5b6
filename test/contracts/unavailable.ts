import { expect } from 'vitest'

export const UNAVAILABLE = { code: 'RUNTIME_UNAVAILABLE' }

/** Makes all calls at once; each must find the engine unavailable, and none may take longer than its second. */
export async function expectUnavailable(calls: Record<string, () => Promise<unknown>>): Promise<void> {
  const begin = performance.now()
  const outcomes = Object.entries(calls).map(async ([name, call]) => {
    const error = await call().then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error, name).toMatchObject(UNAVAILABLE)
    expect(performance.now() - begin, name).toBeLessThan(2500)
  })
  await Promise.all(outcomes)
}
