import { Readable } from 'node:stream'
import Docker from 'dockerode'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dockerEngine } from '../../../support/docker-engine.ts'
import { ENGINE_SOCKET } from '../../../support/docker-harness.ts'
import {
  REGISTRY_CREDENTIAL as credential,
  type DockerRegistry,
  isRegistryInstalled,
  startRegistry,
} from '../../../support/docker-registry.ts'
import { engineProxy } from '../../../support/engine-proxy.ts'

const isInstalled = await isRegistryInstalled()
if (!isInstalled) {
  console.warn('Skipped: registry tests need the program docker-registry (Debian: apt-get install docker-registry)')
}

describe.skipIf(!isInstalled)('resolving an image of a private registry', () => {
  const docker = new Docker()
  const createImageBuilder = (host?: string) =>
    dockerEngine({ installationId: 'ins_registry', dockerHost: host, callTimeoutSeconds: 2, pullIdleSeconds: 1 })
      .imageBuilder
  let registry: DockerRegistry
  let image: string
  let digest: string

  const drain = async (progress: NodeJS.ReadableStream) => {
    for await (const _step of progress);
  }

  /** Any content will do; the time makes it different from the image of an earlier run. */
  const importTiny = async (repo: string) => {
    const archive = pack()
    archive.entry({ name: 'made-at' }, new Date().toISOString())
    archive.finalize()
    await drain(await docker.importImage(Readable.from(archive), { repo, tag: '1', changes: ['LABEL berth.test=1'] }))
  }

  const removeImage = async () => {
    const images = await docker.listImages({ filters: { reference: [`${registry.address}/*/*`] } })
    await Promise.all(images.map(({ Id }) => docker.getImage(Id).remove({ force: true })))
  }

  beforeAll(async () => {
    registry = await startRegistry()
    const repo = `${registry.address}/team/app`
    image = `${repo}:1`
    await importTiny(repo)
    await drain(await docker.getImage(image).push({ authconfig: { ...credential, serveraddress: registry.address } }))
    const { RepoDigests: digests } = await docker.getImage(image).inspect()
    digest = digests[0] ?? ''
  })
  afterAll(async () => {
    await removeImage()
    await registry[Symbol.asyncDispose]()
  })

  test('pulls with the credential and pins the digest', async () => {
    await removeImage()
    expect(await createImageBuilder().resolveImage(image, credential)).toEqual({
      pinned: digest,
      imageId: expect.stringMatching(/^sha256:/),
      isNew: true,
      fromCache: false,
      triggers: [],
    })
    expect(digest).toMatch(/^127\.0\.0\.1:\d+\/team\/app@sha256:[0-9a-f]{64}$/)
    expect((await docker.getImage(digest).inspect()).RepoDigests).toEqual([digest])
  })

  test('resolves an image by digest, too', async () => {
    await removeImage()
    expect(await createImageBuilder().resolveImage(digest, credential)).toEqual({
      pinned: digest,
      imageId: expect.stringMatching(/^sha256:/),
      isNew: true,
      fromCache: false,
      triggers: [],
    })
  })

  test.each([
    ['a wrong credential', { username: 'alice', password: 'wrong' }],
    ['no credential', null],
  ])('is refused with %s, even when the engine has the image already', async (_what, wrong) => {
    await createImageBuilder().resolveImage(image, credential)
    const refusal = { reason: 'IMAGE_UNAUTHORIZED', message: expect.stringContaining(image) }
    await expect(createImageBuilder().resolveImage(image, wrong)).rejects.toMatchObject(refusal)
  })

  test.each([
    ['tag', (name: string) => name.replace(/:1$/, ':2')],
    ['repository', (name: string) => name.replace('/app', '/nope')],
    ['digest', (name: string) => name.replace(/:1$/, `@sha256:${'0'.repeat(64)}`)],
  ])('does not find a %s that the registry does not know', async (_what, change) => {
    const resolving = createImageBuilder().resolveImage(change(image), credential)
    await expect(resolving).rejects.toMatchObject({ reason: 'IMAGE_NOT_FOUND' })
  })

  test('tells a registry that stops answering from an engine that does', async () => {
    await using registrySilent = await engineProxy(ENGINE_SOCKET, { only: /\/images\/create/, kind: 'stall' })
    const timeout = { reason: 'PULL_TIMEOUT' }
    await removeImage()
    await expect(createImageBuilder(registrySilent.host).resolveImage(image, credential)).rejects.toMatchObject(timeout)
    await using engineSilent = await engineProxy(ENGINE_SOCKET, { only: /images\/create|_ping/, kind: 'stall' })
    const unavailable = { code: 'RUNTIME_UNAVAILABLE' }
    await removeImage()
    await expect(createImageBuilder(engineSilent.host).resolveImage(image, credential)).rejects.toMatchObject(
      unavailable,
    )
  })

  test('falls back on the engine’s own copy when the registry is gone, and does not ask it again at once', async () => {
    const imageBuilder = createImageBuilder()
    await imageBuilder.resolveImage(image, credential)
    const { Id: id } = await docker.getImage(image).inspect()
    await registry.stop()
    const mayUseCopy = async () => true
    const copy = { pinned: id, imageId: id, isNew: false, fromCache: true, triggers: [] }
    expect(await imageBuilder.resolveImage(image, credential, { mayUseCopy })).toEqual(copy)
    await using proxy = await engineProxy(ENGINE_SOCKET, null)
    const other = createImageBuilder(proxy.host)
    for (let time = 0; time < 3; time += 1) await other.resolveImage(image, credential, { mayUseCopy })
    expect(proxy.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1)
  })
})
