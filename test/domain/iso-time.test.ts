import { expect, test } from 'vitest'
import { isoTime } from '../../src/domain/iso-time.ts'

const DAY_MS = 86_400_000
/** The earliest and the latest time that there is. */
const LIMIT_MS = 8.64e15

test('a time is written as toISOString writes it, on whatever day of whatever year', () => {
  const edges = [0, 1, 999, 1000, DAY_MS - 1, DAY_MS, LIMIT_MS, Date.parse('0000-01-01'), Date.parse('9999-12-31')]
  const spread = Array.from({ length: 20_000 }, (_, index) => ((index * 0.754877666) % 1) * 2 * LIMIT_MS - LIMIT_MS)
  // More days than are kept, and each again when it may be kept no more.
  const ours = Array.from({ length: 20_000 }, (_, index) => 1.7e12 + (index % 1_500) * DAY_MS + index * 7_919)
  const times = [...edges, ...edges.map((ms) => -ms), ...spread, ...ours].map((ms) => new Date(ms))
  const other = times.filter((time) => isoTime(time) !== time.toISOString())
  expect(other).toEqual([])
})

test('what is no time is refused', () => {
  expect(() => isoTime(new Date(Number.NaN))).toThrow(RangeError)
  expect(() => isoTime(new Date(Number.NaN))).toThrow(RangeError)
})
