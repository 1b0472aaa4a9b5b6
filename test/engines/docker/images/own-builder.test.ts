import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import Docker from 'dockerode'
import { pack } from 'tar-stream'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DOCKERFILE_NAME, packContext } from '../../../../src/builder/context/build-context.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { familiarName } from '../../../../src/domain/image-reference.ts'
import { createWorld, type EngineHarness, type World } from '../../../contracts/engine-harness.ts'
import { describeBuilding } from '../../../contracts/image-builder/building.ts'
import { describeBuiltImages } from '../../../contracts/image-builder/built-images.ts'
import { BUILDER_IMAGE, builderImageProblem } from '../../../support/builder-image.ts'
import { dockerEngine } from '../../../support/docker-engine.ts'
import { dockerHarness } from '../../../support/docker-harness.ts'

const docker = new Docker()
const problem = await builderImageProblem(docker)
if (problem) console.warn(problem)

const ownBuilder = { image: BUILDER_IMAGE, cacheMb: 5_000, idleSeconds: 600 }
const harness: EngineHarness = {
  ...dockerHarness,
  open: (options) => dockerEngine({ ...options, builder: 'own', ownBuilder }),
}

interface Building {
  accountId?: string
  memoryMb?: number
  diskMb?: number
  processes?: number
  /** Images of the engine that it may use besides. */
  others?: Record<string, string>
  secrets?: Record<string, string>
  signal?: AbortSignal
  onLine?: (line: string) => unknown
  /** In place of the files. */
  context?: Readable
}

describe.skipIf(problem)('a builder for each account', () => {
  let present: World
  const world = () => present
  const [ours, theirs] = [newId('acc'), newId('acc')]
  let number = 0

  beforeAll(async () => {
    present = createWorld(harness, await harness.ensureImage())
  })
  afterAll(() => harness.cleanUp(present.installationId))

  /** Files beside the Dockerfile, which begins with the instructions; the image of the harness is its base. */
  async function build(files: Record<string, string>, given: Building = {}) {
    number += 1
    const archive = pack()
    // As contexts are packed: every file has the same time.
    for (const [name, text] of Object.entries(files)) archive.entry({ name, mtime: new Date(0) }, text)
    archive.finalize()
    const lines: string[] = []
    const { accountId = ours, memoryMb = 512, diskMb = 1_000, processes = 200 } = given
    const { context = Readable.from(archive), others = {}, secrets = {}, signal, onLine } = given
    const { imageId } = await present.imageBuilder.resolveImage(present.image, null, { mayUseCopy: async () => true })
    const ended = await present.imageBuilder
      .build(
        {
          accountId,
          appId: newId('app'),
          appEnvId: newId('env'),
          contentId: newId('con'),
          operationId: newId('op'),
          name: `berth-own/shop:${number}`,
          context,
          dockerfile: given.context ? DOCKERFILE_NAME : 'Dockerfile',
          buildArgs: {},
          secrets,
          credentials: {},
          bases: { ...others, [familiarName(present.image)]: imageId },
          resources: { cpu: 1, memoryMb },
          diskMb,
          processes,
          onLine(line) {
            lines.push(line)
            onLine?.(line)
          },
        },
        { timeoutSeconds: 220, ...(signal ? { signal } : {}) },
      )
      .then(
        ({ imageId, used }) => ({ id: imageId, used }),
        ({ reason, message }: { reason?: string; message: string }) => ({ id: { reason, message }, used: null }),
      )
    return { ...ended, lines }
  }
  const node = (program: string) => `RUN ["node", "-e", ${JSON.stringify(program)}]`
  const from = (...instructions: string[]) => [`FROM ${present.image}`, ...instructions, ''].join('\n')
  const textIn = async (id: unknown, path: string) => {
    const container = await docker.createContainer({ Image: String(id), Cmd: ['true'] })
    try {
      const chunks: Buffer[] = []
      for await (const chunk of await container.getArchive({ path })) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks).toString().replaceAll('\0', '')
    } finally {
      await container.remove({ force: true })
    }
  }

  describe('keeps the contract of builds', () => {
    afterEach(() => harness.removeContainers(present.installationId))
    describeBuilding(world, harness)
  })
  describe('keeps the contract of built images', () => describeBuiltImages(world, harness))

  test('builds a file of the same size and time with another content anew', async () => {
    for (const text of ['one', 'two', 'tre', 'for']) {
      const { id } = await build({ Dockerfile: from('COPY a.txt /a.txt'), 'a.txt': text })
      expect(await textIn(id, '/a.txt')).toContain(text)
    }
  })

  test('gives an image the modes, links and names of a packed source, and nothing that is ignored', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-own-'))
    await writeFile(join(folder, 'key'), 'x')
    await chmod(join(folder, 'key'), 0o600)
    await symlink('/app/releases/1', join(folder, 'current'))
    await writeFile(join(folder, 'a\\b'), 'x')
    await writeFile(join(folder, 'notes.txt'), 'x')
    await writeFile(join(folder, '.dockerignore'), '*\n!key\n!current\n!a*\n')
    const program = `
const fs = require('fs')
for (const name of fs.readdirSync('/src', 'buffer')) {
  const path = Buffer.concat([Buffer.from('/src/'), name])
  const found = fs.lstatSync(path)
  const shown = JSON.stringify(name.toString('latin1'))
  console.log('has: ' + shown, found.isSymbolicLink() ? fs.readlinkSync(path) : found.mode.toString(8))
}`
    const context = packContext(folder, from('COPY . /src', node(program)), { isForEngine: false })
    const { lines } = await build({}, { context })
    await rm(folder, { recursive: true })
    expect(lines.filter((line) => line.includes('has: "')).map((line) => line.replace(/.*has: /, ''))).toEqual([
      '"a\\\\b" 100644',
      '"current" /app/releases/1',
      '"key" 100600',
    ])
  })

  test('leaves nothing of Berth in the image, and no file that it has not sent', async () => {
    const { id, lines } = await build({
      Dockerfile: from('COPY . /src', node("console.log('has: ' + require('fs').readdirSync('/src'))")),
      'a.txt': 'a',
    })
    expect([typeof id, lines.find((line) => line.startsWith('has: '))]).toEqual(['string', 'has: a.txt'])
  })

  test('reads no image of the engine but the bases that it is given, by whatever name', async () => {
    const { Id } = await docker.getImage(BUILDER_IMAGE).inspect()
    const hash = Id.slice('sha256:'.length)
    for (const name of [BUILDER_IMAGE, hash, hash.slice(0, 12)])
      for (const dockerfile of [`FROM ${name}\nRUN true\n`, from(`COPY --from=${name} / /stolen`)])
        expect((await build({ Dockerfile: dockerfile })).id).toMatchObject({ reason: 'BUILD_FAILED' })
  })

  test('has caches for its account alone', async () => {
    const cache = (program: string) =>
      from(`RUN --mount=type=cache,id=shared,target=/cache ["node", "-e", ${JSON.stringify(program)}]`)
    await build({ Dockerfile: cache("require('fs').writeFileSync('/cache/planted', 'x')") })
    const look = "console.log('there: ' + require('fs').readdirSync('/cache') + Date.now())"
    const own = await build({ Dockerfile: cache(look) })
    const other = await build({ Dockerfile: cache(look) }, { accountId: theirs })
    expect(own.lines.find((line) => line.startsWith('there: '))).toMatch(/^there: planted/)
    expect(other.lines.find((line) => line.startsWith('there: '))).toMatch(/^there: \d/)
  })

  test('ends a step that takes more memory than a build may, and says so', async () => {
    const { id } = await build({ Dockerfile: from(node('const a = []; for (;;) a.push(Buffer.alloc(1e7, 1))')) })
    expect(id).toMatchObject({
      reason: 'BUILD_FAILED',
      message: expect.stringContaining('out of memory: a build may use 512 MB'),
    })
  })

  /** It has a shell and `sleep`: processes that take next to no memory. */
  const shell = async () => ({ [familiarName(BUILDER_IMAGE)]: (await docker.getImage(BUILDER_IMAGE).inspect()).Id })
  const OUT_OF_PROCESSES = 'out of processes: a build may have 150 at a time'

  test('ends a build that holds all processes that it may have, and says so', async () => {
    const held = 'echo it holds; (while :; do sleep 500 & done); exec sleep 500'
    const heldAt: number[] = []
    const { id } = await build(
      { Dockerfile: `FROM ${BUILDER_IMAGE}\nRUN ${held}\n` },
      {
        processes: 150,
        others: await shell(),
        onLine: (line) => line === 'it holds' && heldAt.push(performance.now()),
      },
    )
    expect(id).toMatchObject({ reason: 'BUILD_FAILED', message: expect.stringContaining(OUT_OF_PROCESSES) })
    expect(performance.now() - (heldAt[0] ?? 0)).toBeLessThan(20_000)
    expect(typeof (await build({ Dockerfile: from(node("console.log('after')")) })).id).toBe('string')
  })

  test('says of a build that failed for want of processes that it did', async () => {
    const failing = 'for n in $(seq 300); do sleep 500 & done; wait'
    const { id } = await build(
      { Dockerfile: `FROM ${BUILDER_IMAGE}\nRUN ${failing}\n` },
      { processes: 150, others: await shell() },
    )
    expect(id).toMatchObject({ reason: 'BUILD_FAILED', message: expect.stringContaining(OUT_OF_PROCESSES) })
  })

  test('ends a build that writes more than it may, and builds the next one', async () => {
    const program =
      "const fs = require('fs'); const f = fs.openSync('/big', 'w'); for (let n = 0; n < 600; n += 1) fs.writeSync(f, Buffer.alloc(1048576, n)); setTimeout(() => {}, 60000)"
    const { id } = await build({ Dockerfile: from(node(program)) }, { diskMb: 200 })
    expect(id).toMatchObject({ reason: 'DISK_QUOTA_EXCEEDED', message: 'The build has written more than 200 MB' })
    expect(typeof (await build({ Dockerfile: from(node("console.log('next')")) })).id).toBe('string')
  })

  test('mounts secrets, which are in no image and outlast no build', async () => {
    const print = "console.log('told: ' + [process.env.TOKEN, require('fs').readFileSync('/run/secrets/KEY', 'utf8')])"
    const secrets = { TOKEN: 'hunter2', KEY: 'two\nlines' }
    const mounts = '--mount=type=secret,id=TOKEN,env=TOKEN --mount=type=secret,id=KEY'
    const step = `RUN ${mounts} ["node", "-e", ${JSON.stringify(print)}]`
    const { id, lines } = await build({ Dockerfile: from(step) }, { secrets })
    expect(lines.join('\n')).toContain('told: hunter2,two\nlines')
    const image = docker.getImage(String(id))
    expect(JSON.stringify([await image.inspect(), await image.history()])).not.toMatch(/hunter2|two/)
    const without = await build({ Dockerfile: from(step.replace('told', 'again')) })
    expect(without.lines.join('\n')).not.toMatch(/hunter2|two/)
  })

  test('tells what a build has used', async () => {
    const program =
      "require('fs').writeFileSync('/big', Buffer.alloc(2e7, 1)); const held = Buffer.alloc(1e8, 1); while (process.cpuUsage().user < 1.5e6);"
    const { used } = await build({ Dockerfile: from(node(program)), 'a.txt': 'x'.repeat(100_000) })
    expect(used?.memoryPeakBytes).toBeGreaterThan(1e8)
    expect(used?.cpuSeconds).toBeGreaterThan(1)
    expect(used?.writtenBytes).toBeGreaterThan(1.9e7)
    expect(used?.sentBytes).toBeGreaterThan(100_000)
    expect(used?.cacheBytes).toBeGreaterThan(2e7)
    expect(used?.steps).toEqual([expect.objectContaining({ isCached: false, name: expect.stringContaining('node') })])
    expect(used?.steps[0]?.seconds).toBeGreaterThan(1.4)
  })

  test('reads what only BuildKit does: here-documents, links, the front end that is built in', async () => {
    const { id } = await build({
      Dockerfile: `FROM ${present.image} AS first\nCOPY <<EOF /told.txt\nhere\nEOF\n${from('COPY --link --from=first /told.txt /told.txt')}`,
    })
    expect(await textIn(id, '/told.txt')).toContain('here')
  })

  test('runs as root where the machine has no user namespaces, with the same limits', async () => {
    const context = pack()
    context.entry(
      { name: 'Dockerfile' },
      `FROM ${BUILDER_IMAGE}\nUSER 0\nRUN printf '#!/bin/sh\\necho "[rootlesskit:parent] error: failed to start the child: no user namespaces" >&2; exit 1' > "$(which rootlesskit)"\nUSER 1000\n`,
    )
    context.finalize()
    const image = `berth-test-builder:${present.installationId.slice(-8)}`
    const stream = await docker.buildImage(Readable.from(context), { t: image, version: '1' })
    await new Promise((resolve) => docker.modem.followProgress(stream, resolve))
    const installationId = newId('ins')
    const { imageBuilder } = dockerEngine({ installationId, builder: 'own', ownBuilder: { ...ownBuilder, image } })
    try {
      const { imageId } = await imageBuilder.resolveImage(present.image, null, { mayUseCopy: async () => true })
      const archive = pack()
      archive.entry(
        { name: 'Dockerfile' },
        from(node('console.log("as root"); const a = []; for (;;) a.push(Buffer.alloc(1e7, 1))')),
      )
      archive.finalize()
      const lines: string[] = []
      const building = imageBuilder.build(
        {
          accountId: ours,
          appId: newId('app'),
          appEnvId: newId('env'),
          contentId: newId('con'),
          operationId: newId('op'),
          name: 'berth-own/root:1',
          context: Readable.from(archive),
          dockerfile: 'Dockerfile',
          buildArgs: {},
          credentials: {},
          bases: { [familiarName(present.image)]: imageId },
          resources: { cpu: 1, memoryMb: 512 },
          diskMb: 1_000,
          processes: 200,
          onLine: (line) => lines.push(line),
        },
        { timeoutSeconds: 220 },
      )
      await expect(building).rejects.toMatchObject({ message: expect.stringContaining('out of memory') })
      expect(lines).toContainEqual(expect.stringMatching(/runs as root: .*no user namespaces/))
      expect(lines).toContain('as root')
    } finally {
      await harness.cleanUp(installationId)
      await docker.getImage(image).remove({ force: true })
    }
  })

  test('ends a build that is cancelled with all that it has started', async () => {
    const leaving = new AbortController()
    const program = "console.log('it runs'); setInterval(() => {}, 1000); process.on('SIGTERM', () => {})"
    const onLine = (line: string) => line === 'it runs' && leaving.abort(new Error('cancelled'))
    const { id } = await build({ Dockerfile: from(node(program)) }, { signal: leaving.signal, onLine })
    expect(id).toMatchObject({ message: 'cancelled' })
    const builder = docker.getContainer(`berth-${present.installationId.slice(-8)}-builder-${ours.slice(-8)}`)
    await expect.poll(async () => JSON.stringify((await builder.top()).Processes)).not.toContain('it runs')
  })
})
