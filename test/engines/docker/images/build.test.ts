import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DOCKERFILE_NAME, packContext } from '../../../../src/builder/context/build-context.ts'
import { labelStages } from '../../../../src/builder/dockerfile/dockerfile-labels.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { resourcesOf } from '../../../../src/domain/resources.ts'
import { type BuildImages, ensureBuildImages } from '../../../support/build-images.ts'
import { dockerEngine } from '../../../support/docker-engine.ts'
import { removeEverything } from '../../../support/remove-everything.ts'

const docker = new Docker()
const installationId = newId('ins')
let images: BuildImages
const PROCESSES = 60
/** The weight of a step among all containers: of cgroup v1, or as much in the numbers of v2. */
const WEIGHT = `const { existsSync, readFileSync } = require('fs')
const [v1, v2] = ['/sys/fs/cgroup/cpu/cpu.shares', '/sys/fs/cgroup/cpu.weight']
console.log('weight: ' + (existsSync(v1) ? Number(readFileSync(v1)) : Math.round(((readFileSync(v2) - 1) * 262142) / 9999 + 2)))`
/** Begins after a moment, as no program of a test is faster than the engine's event. */
const FORKS = `setTimeout(() => {
  const children = []
  try { for (let n = 0; n < 300; n += 1) children.push(require('child_process').spawn('sleep', ['9']).on('error', () => {})) } catch {}
  console.log('started: ' + children.filter((child) => child.pid).length)
  for (const child of children) if (child.pid) child.kill()
  process.exit()
}, 1000)`

beforeAll(async () => {
  images = await ensureBuildImages(docker)
})

afterAll(() => removeEverything(docker, installationId))

describe.each(['classic', 'buildkit'] as const)('the %s builder', (builder) => {
  const { imageBuilder } = dockerEngine({ installationId, builder })
  const [appEnvId, accountId] = [newId('env'), newId('acc')]

  async function build(...instructions: string[]) {
    const lines: string[] = []
    const traits = await imageBuilder.traits()
    const dockerfile = labelStages([`FROM ${images.node}`, ...instructions].join('\n'), traits.stageLabels(appEnvId))
    const contentId = newId('con')
    const building = imageBuilder.build(
      {
        appEnvId,
        accountId,
        appId: newId('app'),
        contentId,
        operationId: newId('op'),
        name: `berth-${traits.namespace}/shop:${builder}`,
        context: packContext(null, dockerfile),
        dockerfile: DOCKERFILE_NAME,
        buildArgs: { WHO: 'you' },
        credentials: {},
        resources: resourcesOf({ zClouds: 1 }),
        diskMb: 1000,
        processes: PROCESSES,
        onLine: (line) => lines.push(line),
      },
      { timeoutSeconds: 60 },
    )
    const id = building.then(
      ({ imageId }) => imageId,
      (error: { reason: string }) => error,
    )
    return { id: await id, lines, contentId }
  }

  test('reports its progress, and its image is found by its labels', async () => {
    const { id, lines, contentId } = await build('ARG WHO', 'ENV GREETING=$WHO', 'WORKDIR /greeting')
    expect(id).toMatch(/^sha256:/)
    expect(lines.join('\n')).toContain('WORKDIR /greeting')
    const { Config } = await docker.getImage(String(id)).inspect()
    expect(Config.Env).toContain('GREETING=you')
    const built = await imageBuilder.builtImages({ appEnvId })
    expect(built).toContainEqual(expect.objectContaining({ id, appEnvId, contentId }))
    await imageBuilder.removeImage(String(id))
    expect((await imageBuilder.builtImages({ appEnvId })).map((image) => image.id)).not.toContain(id)
  })

  test('builds from the given context, and nothing else', async () => {
    const list = `console.log('here: ' + JSON.stringify(require('fs').readdirSync('/ctx')))`
    const { id, lines } = await build('WORKDIR /ctx', 'COPY . /ctx', `RUN ["node", "-e", ${JSON.stringify(list)}]`)
    expect(id).toMatch(/^sha256:/)
    const found = JSON.parse(/here: (\[.*\])/.exec(lines.find((line) => line.includes('here: [')) ?? '')?.[1] ?? 'null')
    // BuildKit unpacks archives whole.
    expect(found).toEqual(builder === 'classic' ? [] : [DOCKERFILE_NAME, '.dockerignore'])
  })

  test.each(['--security=insecure', '--network=host'])('refuses to run a step with %s', async (flag) => {
    const { id, lines } = await build(`RUN ${flag} echo it runs`)
    expect(id).toMatchObject({ reason: 'BUILD_FAILED' })
    expect(lines).not.toContain('it runs')
  })

  test('runs programs, and reports their output as lines', async () => {
    // BuildKit prints no output of a step that an earlier build has run already.
    const { id, lines } = await build('ARG WHO', `RUN echo hello $WHO > /${installationId} && cat /${installationId}`)
    expect(id).toMatch(/^sha256:/)
    expect(lines).toContain('hello you')
    expect(await build('RUN exit 3')).toMatchObject({ id: { reason: 'BUILD_FAILED' } })
  })

  test('keeps an environment’s caches for its next build, and for no other, if it can', async () => {
    const { cacheScope } = await imageBuilder.traits()
    const [ours, theirs] = [cacheScope(appEnvId), cacheScope(newId('env'))]
    if (ours === null) {
      console.info(`The ${builder} builder has no caches besides its layers`)
      expect(await build('RUN --mount=type=cache,target=/kept true')).toMatchObject({ id: { reason: 'BUILD_FAILED' } })
      return
    }
    // A step that an earlier run has built, with any cache, would not run again.
    const counting = (scope: string | null, turn: number) =>
      build(
        `RUN --mount=type=cache,id=${scope}-npm,target=/kept echo ${turn} >> /kept/turns && cat /kept/turns # ${appEnvId}`,
      )
    expect((await counting(ours, 1)).lines).toContain('1')
    expect((await counting(ours, 2)).lines.slice(-20)).toEqual(expect.arrayContaining(['1', '2']))
    const other = await counting(theirs, 3)
    expect(other.lines).toContain('3')
    expect(other.lines).not.toContain('1')
  })

  test('limits the processes of a step, if it can', async () => {
    const { lines } = await build(`RUN ["node", "-e", ${JSON.stringify(FORKS)}]`)
    const started = Number(/started: (\d+)/.exec(lines.join('\n'))?.[1])
    if (builder === 'classic') expect(started).toBeLessThan(PROCESSES)
    else console.info(`The ${builder} builder has no limit of its own: ${started} processes started`)
  })

  test('lets running apps go first, if it can', async () => {
    // A step that was built before would not run again.
    const { lines } = await build(`RUN ["node", "-e", ${JSON.stringify(`${WEIGHT}\n// ${newId('con')}`)}]`)
    const weight = Number(/weight: (\d+)/.exec(lines.join('\n'))?.[1])
    // What a container has that nothing is said about is 1,024.
    if (builder === 'classic') expect(weight).toBeLessThan(512)
    else console.info(`The ${builder} builder gives all steps the same weight: ${weight}`)
  })

  test('fails with a reason', async () => {
    const { id } = await build('COPY nothing /')
    expect(id).toMatchObject({ reason: 'BUILD_FAILED', message: expect.stringContaining('nothing') })
  })
})
