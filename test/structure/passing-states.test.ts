import { expect, test } from 'vitest'
import { waitsForPassingStates } from './passing-states.ts'

test('a test waits for a state that passes only where it says why it lasts until it was read', () => {
  const { waits, found } = waitsForPassingStates()
  expect(waits).toBeGreaterThan(200)
  expect(found).toEqual([])
})
