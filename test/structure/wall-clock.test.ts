import { expect, test } from 'vitest'
import { wallClockReaders } from './wall-clock.ts'

test('only what compares times of others reads the wall clock, which anybody may set', () => {
  const { unlisted, idle } = wallClockReaders()
  expect(unlisted).toEqual([])
  expect(idle).toEqual([])
})
