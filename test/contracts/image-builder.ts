import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { createWorld, type EngineHarness, type World } from './engine-harness.ts'
import { describeBuilding } from './image-builder/building.ts'
import { describeBuiltImages } from './image-builder/built-images.ts'
import { describeFaults } from './image-builder/faults.ts'
import { describeRegistries } from './image-builder/registries.ts'
import { describeResolving } from './image-builder/resolving.ts'

/** The behaviour that every adapter of the image builder must have. */
export function describeImageBuilder(adapter: string, harness: EngineHarness): void {
  describe(`the image builder on ${adapter}`, () => {
    let present: World
    const world = () => present

    beforeAll(async () => {
      present = createWorld(harness, await harness.ensureImage())
    })
    afterEach(() => harness.removeContainers(present.installationId))
    afterAll(() => harness.cleanUp(present.installationId))

    describe('resolving', () => describeResolving(world))
    describe('with a registry', () => describeRegistries(world, harness))
    describe('building', () => describeBuilding(world, harness))
    describe('keeping built images', () => describeBuiltImages(world, harness))
    describe('with a faulty engine', () => describeFaults(world, harness))
  })
}
