import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BuildImages } from '../support/build-images.ts'
import { builderImageProblem } from '../support/builder-image.ts'
import { repetitions } from '../support/repetitions.ts'
import { sourceOf } from '../support/source-archive.ts'
import { type BuildSite, type BuiltApp, startBuildSite } from './build-site.ts'
import type { TestPlatform } from './platform.ts'

let berth: TestPlatform
let images: BuildImages
let site: BuildSite
let theirs: BuiltApp
/** What the other account has built: its name on the engine, and its id. */
let built: { name: string; id: string }
let address: string
let accountId: string

beforeAll(async () => {
  // Registries that do not answer are asked again and again otherwise.
  ;({ berth, images, site } = await startBuildSite({ BERTH_OPERATION_ATTEMPTS: '1' }))
  const created = await berth.ok<{ accountId: string }>('POST', '/account', { name: 'somebody else' })
  accountId = created.accountId
  theirs = await site.uploadedApp()
  expect(await site.upload(theirs, await source(`FROM ${images.node}`))).toMatchObject({ status: 'SUCCEEDED' })
  const filters = { label: [`berth.env=${theirs.appEnvId}`, 'berth.role=image'] }
  const [image] = await berth.docker.listImages({ filters })
  built = { name: image?.RepoTags?.[0] ?? '', id: image?.Id ?? '' }
  const replica = await berth.database.replica.findFirstOrThrow({ where: { appEnvId: theirs.appEnvId } })
  address = replica.address ?? ''
})

afterAll(() => berth?.stop())

const SERVER = `require('node:http').createServer((q, r) => r.end('theirs')).listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))`

const source = (...instructions: string[]) =>
  sourceOf({
    Dockerfile: [...instructions, 'COPY server.js /', 'CMD ["node", "/server.js"]'].join('\n'),
    'server.js': SERVER,
  })

/** Nothing was had: not because the build failed, but because the image was not given to it. */
const NOT_HAD =
  /^(DOCKERFILE_INVALID|IMAGE_NOT_FOUND|IMAGE_UNAUTHORIZED|REGISTRY_UNREACHABLE|BUILD_FAILED .*: (invalid repository name|failed to resolve source metadata for docker\.io\/.*))/

describe('what one account has built', () => {
  const all: [string, () => string[]][] = [
    ['by its name', () => [`FROM ${built.name}`]],
    ['by its name in full', () => [`FROM docker.io/${built.name}`]],
    ['by its id', () => [`FROM ${built.id}`]],
    ['by its bare id', () => [`FROM ${built.id.slice('sha256:'.length)}`]],
    ['by the first digits of its id', () => [`FROM ${built.id.slice('sha256:'.length, 'sha256:'.length + 12)}`]],
    ['by an argument', () => ['ARG BASE', 'FROM $BASE']],
    ['by files of its image', () => [`FROM ${images.node}`, `COPY --from=${built.name} /server.js /theirs.js`]],
    [
      'by files of its id',
      () => [`FROM ${images.node}`, `COPY --from=${built.id.slice('sha256:'.length, 20)} /server.js /theirs.js`],
    ],
  ]
  // The other forms of names and ids are told apart by the same code.
  const fewest = ['by its name', 'by its bare id', 'by an argument', 'by files of its image']

  test.each(
    repetitions(
      all.filter(([how]) => fewest.includes(how)),
      all,
    ),
  )('is no base of another one’s builds %s', async (_name, instructions) => {
    const app = await site.uploadedApp({ accountId, buildArgs: `BASE=${built.name}` }, { accountId })
    const operation = await site.upload(app, await source(...instructions()))
    expect(operation.status).toBe('FAILED')
    expect(`${operation.reason} ${operation.message}`).toMatch(NOT_HAD)
    expect(await berth.docker.listImages({ filters: { label: [`berth.env=${app.appEnvId}`] } })).toEqual([])
  })

  test('is not deployed by another one', async () => {
    const app = await site.createApp({ accountId, useImage: true, image: built.name }, { accountId })
    const deploy = (image: string) => berth.rest('POST', '/app-env/deploy-image', { appEnvId: app.appEnvId, image })
    for (const image of [built.id, built.id.slice('sha256:'.length)]) expect((await deploy(image)).status).toBe(400)
    expect((await deploy(built.name)).status).toBe(200)
    expect(await site.ended(app)).toMatchObject({ status: 'FAILED', reason: expect.stringMatching(NOT_HAD) })
  })
})

describe('says the same of what another account has and of what does not exist', () => {
  const hex = (length: number) => '0123456789abcdef'.repeat(4).slice(-length)
  /** Each name that reaches nothing, in each place of a Dockerfile and in a call. */
  const names: [string, () => string, string][] = [
    ['a name', () => built.name, 'berth-absent/server:1'],
    ['a name in full', () => `docker.io/${built.name}`, 'docker.io/berth-absent/server:1'],
    ['an id', () => built.id, `sha256:${hex(64)}`],
    ['a bare id', () => built.id.slice('sha256:'.length), hex(64)],
    ['the first digits of an id', () => built.id.slice('sha256:'.length, 'sha256:'.length + 12), hex(12)],
  ]
  const places: Record<string, (name: string) => string[]> = {
    FROM: (name) => [`FROM ${name}`],
    'FROM an argument': (name) => [`ARG BASE=${name}`, 'FROM $BASE'],
    'COPY --from': (name) => [`FROM ${images.node}`, `COPY --from=${name} /server.js /theirs.js`],
    'RUN --mount from': (name) => [`FROM ${images.node}`, `RUN --mount=type=bind,from=${name},target=/theirs true`],
  }

  const answerTo = async (instructions: string[], name: string): Promise<string> => {
    const app = await site.uploadedApp({ accountId }, { accountId })
    const { status, reason, message } = await site.upload(app, await source(...instructions))
    expect(status).toBe('FAILED')
    // The first line is the reason, in which long names are shortened; the log follows.
    const [why = ''] = `${message}`.split('\n')
    const [repository = name] = name.replace('docker.io/', '').split(/:(?=[^:]*$)/)
    return `${reason} ${why}`
      .replaceAll(name, 'NAME')
      .replaceAll(repository, 'REPOSITORY')
      .replaceAll(/\b[0-9a-f]{4,}( … [0-9a-f]*)?\b/g, 'HEX')
  }

  const cases = Object.entries(places).flatMap(([place, instructions]) =>
    names.map(([kind, theirs, absent]) => [kind, place, instructions, theirs, absent] as const),
  )

  test.each(
    repetitions(
      cases.filter(([kind, place]) => kind === 'a name' || place === 'FROM'),
      cases,
    ),
  )('%s in %s', async (_kind, _place, instructions, theirs, absent) => {
    const said = await answerTo(instructions(theirs()), theirs())
    expect(said).toBe(await answerTo(instructions(absent), absent))
    expect(said).toMatch(NOT_HAD)
  })
})

test('a build reaches containers of its own account, and nobody else’s', async () => {
  const report = (words: string) => `() => { console.log('the other answers: ${words}'); process.exit() }`
  const program = `require('net').connect(3000, '${address}').on('connect', ${report('yes')}).on('error', ${report('no')}).setTimeout(2000, ${report('no')})`
  const reach = async (fields: Record<string, unknown>) => {
    const app = await site.uploadedApp(fields, fields)
    const lines = [`FROM ${images.node}`, `RUN ["node", "-e", ${JSON.stringify(program)}]`]
    const operation = await site.upload(app, await source(...lines))
    const log = await site.logOf(operation)
    return log.find((line) => line.startsWith('the other answers'))
  }
  expect(await reach({})).toBe('the other answers: yes')
  expect(await reach({ accountId })).toBe('the other answers: no')
})

const THEIR_CACHE = '--mount=type=cache,id=shared,target=/cache'
const THEIR_SECRET = '--mount=type=secret,id=THEIRS'
const SOCKETS =
  '/home/user/.local/buildkitd.sock /run/user/1000/buildkit/buildkitd.sock /run/buildkit/buildkitd.sock /run/docker.sock /var/run/docker.sock'

const print = (word: string) => `echo ${word}`
const ifThere = (path: string, word: string) => `if [ -e ${path} ]; then ${print(word)}; fi`
const ifResolved = (name: string) =>
  `RUN ["node", "-e", ${JSON.stringify(`require('dns').lookup('${name}', (error) => console.log(error ? 'not there' : 'reached'))`)}]`

const problem = await builderImageProblem(new Docker())
if (problem) console.warn(problem)

describe.skipIf(problem !== null)('a step of one account’s build', () => {
  const ways: [string, () => string | Promise<string>][] = [
    [
      'finds nothing in another one’s cache of the same name',
      () => `RUN ${THEIR_CACHE} ${ifThere('/cache/theirs', 'reached')}`,
    ],
    ['has no secret of another one', () => `RUN ${THEIR_SECRET} ${ifThere('/run/secrets/THEIRS', 'reached')}`],
    [
      'sees no socket of a builder or an engine',
      () => `RUN for one in ${SOCKETS}; do ${ifThere('$one', 'reached')}; done`,
    ],
    ['sees no file of its builder', () => `RUN ${ifThere('/home/user/.local/share/buildkit', 'reached')}`],
    ['cannot resolve another one’s app', async () => ifResolved(await nameOf('replica', theirs))],
    ['cannot resolve another one’s builder', async () => ifResolved(await nameOf('builder', theirs))],
  ]

  const nameOf = async (role: string, { appEnvId }: BuiltApp): Promise<string> => {
    const label = [
      `berth.role=${role}`,
      role === 'builder' ? `berth.account=${theirAccountId}` : `berth.env=${appEnvId}`,
    ]
    const [container] = await berth.docker.listContainers({ filters: { label } })
    expect(container).toBeDefined()
    return container?.Names[0]?.slice(1) ?? ''
  }

  let theirAccountId: string

  beforeAll(async () => {
    const { accounts } = await berth.ok<{ accounts: { accountId: string }[] }>('GET', '/accounts')
    theirAccountId = accounts.find((one) => one.accountId !== accountId)?.accountId ?? ''
    const envVars = [{ name: 'THEIRS', value: 'hidden-from-others', type: 'BUILD', isSecret: true }]
    const planting = await site.uploadedApp({}, { envVars })
    const plant = `RUN ${THEIR_CACHE} ${THEIR_SECRET} : > /cache/theirs; ${ifThere('/run/secrets/THEIRS', 'planted')}`
    const operation = await site.upload(planting, await source(`FROM ${images.node}`, plant))
    expect(operation).toMatchObject({ status: 'SUCCEEDED' })
    expect(await site.logOf(operation)).toContain('planted')
  })

  test.each(ways)('%s', async (_name, instruction) => {
    const app = await site.uploadedApp({ accountId }, { accountId })
    const operation = await site.upload(app, await source(`FROM ${images.node}`, await instruction()))
    expect(operation).toMatchObject({ status: 'SUCCEEDED' })
    expect(await site.logOf(operation)).not.toContain('reached')
  })
})
