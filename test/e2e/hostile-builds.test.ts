import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BuildImages } from '../support/build-images.ts'
import { countSteps, waitingStep } from '../support/running-steps.ts'
import { sourceOf } from '../support/source-archive.ts'
import { eventually } from '../worker/fixtures.ts'
import { type BuildSite, startBuildSite } from './build-site.ts'
import type { TestPlatform } from './platform.ts'

let berth: TestPlatform
let images: BuildImages
let site: BuildSite

beforeAll(async () => {
  ;({ berth, images, site } = await startBuildSite())
})

afterAll(() => berth?.stop())

const source = (...instructions: string[]) =>
  sourceOf({ Dockerfile: [`FROM ${images.node}`, ...instructions].join('\n'), 'a/link.txt': 'x' })

test('paths and arguments that are hostile are refused where they are set', async () => {
  const { appId } = await site.uploadedApp()
  const refused: [field: string, value: string, status: number][] = [
    ...['../Dockerfile', '/etc/passwd', 'a/../../x', 'a/..', '..'].flatMap((path): [string, string, number][] => [
      ['dockerfilePath', path, 400],
      ['contextDir', path, 400],
    ]),
    ['dockerfilePath', 'a\0b', 400],
    ['buildArgs', 'A=a\0b', 400],
    ['buildArgs', `A=${'x'.repeat(900_000)}`, 400],
    ['buildArgs', `A=${'x'.repeat(1_100_000)}`, 413],
    ['customDockerfileContent', `FROM a\n${'#'.repeat(900_000)}`, 400],
  ]
  for (const [field, value, status] of refused) {
    const answer = await berth.rest('PATCH', '/app', { appId, [field]: value })
    expect([field, value.slice(0, 20), answer.status]).toEqual([field, value.slice(0, 20), status])
  }
})

test.each([
  ['option', '--x'],
  ['command', 'A=1 touch /tmp/berth-pwned'],
  ['prototype', '{"__proto__":{"polluted":true}}'],
  ['list of too many', Array.from({ length: 120 }, (_, at) => `A${at}=1`).join(' ')],
  ['choice of what reads the Dockerfile', 'BUILDKIT_SYNTAX=evil/front-end'],
])('no app is given an argument that is a %s', async (_name, buildArgs) => {
  const { appId } = await site.uploadedApp()
  const answer = await berth.rest('PATCH', '/app', { appId, buildArgs })
  expect([answer.status, await answer.json()]).toEqual([
    400,
    expect.objectContaining({ errors: [expect.objectContaining({ field: 'buildArgs' })] }),
  ])
})

test.each([
  ['copies what is above its context', 'COPY ../../etc/passwd /', /^BUILD_FAILED$/],
  ['adds what an address holds', 'ADD http://127.0.0.1:1/ /', /^(BUILD_FAILED|DOCKERFILE_INVALID)$/],
  ['runs a step without confinement', 'RUN --security=insecure true', /^BUILD_FAILED$/],
] as const)('a build that %s is refused', async (_name, instruction, reason) => {
  const app = await site.uploadedApp()
  const wanted = { status: 'FAILED', reason: expect.stringMatching(reason) }
  expect(await site.upload(app, await source(instruction))).toMatchObject(wanted)
})

test('a .dockerignore that cannot be read fails its build, and does not end the worker', async () => {
  const app = await site.uploadedApp()
  const archive = await sourceOf({ Dockerfile: `FROM ${images.node}\nCOPY . /`, '.dockerignore': 'src/[abc' })
  expect(await site.upload(app, archive)).toMatchObject({ status: 'FAILED', reason: 'SOURCE_REFUSED' })
})

test('a step of a build cannot pass for a replica of another environment', async () => {
  const app = await site.uploadedApp()
  const claim = 'LABEL berth.role=replica "berth.env"=env_other'
  const storageKey = await site.put(
    app,
    await source('ARG KEY=berth.role', claim, 'LABEL $KEY=replica', waitingStep(app.appEnvId)),
  )
  await berth.ok('POST', '/app-env/notify-code-upload', { appEnvId: app.appEnvId, storageKey })
  await eventually(
    () => countSteps(berth.docker, app.appEnvId),
    (count) => count > 0,
  )
  // In the engine's own builder a step is a container.
  const seen = await berth.docker.listContainers({ filters: { label: [`berth.env=${app.appEnvId}`] } })
  expect(seen.filter(({ Labels }) => Labels['berth.role'] !== 'build')).toEqual([])
  expect(await berth.docker.listContainers({ filters: { label: ['berth.env=env_other'] } })).toEqual([])
  await berth.ok('POST', '/app-env/stop', { appEnvId: app.appEnvId })
  expect(await berth.docker.listContainers({ filters: { label: ['berth.env=env_other'] } })).toEqual([])
})

test('a source that takes more memory than its reader has fails its build, and nothing else', async () => {
  await berth.stop()
  ;({ berth, images, site } = await startBuildSite({ BERTH_SOURCE_READING_MB: '32' }))
  const app = await site.uploadedApp({ dockerPreset: 'EXPRESS' })
  const nested = `${'['.repeat(500_000)}${']'.repeat(500_000)}`
  const operation = await site.upload(app, await sourceOf({ 'package.json': `{"x":${nested}}` }))
  expect(operation).toMatchObject({ status: 'FAILED', reason: 'SOURCE_LIMIT_EXCEEDED' })
  expect(operation.message).toMatch(/^Reading .* takes more than 32 MB of memory \(BERTH_SOURCE_READING_MB\)/)
  expect((await berth.rest('GET', '/accounts')).status).toBe(200)
})
