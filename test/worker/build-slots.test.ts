import { expect, test } from 'vitest'
import { BuildSlots } from '../../src/worker/claim/build-slots.ts'

const never = new AbortController().signal

/** Takes slots one after another, and notes who got one. */
function queueOf(slots: number) {
  const builds = new BuildSlots(slots)
  const entered: string[] = []
  const releases = new Map<string, () => void>()
  const begin = (name: string, accountId: string, signal = never) =>
    builds
      .take(accountId, signal, () => {})
      .then((release) => {
        entered.push(name)
        releases.set(name, release)
      })
  const end = async (name: string) => {
    releases.get(name)?.()
    await new Promise(setImmediate)
  }
  return { builds, begin, end, entered }
}

test('an account has one slot at a time, and the builds of others go past its own', async () => {
  const { builds, begin, end, entered } = queueOf(2)
  const all = [begin('a1', 'a'), begin('a2', 'a'), begin('a3', 'a'), begin('b1', 'b')]
  await new Promise(setImmediate)
  expect(entered).toEqual(['a1', 'b1'])
  expect([builds.ahead('a'), builds.ahead('c')]).toEqual([3, 3])
  await end('b1')
  expect(entered).toEqual(['a1', 'b1'])
  expect(builds.ahead('c')).toBe(0)
  await end('a1')
  expect(entered).toEqual(['a1', 'b1', 'a2'])
  await end('a2')
  await Promise.all(all)
  expect(entered).toEqual(['a1', 'b1', 'a2', 'a3'])
})

test('a slot that is released twice is released once, and a build that is given up takes none', async () => {
  const { builds, begin, end, entered } = queueOf(1)
  const leaving = new AbortController()
  const first = begin('first', 'a')
  const given = begin('given up', 'b', leaving.signal)
  const last = begin('last', 'c')
  leaving.abort(new Error('cancelled'))
  await expect(given).rejects.toThrow('cancelled')
  await first
  await end('first')
  await end('first')
  await last
  expect(entered).toEqual(['first', 'last'])
  expect(builds.ahead('d')).toBe(1)
})
