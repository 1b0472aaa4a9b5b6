import { expect, test } from 'vitest'
import { createWorld, type EngineHarness, uniqueId, type World } from '../engine-harness.ts'
import { buildImage, run } from './build-image.ts'

/** Built images belong to the environment they were built for, and are found by it. */
export function describeBuiltImages(world: () => World, harness: EngineHarness): void {
  test('lists an image under its environment and version, until it is removed', async () => {
    const { imageBuilder } = world()
    const { id, appEnvId, contentId } = await buildImage(world(), ['ENV KEPT=yes'])
    const built = (await imageBuilder.builtImages({ appEnvId })).find((image) => image.id === id)
    expect(built).toMatchObject({ appEnvId, contentId })
    expect(await imageBuilder.builtImages()).toContainEqual(built)
    expect(await imageBuilder.builtImages({ appEnvId: uniqueId('env') })).toEqual([])
    await imageBuilder.removeImage(id)
    await imageBuilder.removeImage(id)
    expect((await imageBuilder.builtImages({ appEnvId })).map((image) => image.id)).not.toContain(id)
  })

  test('measures an image by what its layers have, unpacked', async () => {
    const { imageBuilder } = world()
    const of = (bytes: number) => buildImage(world(), ['COPY zeros /'], { files: { zeros: '\0'.repeat(bytes) } })
    const [small, large] = [await of(1), await of(5_000_000)]
    const [before, after] = [await imageBuilder.imageSize(small.id), await imageBuilder.imageSize(large.id)]
    expect((after ?? 0) - (before ?? 0)).toBeGreaterThan(4_900_000)
    expect((after ?? 0) - (before ?? 0)).toBeLessThan(5_500_000)
    expect(await imageBuilder.imageSize(`sha256:${'0'.repeat(64)}`)).toBeNull()
  })

  test('resolves no built image by its name', async () => {
    const { name } = await buildImage(world(), ['ENV SECRET=yes'])
    await expect(world().imageBuilder.resolveImage(name, null)).rejects.toThrow(name)
  })

  test('keeps an image that a container uses', async () => {
    const { imageBuilder, runtime } = world()
    const { id, appEnvId } = await buildImage(world(), ['ENV USED=yes'])
    await runtime.apply(world().rollout({ appEnvId, pinnedImage: id }))
    await imageBuilder.removeImage(id)
    expect((await imageBuilder.builtImages({ appEnvId })).map((image) => image.id)).toContain(id)
  })

  test('removes the leftovers of a failed build, and keeps images', async () => {
    const { imageBuilder } = world()
    const { id, appEnvId } = await buildImage(world(), ['ENV KEPT=before'])
    const failing = buildImage(world(), [`ENV LEFT=${appEnvId}`, run(harness.programs.fail)], { appEnvId })
    await expect(failing).rejects.toMatchObject({ reason: 'BUILD_FAILED' })
    await imageBuilder.clearBuilds({ appEnvId, since: new Date(0) })
    const left = await imageBuilder.builtImages({ appEnvId })
    expect(left.filter(({ contentId }) => contentId === null)).toEqual([])
    expect(left.map((image) => image.id)).toContain(id)
    expect(await imageBuilder.buildSteps({ appEnvId })).toEqual([])
  })

  test('keeps two installations on one engine apart', async () => {
    const { id, appEnvId } = await buildImage(world(), ['ENV OWNER=us'])
    const other = createWorld(harness, world().image).imageBuilder
    expect(await other.builtImages()).toEqual([])
    expect(await other.buildSteps()).toEqual([])
    await other.clearBuilds({ appEnvId, since: new Date(0) })
    expect((await world().imageBuilder.builtImages({ appEnvId })).map((image) => image.id)).toContain(id)
    const traits = await Promise.all([world().imageBuilder.traits(), other.traits()])
    expect(traits[0]?.namespace).not.toBe(traits[1]?.namespace)
  })
}
