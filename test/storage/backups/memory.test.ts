import { expect, test } from 'vitest'
import { MAX_GROWTH_MB, memoryGrowth } from './memory-growth.ts'

test('a backup of 256 MB is written and read in bounded memory', async () => {
  const { storedMb, grownMb } = await memoryGrowth(256)
  expect(storedMb).toBeGreaterThan(100)
  expect(grownMb).toBeLessThan(MAX_GROWTH_MB)
}, 300_000)
