import { expect, test } from 'vitest'
import { compareParsers } from './against-llhttp.ts'

test('what our parser and llhttp both accept, they read alike', async () => {
  const { differing, bothAccept, bothRefuse } = await compareParsers(7, 1_000)
  expect(differing).toEqual([])
  expect(Math.min(bothAccept, bothRefuse)).toBeGreaterThan(100)
})
