import { afterAll, beforeAll } from 'vitest'
import { createWorld, type EngineHarness, type World } from './engine-harness.ts'

/** An installation whose containers stay from one test to the next: tests that leave them as they were share them. */
export function lastingWorld(world: () => World, harness: EngineHarness): () => World {
  let own: World
  beforeAll(() => {
    own = createWorld(harness, world().image)
  })
  afterAll(() => harness.cleanUp(own.installationId))
  return () => own
}
