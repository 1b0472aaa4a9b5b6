import { expect, test } from 'vitest'
import type { World } from '../engine-harness.ts'

/** An image is pinned by the registry's digest or by the engine's own copy. */
export function describeResolving(world: () => World): void {
  test('uses its own copy of an image when no registry has it', async () => {
    const { imageBuilder, runtime, image } = world()
    const resolved = await imageBuilder.resolveImage(image, null, { mayUseCopy: async () => true })
    expect(resolved).toEqual({
      pinned: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      imageId: resolved.pinned,
      isNew: false,
      fromCache: true,
      triggers: [],
    })
    expect(await imageBuilder.resolveImage(resolved.pinned, null)).toEqual(resolved)
    const rollout = world().rollout({ pinnedImage: resolved.pinned })
    await runtime.apply(rollout)
    expect(await runtime.observe({ appEnvId: rollout.appEnvId })).toMatchObject([{ phase: 'running' }])
  })

  test.each([
    ['nosuch.invalid/app:1', 'REGISTRY_UNREACHABLE'],
    [`sha256:${'0'.repeat(64)}`, 'IMAGE_NOT_FOUND'],
    ['Not An Image', 'IMAGE_INVALID'],
  ])('refuses the image "%s" as %s', async (reference, reason) => {
    await expect(world().imageBuilder.resolveImage(reference, null)).rejects.toMatchObject({ reason })
  })
}
