import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { describeConfinement } from './runtime/confinement.ts'
import { describeConvergence } from './runtime/convergence.ts'
import { describeFaults } from './runtime/faults.ts'
import { createWorld, type RuntimeHarness, type World } from './runtime/harness.ts'
import { describeOutput } from './runtime/output.ts'
import { describeRemoval } from './runtime/removal.ts'
import { describeVolumes } from './runtime/volumes.ts'

export type { RuntimeHarness } from './runtime/harness.ts'

/** The behaviour that every adapter of the runtime port is held to. */
export function describeRuntime(adapter: string, harness: RuntimeHarness): void {
  describe(`the runtime on ${adapter}`, () => {
    let image: string
    let present: World
    const world = () => present

    beforeAll(async () => {
      image = await harness.ensureImage()
      present = createWorld(harness, image)
    })
    afterEach(() => harness.removeContainers(present.installationId))
    afterAll(() => harness.cleanUp(present.installationId))

    test('says what it runs on', async () => {
      const info = await world().runtime.info()
      expect(info).toEqual({
        name: adapter,
        version: expect.any(String),
        apiVersion: expect.stringMatching(/^1\.\d+$/),
      })
    })

    test('uses its own copy of an image that no registry answers for', async () => {
      const resolved = await world().runtime.resolveImage(image, null)
      expect(resolved).toEqual({
        pinned: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        fromCache: true,
        triggers: [],
      })
      expect(await world().runtime.resolveImage(resolved.pinned, null)).toEqual(resolved)
      await world().runtime.apply(world().rollout({ pinnedImage: resolved.pinned }))
      expect(await world().runtime.observe()).toMatchObject([{ phase: 'running' }])
    })

    test.each([
      ['nosuch.invalid/app:1', 'REGISTRY_UNREACHABLE'],
      [`sha256:${'0'.repeat(64)}`, 'IMAGE_NOT_FOUND'],
      ['Not An Image', 'IMAGE_INVALID'],
    ])('refuses the image "%s" as %s', async (reference, reason) => {
      await expect(world().runtime.resolveImage(reference, null)).rejects.toMatchObject({ reason })
    })

    describe('converging', () => describeConvergence(world, harness))
    describe('confining', () => describeConfinement(world, harness))
    describe('removing', () => describeRemoval(world))
    describe('keeping', () => describeVolumes(world, harness))
    describe('reporting', () => describeOutput(world, harness))
    describe('with a faulty engine', () => describeFaults(world, harness))
  })
}
