import { expect, test } from 'vitest'
import { NetworkRepairs } from '../../src/worker/probes/network-repairs.ts'

const slot = (index: number) => ({ rolloutId: 'op_1', index })
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000)

/** The seconds of an hour at which a replica that never becomes ready is replaced. */
function replacements(repairs: NetworkRepairs): number[] {
  return Array.from({ length: 3600 }, (_, second) => second).filter((second) =>
    repairs.takeReplacement(slot(0), at(second)),
  )
}

test('a replica is connected three times before it is replaced, and again once it was ready', () => {
  const repairs = new NetworkRepairs()
  for (const second of [0, 1, 2]) {
    expect(repairs.mayConnect(slot(0))).toBe(true)
    repairs.recordConnect(slot(0), at(second))
  }
  expect(repairs.mayConnect(slot(0))).toBe(false)
  expect(repairs.mayConnect(slot(1))).toBe(true)
  expect(repairs.takeReplacement(slot(0), at(3))).toBe(true)
  repairs.recordReady(slot(0))
  expect(repairs.mayConnect(slot(0))).toBe(true)
})

test('a replica that no replacement repairs is replaced less and less often', () => {
  const repaired = replacements(new NetworkRepairs())
  expect(repaired).toEqual([0, 1, 2, 3, 8, 18, 38, 78, 158, 318, 638, 1238, 1838, 2438, 3038])
})

test('a broken machine does not have everything replaced at once', () => {
  const repairs = new NetworkRepairs()
  const taken = (second: number) =>
    Array.from({ length: 500 }, (_, index) => repairs.takeReplacement(slot(index), at(second))).filter(Boolean).length
  expect(taken(0)).toBe(20)
  expect(taken(30)).toBe(0)
  expect(taken(61)).toBe(20)
})
