import { expect, test } from 'vitest'
import { backoff, withJitter } from '../../src/domain/backoff.ts'

test('the pause doubles with each failure, up to the longest', () => {
  const pauses = [0, 1, 2, 3, 4, 1_000_000].map((failures) => backoff({ first: 10, max: 100 }, failures))
  expect(pauses).toEqual([10, 20, 40, 80, 100, 100])
})

test('jitter subtracts at most a half', () => {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const pause = withJitter(60)
    expect(pause).toBeGreaterThanOrEqual(30)
    expect(pause).toBeLessThan(60)
  }
})
