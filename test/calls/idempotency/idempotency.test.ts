import { expect, test } from 'vitest'
import { createWorld } from '../../support/world.ts'
import { dryRunEverything } from './dry-runs.ts'

test('a dry run of any command through either API leaves no trace', { timeout: 240_000 }, async () => {
  const world = await createWorld()
  try {
    expect(await dryRunEverything(world, { casesOfEach: 1 })).toBeGreaterThan(40)
  } finally {
    await world.close()
  }
})
