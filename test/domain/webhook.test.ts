import { expect, test } from 'vitest'
import { pauseAfter } from '../../src/domain/webhook.ts'
import { retryAfterSeconds } from '../../src/network/addresses/ask-address.ts'

const limits = { attempts: 5, pauses: { first: 4, max: 60 } }

test.each([
  ['nothing', null, 0, 6],
  ['less than the pause', 1, 2, 6],
  ['more than it', 30, 30, 30],
  ['more than the longest', 86_400, 60, 60],
])('a receiver that asks for %s waits as long', (_what, asked, least, most) => {
  const pause = pauseAfter(1, limits, asked)
  expect(pause).toBeGreaterThanOrEqual(least)
  expect(pause).toBeLessThanOrEqual(most)
})

test('the last failure has no pause, whatever was asked', () => {
  expect(pauseAfter(5, limits, 30)).toBeNull()
})

test.each([
  [undefined, null],
  ['120', 120],
  ['soon', null],
  ['-1', null],
  ['99999999999', null],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
])('Retry-After: %s', (header, seconds) => {
  expect(retryAfterSeconds({ headers: { 'retry-after': header } })).toBe(seconds)
})

test('Retry-After may be a date', () => {
  const at = new Date(Date.now() + 90_000).toUTCString()
  expect(retryAfterSeconds({ headers: { 'retry-after': at } })).toBeGreaterThan(60)
})
