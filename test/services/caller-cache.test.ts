import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Caller } from '../../src/calls/caller.ts'
import { CallerCache } from '../../src/calls/caller-cache.ts'

const somebody = (tokenId: string, remainingMs: number | null = null) => ({
  caller: { tokenId } as Caller,
  remainingMs,
})

/** Counts queries, and answers each with the next caller of the list. */
function lookUps(...answers: ReturnType<typeof somebody>[]) {
  let count = 0
  const lookUp = async () => answers[Math.min(count++, answers.length - 1)] ?? somebody('none')
  return { lookUp, count: () => count }
}

afterEach(() => void vi.useRealTimers())

describe('a known caller', () => {
  test('is loaded once, however many calls come at a time', async () => {
    const cache = new CallerCache()
    const { lookUp, count } = lookUps(somebody('a'))
    await Promise.all(Array.from({ length: 20 }, () => cache.get('hash', lookUp)))
    await cache.get('hash', lookUp)
    expect(count()).toBe(1)
  })

  test('is dropped at once by a write that could change them, and not by a deployment', async () => {
    const cache = new CallerCache()
    const { lookUp } = lookUps(somebody('before'), somebody('after'))
    await cache.get('hash', lookUp)
    cache.clearAfter({ permission: 'appEnv:operate' })
    expect((await cache.get('hash', lookUp)).tokenId).toBe('before')
    cache.clearAfter({ permission: 'token:own' })
    expect((await cache.get('hash', lookUp)).tokenId).toBe('after')
  })

  test('loaded before a write is not cached after it', async () => {
    const cache = new CallerCache()
    let answer: (found: ReturnType<typeof somebody>) => void = () => {}
    const slow = cache.get('hash', () => new Promise((resolve) => (answer = resolve)))
    cache.clearAfter({ permission: 'token:own' })
    answer(somebody('stale'))
    await slow
    expect((await cache.get('hash', lookUps(somebody('fresh')).lookUp)).tokenId).toBe('fresh')
  })

  test('is not cached past the end of the token, nor for long', async () => {
    const cache = new CallerCache()
    const { lookUp, count } = lookUps(somebody('a', -1), somebody('b'))
    await cache.get('hash', lookUp)
    expect((await cache.get('hash', lookUp)).tokenId).toBe('b')
    const looksAgain = async () => {
      await cache.get('hash', lookUp)
      return count()
    }
    await expect.poll(looksAgain).toBe(3)
  })

  test.each([-3_600_000, 3_600_000])('is kept as long when the wall clock is moved by %i ms', async (ms) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const cache = new CallerCache()
    const { lookUp, count } = lookUps(somebody('a'))
    await cache.get('hash', lookUp)
    vi.setSystemTime(Date.now() + ms)
    await cache.get('hash', lookUp)
    expect(count()).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 600))
    await cache.get('hash', lookUp)
    expect(count()).toBe(2)
  })

  test('that could not be loaded is loaded again', async () => {
    const cache = new CallerCache()
    await expect(cache.get('hash', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect((await cache.get('hash', lookUps(somebody('back')).lookUp)).tokenId).toBe('back')
  })
})
