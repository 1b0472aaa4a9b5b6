import { describe, expect, test } from 'vitest'
import { type AttemptEnd, reasonOfEnd } from '../../src/domain/job-attempt.ts'
import { admissionOf, afterAttempt } from '../../src/domain/job-run.ts'
import { outputOf } from '../../src/domain/run-output.ts'

const END: AttemptEnd = { exitCode: 0, outOfMemory: false, stopReason: null, engineWasAway: false }
const RUN = { attempts: 1, backoffLimit: 0, secondsToDeadline: 3600, cancelReason: null }

describe('the reason of an attempt', () => {
  test.each<[string, Partial<AttemptEnd>, string | null]>([
    ['success', {}, null],
    ['an exit code', { exitCode: 3 }, 'EXIT_CODE'],
    ['128 is no signal', { exitCode: 128 }, 'EXIT_CODE'],
    ['SIGKILL', { exitCode: 137 }, 'SIGNAL'],
    ['the last signal', { exitCode: 192 }, 'SIGNAL'],
    ['above the last signal', { exitCode: 193 }, 'EXIT_CODE'],
    ['memory', { exitCode: 137, outOfMemory: true }, 'OUT_OF_MEMORY'],
    ['a child that ran out of memory, and a parent that did not mind', { outOfMemory: true }, null],
    ['an engine that was killed', { exitCode: 255, engineWasAway: true }, 'ENGINE_LOST'],
    ['255 of its own', { exitCode: 255 }, 'EXIT_CODE'],
    ['a failure beside an engine that was away', { exitCode: 1, engineWasAway: true }, 'EXIT_CODE'],
    ['no container', { exitCode: null, failure: 'IMAGE_GONE' }, 'IMAGE_GONE'],
    ['nothing known', { exitCode: null }, 'ENGINE_LOST'],
    ['a timeout, whatever the command answered to it', { exitCode: 0, stopReason: 'TIMEOUT' }, 'TIMED_OUT'],
    ['a cancellation', { exitCode: 143, stopReason: 'CANCEL' }, 'CANCELLED'],
  ])('of %s', (_what, end, reason) => {
    expect(reasonOfEnd({ ...END, ...end })).toBe(reason)
  })
})

describe('after an attempt', () => {
  const failed = { ...END, exitCode: 1 }

  test('that succeeded, the run has', () => {
    expect(afterAttempt(END, RUN)).toEqual({ kind: 'END', status: 'SUCCEEDED', reason: null })
  })

  test('that failed, there are as many more as backoffLimit allows, each after twice the pause', () => {
    const pauses = [1, 2, 3, 4].map((attempts) => afterAttempt(failed, { ...RUN, attempts, backoffLimit: 3 }))
    expect(pauses).toEqual([
      { kind: 'RETRY', afterSeconds: 1 },
      { kind: 'RETRY', afterSeconds: 2 },
      { kind: 'RETRY', afterSeconds: 4 },
      { kind: 'END', status: 'FAILED', reason: 'EXIT_CODE' },
    ])
  })

  test('the pause never exceeds five minutes', () => {
    const sequel = afterAttempt(failed, { ...RUN, attempts: 20, backoffLimit: 20 })
    expect(sequel).toEqual({ kind: 'RETRY', afterSeconds: 300 })
  })

  test('none begins that could not begin before the deadline', () => {
    const late = { ...RUN, backoffLimit: 3, secondsToDeadline: 1 }
    expect(afterAttempt(failed, late)).toMatchObject({ kind: 'END', status: 'FAILED' })
  })

  test('a timeout and a cancellation are never tried again', () => {
    const again = { ...RUN, backoffLimit: 3 }
    expect(afterAttempt({ ...END, stopReason: 'TIMEOUT' }, again)).toMatchObject({ status: 'TIMED_OUT' })
    const cancelled = { ...again, cancelReason: 'REPLACED' }
    expect(afterAttempt(failed, cancelled)).toEqual({ kind: 'END', status: 'CANCELLED', reason: 'REPLACED' })
    expect(afterAttempt(END, cancelled)).toMatchObject({ status: 'SUCCEEDED' })
  })
})

describe('beyond maxConcurrency', () => {
  const admission = (concurrencyPolicy: 'QUEUE' | 'REJECT' | 'REPLACE', open: string[]) =>
    admissionOf({ concurrencyPolicy, maxConcurrency: 2 }, open)

  test('a run waits, is refused, or ends the oldest', () => {
    for (const policy of ['QUEUE', 'REJECT', 'REPLACE'] as const)
      expect(admission(policy, ['a'])).toEqual({ kind: 'QUEUE' })
    expect(admission('QUEUE', ['a', 'b', 'c'])).toEqual({ kind: 'QUEUE' })
    expect(admission('REJECT', ['a', 'b'])).toEqual({ kind: 'REJECT' })
    expect(admission('REPLACE', ['a', 'b'])).toEqual({ kind: 'REPLACE', ids: ['a'] })
    expect(admission('REPLACE', ['a', 'b', 'c'])).toEqual({ kind: 'REPLACE', ids: ['a', 'b'] })
  })
})

describe('the output of a run', () => {
  const line = (message: string, nanoseconds = 1n, stream: 'stdout' | 'stderr' = 'stdout') => ({
    stream,
    nanoseconds,
    message,
  })

  test('is the last line of standard output that is a JSON object or array', () => {
    expect(outputOf([line('{"a":1}'), line('[2]', 2n), line('done', 3n), line('{"b":3}', 4n, 'stderr')])).toEqual([2])
    expect(outputOf([line('{"a":1'), line('42', 2n), line('"text"', 3n)])).toBeUndefined()
  })

  test('is put together from the pieces of a long line, and at most 64 KiB', () => {
    const json = JSON.stringify({ text: 'x'.repeat(40_000) })
    const pieces = json.match(/.{1,16384}/g) ?? []
    expect(outputOf(pieces.map((piece) => line(piece)))).toEqual(JSON.parse(json))
    const large = JSON.stringify({ text: 'x'.repeat(70_000) })
    expect(outputOf((large.match(/.{1,16384}/g) ?? []).map((piece) => line(piece)))).toBeUndefined()
  })

  test('is left out where the database could not hold it', () => {
    expect(outputOf([line('{"a":1}'), line('{"a":"\\u0000"}', 2n)])).toEqual({ a: 1 })
  })
})
