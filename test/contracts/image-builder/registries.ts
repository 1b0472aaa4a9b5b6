import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LocalCopy, ResolvedImage } from '../../../src/engines/images/image-builder.ts'
import type { EngineHarness, TestRegistry, World } from '../engine-harness.ts'
import { buildImage } from './build-image.ts'

/** Images are pulled from registries and pushed to them, with the right login. */
export function describeRegistries(world: () => World, harness: EngineHarness): void {
  let registry: TestRegistry | null
  let image: string
  let digest: string

  beforeAll(async () => {
    registry = await harness.startRegistry()
    if (!registry) return
    image = `${registry.address}/team/app:1`
    digest = await registry.publish('team/app', '1')
  })
  afterAll(async () => {
    await harness.byHand.removeImage(image)
    await registry?.[Symbol.asyncDispose]()
  })

  const registryTest = (title: string, run: (present: TestRegistry) => Promise<void>) =>
    test(title, async (context) => {
      if (!registry) return context.skip('There is no registry on this machine')
      await run(registry)
    })
  const pinned = (): ResolvedImage => ({
    pinned: byDigest(),
    imageId: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    isNew: expect.any(Boolean),
    fromCache: false,
    triggers: [],
  })
  const byDigest = (): string => `${image.replace(/:1$/, '')}@${digest}`

  registryTest('pulls with the credential, by tag and by digest, and pins the digest', async ({ credential }) => {
    const { imageBuilder } = world()
    expect(await imageBuilder.resolveImage(image, credential)).toEqual(pinned())
    await harness.byHand.removeImage(image)
    expect(await imageBuilder.resolveImage(byDigest(), credential)).toEqual(pinned())
  })

  registryTest('is refused without the credential, also when the engine has the image', async ({ credential }) => {
    const { imageBuilder } = world()
    await imageBuilder.resolveImage(image, credential)
    for (const wrong of [null, { ...credential, password: 'wrong' }]) {
      const refusal = { reason: 'IMAGE_UNAUTHORIZED', message: expect.stringContaining(image) }
      await expect(imageBuilder.resolveImage(image, wrong)).rejects.toMatchObject(refusal)
    }
  })

  registryTest('does not find a tag, repository or digest that the registry does not know', async ({ credential }) => {
    const unknown = [/:1$/, /app:1$/, /:1$/]
    const instead = [':2', 'nope:1', `@sha256:${'0'.repeat(64)}`]
    for (const [at, part] of unknown.entries()) {
      const resolving = world().imageBuilder.resolveImage(image.replace(part, instead[at] ?? ''), credential)
      await expect(resolving).rejects.toMatchObject({ reason: 'IMAGE_NOT_FOUND' })
    }
  })

  registryTest('gives up on a registry that falls silent', async ({ credential }) => {
    await harness.byHand.removeImage(image)
    const options = { ...world(), callTimeoutSeconds: 1, pullIdleSeconds: 1 }
    await using engine = await harness.openFaulty('falls silent in pulls', options)
    const timeout = { reason: 'PULL_TIMEOUT' }
    await expect(engine.imageBuilder.resolveImage(image, credential)).rejects.toMatchObject(timeout)
  })

  registryTest('pushes what it has built, which comes back under its id', async ({ address, credential }) => {
    const { imageBuilder } = world()
    await imageBuilder.resolveImage(image, credential)
    const from = { from: byDigest(), credentials: { [address]: credential } }
    const { id } = await buildImage(world(), ['ENV PUSHED=yes'], from)
    const name = `${address}/team/built:7`
    const pushed = await imageBuilder.pushImage({ id, name, credential })
    expect(pushed).toMatch(/\/team\/built@sha256:[0-9a-f]{64}$/)
    await imageBuilder.removeImage(id)
    await expect(imageBuilder.resolveImage(id, null)).rejects.toMatchObject({ reason: 'IMAGE_NOT_FOUND' })
    expect(await imageBuilder.resolveImage(pushed, credential)).toMatchObject({ pinned: pushed, fromCache: false })
    expect(await imageBuilder.resolveImage(id, null)).toMatchObject({ pinned: id, fromCache: true })
    await imageBuilder.removeImage(id)
  })

  registryTest(
    'is refused a push with a wrong credential, and to where nobody answers',
    async ({ address, credential }) => {
      const { imageBuilder } = world()
      await imageBuilder.resolveImage(image, credential)
      const from = { from: byDigest(), credentials: { [address]: credential } }
      const { id } = await buildImage(world(), ['ENV PUSHED=no'], from)
      const wrong = { username: 'mallory', password: 'wrong' }
      const push = (registryAddress: string) =>
        imageBuilder.pushImage({ id, name: `${registryAddress}/team/built:8`, credential: wrong })
      await expect(push(address)).rejects.toMatchObject({ reason: 'PUSH_DENIED', isFinal: true })
      await expect(push('127.0.0.1:1')).rejects.toMatchObject({ reason: 'PUSH_FAILED', isFinal: false })
      await imageBuilder.removeImage(id)
    },
  )

  registryTest('knows by its id what it has pulled, and pulls nothing when told not to ask', async ({ credential }) => {
    const { imageBuilder } = world()
    const { imageId } = await imageBuilder.resolveImage(image, credential)
    const unreachable = 'unresolved'
    const asked: LocalCopy[] = []
    const mayUseCopy = async (copy: LocalCopy) => asked.push(copy) > 0
    const copy = await imageBuilder.resolveImage(image, credential, { unreachable, mayUseCopy })
    expect(copy).toMatchObject({ imageId, pinned: imageId, fromCache: true })
    expect(asked).toEqual([{ imageId, origin: expect.stringMatching(/registry|unknown/), isAfterSilence: true }])
  })

  registryTest('removes what it has pulled, and not what a container needs', async ({ credential }) => {
    const { imageBuilder, runtime, image: programs } = world()
    await harness.byHand.removeImage(image)
    const { imageId, isNew } = await imageBuilder.resolveImage(image, credential)
    expect(isNew).toBe(true)
    expect(await imageBuilder.resolveImage(image, credential)).toMatchObject({ imageId, isNew: false })
    expect(await imageBuilder.heldImages()).toContainEqual({ id: imageId, digests: [byDigest()] })
    await imageBuilder.removePulled(imageId)
    await imageBuilder.removePulled(imageId)
    expect((await imageBuilder.heldImages()).map(({ id }) => id)).not.toContain(imageId)

    const { pinned: id } = await imageBuilder.resolveImage(programs, null, { mayUseCopy: async () => true })
    await runtime.apply(world().rollout({ pinnedImage: id }))
    await imageBuilder.removePulled(id)
    expect((await imageBuilder.heldImages()).map((held) => held.id)).toContain(id)
  })

  registryTest('lets a pulled copy serve only once the registry is gone, and whom it may', async (present) => {
    const { imageBuilder } = world()
    const { credential } = present
    const mayUseCopy = async ({ isAfterSilence }: LocalCopy) => isAfterSilence
    const { imageId } = await imageBuilder.resolveImage(image, credential)
    const refusal = { reason: 'IMAGE_UNAUTHORIZED' }
    await expect(imageBuilder.resolveImage(image, null, { mayUseCopy })).rejects.toMatchObject(refusal)
    await present.stop()
    const copy = { imageId, pinned: imageId, fromCache: true }
    expect(await imageBuilder.resolveImage(image, credential, { mayUseCopy })).toMatchObject(copy)
    for (const options of [{}, { mayUseCopy: async () => false }]) {
      const away = { reason: 'REGISTRY_UNREACHABLE', isFinal: false }
      await expect(imageBuilder.resolveImage(image, credential, options)).rejects.toMatchObject(away)
    }
  })
}
