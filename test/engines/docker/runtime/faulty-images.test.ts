import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import Docker from 'dockerode'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RuntimeError } from '../../../../src/engines/runtime/container-runtime.ts'
import { runOf } from '../../../contracts/container-runtime/runs.ts'
import { createWorld, eventually, type World } from '../../../contracts/engine-harness.ts'
import { dockerHarness } from '../../../support/docker-harness.ts'

const docker = new Docker()
const FILES = join(import.meta.dirname, 'files/faulty-image')

let world: World
let base = ''
const images = new Set<string>()

/** An image that cannot be run, by what its author has said of it, and what the failure says. */
const FAULTS: Record<string, { changes: string; words: RegExp }> = {
  'a user that it does not have': { changes: 'USER nobodyhere', words: /nobodyhere.*: create that user or group/ },
  'a group that it does not have': { changes: 'USER root:nogrouphere', words: /nogrouphere.*: create that user/ },
  'a working directory that is a file': { changes: 'WORKDIR /etc/passwd', words: /passwd.*: .*WORKDIR/ },
  'a program that it does not have': { changes: 'ENTRYPOINT ["/nosuch"]', words: /exec \/nosuch.*no such program/ },
  'a script whose interpreter it does not have': {
    changes: 'ENTRYPOINT ["/no-interpreter"]',
    words: /exec \/no-interpreter.*interpreter/,
  },
  'a script with lines of Windows': { changes: 'ENTRYPOINT ["/windows-lines"]', words: /line end of Windows/ },
  'a file that is not executable': { changes: 'ENTRYPOINT ["/not-executable"]', words: /not-executable.*chmod \+x/ },
  'a folder in place of a program': { changes: 'ENTRYPOINT ["/etc"]', words: /exec \/etc.*it is no program/ },
  'a program for another machine': { changes: 'ENTRYPOINT ["/for-arm64"]', words: /for-arm64.*for another machine/ },
  'another architecture': {
    changes: '',
    words: /for linux\/riscv64, and the engine’s machine is linux\/\S+: build it for that/,
  },
}

/** Ways in which an image is run; each returns why it cannot be. */
const WAYS: Record<string, (image: string) => Promise<unknown>> = {
  'a version': (pinnedImage) => reasonOf(world.runtime.apply(world.rollout({ pinnedImage, command: null }))),
  'a run': (pinnedImage) =>
    reasonOf(
      (async () => {
        const run = runOf(world, { entrypoint: [], args: [] }, { pinnedImage, command: null })
        const { containerId } = await world.runtime.createRun(run)
        await world.runtime.startRun(containerId)
        const ended = await eventually(
          async () => (await world.runtime.observeRuns({ containerId }))[0],
          (seen) => seen?.phase === 'exited',
        )
        throw new RuntimeError('CONTAINER_START_FAILED', ended?.startFault ?? 'nothing said')
      })(),
    ),
  'a task': (pinnedImage) =>
    reasonOf(world.runtime.runTask(world.task({ pinnedImage, entrypoint: [], args: [] }), { timeoutSeconds: 20 })),
  'a task that goes on': (pinnedImage) =>
    reasonOf(world.runtime.startTask(world.task({ pinnedImage, entrypoint: [], args: [] }))),
}

const reasonOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'it runs',
    (error: unknown) => error,
  )

beforeAll(async () => {
  world = createWorld(dockerHarness, await dockerHarness.ensureImage())
  base = await build('base', '')
})
afterAll(async () => {
  await dockerHarness.cleanUp(world.installationId)
  for (const image of images)
    await docker
      .getImage(image)
      .remove({ force: true })
      .catch(() => {})
})

async function build(tag: string, changes: string): Promise<string> {
  const name = `berth-test-faulty-${world.installationId.slice(-8)}`
  images.add(`${name}:${tag}`)
  if (tag === 'base') {
    const files = readdirSync(FILES).map((file) => [file, readFileSync(join(FILES, file))] as const)
    const context = archiveOf(files, (file) => (file === 'not-executable' ? 0o644 : 0o755))
    const options = { t: `${name}:base`, version: '1', buildargs: { BASE: world.image } } as const
    await finished(await docker.buildImage(context, options))
  } else if (tag === 'another-architecture') {
    await finished(await docker.loadImage(forAnotherMachine(`${name}:${tag}`)))
  } else {
    // Not by a Dockerfile: BuildKit takes each of these, and the classic builder refuses some.
    const container = await docker.createContainer({ Image: base, Cmd: ['none'] })
    await container.commit({ repo: name, tag, changes })
    await container.remove()
  }
  return (await docker.getImage(`${name}:${tag}`).inspect()).Id
}

const finished = (stream: NodeJS.ReadableStream) =>
  new Promise<void>((resolve, reject) =>
    docker.modem.followProgress(stream, (error) => (error ? reject(error) : resolve())),
  )

function archiveOf(files: readonly (readonly [string, Buffer])[], modeOf: (file: string) => number = () => 0o644) {
  const archive = pack()
  for (const [name, content] of files) archive.entry({ name, mode: modeOf(name) }, content)
  archive.finalize()
  return Readable.from(archive)
}

/** As `docker save` writes an image that was built on another machine. */
async function* layerOf(program: string): AsyncGenerator<Buffer> {
  yield* archiveOf([['program', readFileSync(join(FILES, program))]], () => 0o755)
}

function forAnotherMachine(name: string): Readable {
  return Readable.from(
    (async function* () {
      const layer = Buffer.concat(await Array.fromAsync(layerOf('for-arm64')))
      const hash = (content: Buffer) => createHash('sha256').update(content).digest('hex')
      const config = Buffer.from(
        JSON.stringify({
          architecture: 'riscv64',
          os: 'linux',
          created: new Date(0).toISOString(),
          config: { Entrypoint: ['/program'] },
          history: [{}],
          rootfs: { type: 'layers', diff_ids: [`sha256:${hash(layer)}`] },
        }),
      )
      const manifest = [{ Config: `${hash(config)}.json`, RepoTags: [name], Layers: ['layer.tar'] }]
      yield* archiveOf([
        [`${hash(config)}.json`, config],
        ['layer.tar', layer],
        ['manifest.json', Buffer.from(JSON.stringify(manifest))],
      ])
    })(),
  )
}

describe.each(Object.entries(FAULTS))('an image with %s', (fault, { changes, words }) => {
  test.each(Object.entries(WAYS))('is refused for good, with what to do about it, as %s', async (_, reason) => {
    const id = await build(fault.replaceAll(' ', '-'), changes)
    expect(await reason(id)).toMatchObject({
      reason: 'CONTAINER_START_FAILED',
      isFinal: true,
      message: expect.stringMatching(words),
    })
  })
})

test('a program that ends with the exit code of a missing one has run', async () => {
  const run = runOf(world, { entrypoint: ['node', '-e'], args: ["console.log('not found'); process.exit(127)"] })
  const { containerId } = await world.runtime.createRun(run)
  await world.runtime.startRun(containerId)
  const ended = await eventually(
    async () => (await world.runtime.observeRuns({ containerId }))[0],
    (seen) => seen?.phase === 'exited',
  )
  expect(ended).toMatchObject({ exitCode: 127 })
  expect(ended).not.toHaveProperty('startFault')
})
