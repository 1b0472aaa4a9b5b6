import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAccessWatch } from '../../../src/api/graphql/access-watch.ts'
import type { Caller } from '../../../src/calls/caller.ts'
import { DomainError } from '../../../src/domain/errors.ts'

const CALLER = { userId: 'user_1' } as unknown as Caller

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('whoever loses access is told within five seconds, and nobody while the database is away', async () => {
  let answer: () => Promise<Caller> = async () => CALLER
  const watch = createAccessWatch(() => answer())
  const seen: (Caller | null)[] = []
  const stop = watch.watch('Bearer x', (present) => seen.push(present))

  await vi.advanceTimersByTimeAsync(5_000)
  expect(seen).toEqual([CALLER])
  answer = async () => {
    throw new Error('connect ECONNREFUSED')
  }
  await vi.advanceTimersByTimeAsync(5_000)
  expect(seen).toEqual([CALLER])
  answer = async () => {
    throw new DomainError('UNAUTHENTICATED', undefined, 'the token was revoked')
  }
  await vi.advanceTimersByTimeAsync(5_000)
  expect(seen.slice(0, 2)).toEqual([CALLER, null])

  stop()
  const before = seen.length
  await vi.advanceTimersByTimeAsync(5_000)
  expect(seen).toHaveLength(before)
  watch.close()
})
