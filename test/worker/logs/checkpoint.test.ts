import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LogLine } from '../../../src/engines/runtime/container-runtime.ts'
import type { Container } from '../../../src/storage/database/generated/prisma/client.ts'
import { type Checkpoint, Reading } from '../../../src/worker/logs/checkpoint.ts'
import { ContainerOutput } from '../../../src/worker/logs/container-output.ts'
import type { LogStreamLine } from '../../../src/worker/logs/log-stream.ts'
import { type CapState, RateCap } from '../../../src/worker/logs/rate-cap.ts'

const start = (): Checkpoint => ({ stdout: { at: 0n, count: 0 }, stderr: { at: 0n, count: 0 } })

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
      const checkpoint = start()
      const collected: string[] = []
      for (const length of [...breaks, lines.length, lines.length]) {
        const reading = new Reading(checkpoint)
        const read = lines.slice(0, length).filter(({ nanoseconds }) => nanoseconds >= (reading.since ?? 0n))
        collected.push(...read.filter((line) => reading.isNew(line)).map(({ message }) => message))
      }
      expect(collected.map(Number).sort((a, b) => a - b)).toEqual(lines.map((_, number) => number))
    }),
  )
})

test('lines over the cap are dropped, counted, and reported when the minute is over', () => {
  const state: CapState = { minute: 0n, used: 0, dropped: 0 }
  const cap = new RateCap(3, state)
  const reported: number[] = []
  const admit = (second: number, length = 10) =>
    cap.admits(BigInt(second) * 1_000_000_000n, length, (n) => reported.push(n))
  expect([admit(1), admit(2), admit(3), admit(4), admit(5)]).toEqual([true, true, true, false, false])
  expect(reported).toEqual([])
  expect(admit(61)).toBe(true)
  expect(reported).toEqual([2])
  expect(admit(62, 5 * 1024)).toBe(false)
  cap.report((n) => reported.push(n))
  expect(reported).toEqual([2, 1])
})

describe('the notice of dropped lines', () => {
  const SECOND = 1_000_000_000n
  const row = {
    id: 1,
    stdoutAt: 0n,
    stderrAt: 0n,
    stdoutCount: 0,
    stderrCount: 0,
    capMinute: 0n,
    capUsed: 0,
    dropped: 0,
  }
  const said = (second: bigint): LogLine => {
    return { stream: 'stdout', nanoseconds: second * SECOND, timestamp: new Date(0), message: `at ${second}` }
  }

  function read(...seconds: bigint[]) {
    const source = new ContainerOutput({ ...row, containerId: 'c1' } as Container, 2)
    const log: LogStreamLine[] = []
    const keep = (line: LogStreamLine) => log.push(line)
    for (const second of seconds) source.take(said(second), keep)
    return { source, keep, reported: () => log.map(({ at, message }) => [Number(at / SECOND), message]) }
  }

  test('stands in the minute in which they were dropped, once for each', () => {
    const { reported } = read(1n, 2n, 3n, 4n, 61n, 62n, 63n, 3_600n)
    expect(reported()).toEqual([
      [1, 'at 1'],
      [2, 'at 2'],
      [4, '[berth] 2 lines were dropped here: more than 2 in a minute, or than the account’s log budget'],
      [61, 'at 61'],
      [62, 'at 62'],
      [63, '[berth] 1 lines were dropped here: more than 2 in a minute, or than the account’s log budget'],
      [3600, 'at 3600'],
    ])
  })

  test('does not wait for the next line for longer than a minute', () => {
    const { source, keep, reported } = read(1n, 2n, 3n)
    expect(source.owesNotice(performance.now())).toBe(false)
    expect(source.owesNotice(performance.now() + 60_000)).toBe(true)
    source.conclude(keep)
    expect(reported().at(-1)).toEqual([
      3,
      '[berth] 1 lines were dropped here: more than 2 in a minute, or than the account’s log budget',
    ])
    expect(source.owesNotice(performance.now() + 60_000)).toBe(false)
  })
})
