import { readdir } from 'node:fs/promises'
import Docker from 'dockerode'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuildImages, ensureBuildImages } from '../support/build-images.ts'
import { countSteps, waitingStep } from '../support/running-steps.ts'
import { sourceOf } from '../support/source-archive.ts'
import { eventually } from '../worker/fixtures.ts'
import { type BuildSite, type BuiltApp, startBuildSite } from './build-site.ts'
import { ask } from './clients.ts'
import type { TestPlatform } from './platform.ts'

let berth: TestPlatform
let images: BuildImages
let site: BuildSite
/** Serves throughout; what fails is always its next version. */
let app: BuiltApp
/** Its build hangs, in another account: one builds one at a time. */
let hanging: BuiltApp

/** A build writes this many megabytes to break a limit: little, since the engine hashes and copies each of them. */
const TOO_MANY_MB = 40
const DISK_MB = 50

beforeAll(async () => {
  const docker = new Docker()
  const layers: { Size: number }[] = await docker.getImage((await ensureBuildImages(docker)).node).history()
  const baseBytes = layers.reduce((sum, { Size }) => sum + Size, 0)
  ;({ berth, images, site } = await startBuildSite({
    BERTH_BUILD_TIMEOUT_SECONDS: '60',
    BERTH_BUILD_LOG_LINES: '500',
    BERTH_OPERATION_ATTEMPTS: '3',
    BERTH_IMAGE_LIMIT_MB: String(Math.ceil(baseBytes / 1024 / 1024) + TOO_MANY_MB / 2),
    BERTH_BUILD_DISK_MB: String(DISK_MB),
  }))
  app = await site.uploadedApp()
  expect(await site.upload(app, await source())).toMatchObject({ status: 'SUCCEEDED' })
  // Ends at its deadline, while the tests before its own go on.
  const { accountId } = await berth.ok<{ accountId: string }>('POST', '/account', { name: 'hanging' })
  hanging = await site.uploadedApp({ accountId }, { accountId })
  const storageKey = await site.put(hanging, await source('RUN sleep 600'))
  await berth.ok('POST', '/app-env/notify-code-upload', { appEnvId: hanging.appEnvId, storageKey })
})

afterAll(() => berth?.stop())

const operationsOf = async ({ appEnvId }: BuiltApp) =>
  (await berth.ok<{ operations: { operationId: string }[] }>('GET', `/operations?appEnvId=${appEnvId}`)).operations

const SERVER = `require('node:http').createServer((q, r) => r.end('good')).listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))`

const source = (...instructions: string[]) => {
  const start = 'CMD ["node", "/server.js"]'
  const lines = [`FROM ${images.node}`, ...instructions, 'COPY server.js /', 'USER node', start]
  return sourceOf({ Dockerfile: lines.join('\n'), 'server.js': SERVER })
}

const megabytes = (name: string, count: number) => `dd if=/dev/zero of=/${name} bs=1000000 count=${count}`

/** The version before serves as if nothing had been tried, and only its image is on the engine. */
async function expectUntouched(): Promise<void> {
  expect(await ask(berth.platform.ingressUrl ?? '', app.host)).toEqual({ status: 200, body: 'good' })
  const { status, currentVersion } = await berth.ok<{ status: string; currentVersion: number }>(
    'GET',
    `/app-env/status?appEnvId=${app.appEnvId}`,
  )
  expect([status, currentVersion]).toEqual(['RUNNING', 1])
  const filters = { label: [`berth.env=${app.appEnvId}`] }
  await eventually(
    () => berth.docker.listImages({ filters }),
    (seen) => seen.length === 1,
  )
  await expectNothingLeft(app)
}

/** No container of its builds, and no folder. */
async function expectNothingLeft(built: BuiltApp): Promise<void> {
  const builds = { label: [`berth.env=${built.appEnvId}`, 'berth.role=build'] }
  expect(await berth.docker.listContainers({ all: true, filters: builds })).toEqual([])
  const folders = await readdir(`${berth.dataDir}/builds`).catch(() => [])
  const operations = await operationsOf(built)
  expect(folders.filter((folder) => operations.some(({ operationId }) => folder.startsWith(operationId)))).toEqual([])
}

test('a build that fails says why, with the last lines', async () => {
  const operation = await site.upload(app, await source('RUN echo cannot find the cork >&2; exit 3'))
  expect(operation).toMatchObject({ status: 'FAILED', reason: 'BUILD_FAILED' })
  expect(operation.message).toMatch(/code: 3[\s\S]*cannot find the cork/)
  expect((await site.logOf(operation)).join('\n')).toMatch(/cannot find the cork[\s\S]*The build failed/)
  await expectUntouched()
})

test('a build that prints much after its first error still says which that was', async () => {
  const script =
    'console.log("src/cart.ts(3,5): error TS2304: no Cart"); for (let i = 0; i < 99; i += 1) console.log("module " + i)'
  const operation = await site.upload(app, await source(`RUN node -e '${script}' && exit 2`))
  expect(operation).toMatchObject({ status: 'FAILED', reason: 'BUILD_FAILED' })
  expect(operation.message).toMatch(
    /code: 2\nsrc\/cart\.ts\(3,5\): error TS2304: no Cart\n…\nmodule 89\n[\s\S]*module 98/,
  )
  await expectUntouched()
})

test('a build that is tried again says once what its attempts have in common, and which of them failed', async () => {
  const app = await site.uploadedApp()
  // Nothing listens there, and nothing may: the port is privileged.
  const operation = await site.upload(app, await sourceOf({ Dockerfile: 'FROM 127.0.0.1:1/team/base:1\n' }))
  expect(operation).toMatchObject({ status: 'FAILED', reason: 'REGISTRY_UNREACHABLE', attempt: 3, maxAttempts: 3 })
  const away = /127\.0\.0\.1:1\/team\/base:1 cannot be had.*refuses connections/
  expect(operation.message).toMatch(away)
  expect(operation.message).toMatch(/\(attempt 3 of 3\)$/)
  const log = await site.logOf(operation)
  const failures = log.filter((line) => away.test(line))
  expect(failures.map((line) => line.replace(/ failed .*/, ''))).toEqual([
    'Attempt 1 of 3',
    'Attempt 2 of 3',
    'The build',
  ])
  const others = log.filter((line) => !away.test(line))
  expect(others.length).toBeGreaterThan(0)
  expect(new Set(others).size).toBe(others.length)
})

let flooded: Promise<string[]> | null = null

/** The log of a build that prints a secret value, and then 20,000 lines. */
async function floodedLog(): Promise<string[]> {
  const envVars = [{ name: 'NPM_TOKEN', value: 'hunter2-hunter2', type: 'BUILD', isSecret: true }]
  const app = await site.uploadedApp({}, { envVars })
  const flood = 'RUN node -e "for (let i = 0; i < 20000; i += 1) console.log(\'line \' + i)"'
  const operation = await site.upload(app, await source('ARG NPM_TOKEN', 'RUN echo the token is $NPM_TOKEN', flood))
  expect(operation).toMatchObject({ status: 'SUCCEEDED' })
  return site.logOf(operation)
}

test('a build that floods its log keeps its first lines and its last, and counts the others', async () => {
  flooded ??= floodedLog()
  const log = await flooded
  expect(log.length).toBeLessThanOrEqual(501)
  expect(log).toContain('line 0')
  expect(log).toContain('line 19999')
  expect(log.join('\n')).toMatch(/… 19\d\d\d lines are left out …/)
})

test('a build whose image is too large is refused, and the image is not kept', async () => {
  const operation = await site.upload(app, await source(`RUN ${megabytes('big', TOO_MANY_MB)}`))
  expect(operation).toMatchObject({ status: 'FAILED', reason: 'IMAGE_TOO_LARGE' })
  await expectUntouched()
})

test('a build that fills the disk is ended before it is through, whichever steps have written', async () => {
  const slowly = `for n in 1 2 3 4 5 6 7 8 9; do ${megabytes('$n', 10)}; sleep 1; done`
  const operation = await site.upload(app, await source(`RUN ${megabytes('first', 30)}`, `RUN ${slowly}`))
  expect(operation).toMatchObject({ status: 'FAILED', reason: 'DISK_QUOTA_EXCEEDED' })
  expect((await site.logOf(operation)).at(-1)).toMatch(new RegExp(`DISK_QUOTA_EXCEEDED.*more than ${DISK_MB} MB`))
  await eventually(
    () => expectUntouched().then(() => '', String),
    (problem) => problem === '',
  )
})

test('a build that is cancelled, or superseded, is killed', async () => {
  const hanging = async () => {
    const storageKey = await site.put(app, await source(waitingStep(`${app.appEnvId}-${Math.random()}`)))
    await berth.ok('POST', '/app-env/notify-code-upload', { appEnvId: app.appEnvId, storageKey })
    await eventually(
      () => countSteps(berth.docker, app.appEnvId),
      (count) => count > 0,
    )
    return (await operationsOf(app))[0]?.operationId ?? ''
  }
  await berth.ok('POST', '/operation/cancel', { operationId: await hanging() })
  expect(await site.ended(app)).toMatchObject({ status: 'CANCELLED', reason: 'CANCELLED_BY_USER' })
  await eventually(
    () =>
      expectUntouched().then(
        () => '',
        (error: Error) => error.message,
      ),
    (problem) => problem === '',
  )

  const superseded = await hanging()
  await berth.ok('POST', '/app-env/redeploy', { appEnvId: app.appEnvId })
  expect(await site.ended(app)).toMatchObject({ status: 'SUCCEEDED' })
  const { status, reason } = await berth.ok<{ status: string; reason: string }>(
    'GET',
    `/operation?operationId=${superseded}`,
  )
  expect([status, reason]).toEqual(['CANCELLED', 'SUPERSEDED'])
  await eventually(
    () => countSteps(berth.docker, app.appEnvId),
    (count) => count === 0,
  )
})

test('secret values never show in the log', async () => {
  flooded ??= floodedLog()
  const log = (await flooded).join('\n')
  expect(log).toContain('the token is ***SECRET***')
  expect(log).not.toContain('hunter2')
})

test('nor in the reason of a failure, nor line by line', async () => {
  const secret = (name: string, value: string) => ({ name, value, type: 'BUILD', isSecret: true })
  const envVars = [secret('TOKEN', 'hunter2-hunter2'), secret('KEY', '-- BEGIN KEY --\nfirst-half\nsecond-half')]
  const app = await site.uploadedApp({}, { envVars })
  const quoting = ['ARG TOKEN', 'ARG KEY', 'RUN echo "$KEY"', 'COPY $TOKEN /']
  const operation = await site.upload(app, await source(...quoting))
  expect(operation).toMatchObject({ status: 'FAILED', reason: 'BUILD_FAILED' })
  expect(operation.message).toMatch(/(COPY failed|not found|checksum).*\*\*\*SECRET\*\*\*/)
  const received = JSON.stringify([operation, await site.logOf(operation)])
  for (const quoted of ['hunter2', 'first-half', 'second-half']) expect(received).not.toContain(quoted)
})

test('a build that hangs ends at its deadline', async () => {
  const operation = await site.ended(hanging)
  expect(operation).toMatchObject({ status: 'FAILED', reason: 'BUILD_TIMEOUT' })
  await expectNothingLeft(hanging)
  expect(await berth.docker.listImages({ filters: { label: [`berth.env=${hanging.appEnvId}`] } })).toEqual([])
})
