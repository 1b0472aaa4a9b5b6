import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LogLine } from '../../../src/runtime/runtime.ts'
import { type Place, Reading } from '../../../src/worker/logs/place.ts'
import { type CapState, RateCap } from '../../../src/worker/logs/rate-cap.ts'

const start = (): Place => ({ stdout: { at: 0n, count: 0 }, stderr: { at: 0n, count: 0 } })

test('readings that break off anywhere collect each line once, however many share a nanosecond', () => {
  const streams = fc.constantFrom('stdout', 'stderr')
  const said = fc.array(fc.record({ stream: streams, later: fc.nat(1) }), { maxLength: 40 })
  fc.assert(
    fc.property(said, fc.array(fc.nat(40)), (steps, breaks) => {
      let now = 1n
      const lines = steps.map(({ stream, later }, number): LogLine => {
        now += BigInt(later)
        return { stream, nanoseconds: now, timestamp: new Date(0), message: String(number) }
      })
      const place = start()
      const collected: string[] = []
      for (const length of [...breaks, lines.length, lines.length]) {
        const reading = new Reading(place)
        const heard = lines.slice(0, length).filter(({ nanoseconds }) => nanoseconds >= (reading.since ?? 0n))
        collected.push(...heard.filter((line) => reading.isNew(line)).map(({ message }) => message))
      }
      expect(collected.map(Number).sort((a, b) => a - b)).toEqual(lines.map((_, number) => number))
    }),
  )
})

test('lines over the cap are dropped, counted, and told of when the minute is over', () => {
  const state: CapState = { minute: 0n, used: 0, dropped: 0 }
  const cap = new RateCap(3, state)
  const told: number[] = []
  const admit = (second: number, length = 10) =>
    cap.admits(BigInt(second) * 1_000_000_000n, length, (n) => told.push(n))
  expect([admit(1), admit(2), admit(3), admit(4), admit(5)]).toEqual([true, true, true, false, false])
  expect(told).toEqual([])
  expect(admit(61)).toBe(true)
  expect(told).toEqual([2])
  expect(admit(62, 5 * 1024)).toBe(false)
  cap.tell((n) => told.push(n))
  expect(told).toEqual([2, 1])
})
