import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { MeasuredBuild } from '../../src/domain/build-use.ts'
import { type ImageBuild, type ImageBuilder, ImageError } from '../../src/engines/images/image-builder.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { buildAppEnv } from '../../src/services/lifecycle/build.ts'
import { updatePlan } from '../../src/services/plan/plan-commands.ts'
import { readGraphQL, readRest } from '../parity/read-apis.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createHarbour, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'

let harbour: Harbour
let served: Served
/** What the engine was asked for, latest last. */
let asked: Omit<ImageBuild, 'context'>[] = []
/** What comes of the next builds. */
let outcome: (build: ImageBuild, signal: AbortSignal | undefined) => Promise<unknown>
/** What the next builds tell of themselves. */
let used: MeasuredBuild | null

beforeAll(async () => {
  harbour = await createHarbour({ BERTH_READY_AFTER_SECONDS: '1' }, await inMemory())
  const { imageBuilder } = harbour
  const build: ImageBuilder['build'] = async (wanted, bounds) => {
    asked.push(wanted)
    await outcome(wanted, bounds.signal)
    return { ...(await imageBuilder.build(wanted, bounds)), used }
  }
  harbour.startWorker({ imageBuilder: { ...imageBuilder, build } })
  served = serveWorld(harbour)
})

afterAll(async () => {
  await served?.close()
  await harbour?.close()
})

beforeEach(() => {
  asked = []
  outcome = async () => {}
  used = null
})

const SERVER = `require('node:http').createServer(() => {}).listen(Number(process.env.PORT))`
const DOCKERFILE = `FROM programs:1\nCMD ${JSON.stringify(['node', '-e', SERVER])}`

async function source(app: object = {}, fields: object = {}) {
  const { appId, appEnvId } = await harbour.appEnv({
    app: {
      useImage: false,
      image: undefined,
      customDockerfileContent: DOCKERFILE,
      healthCheck: { type: 'NONE' },
      ...app,
    },
    ...fields,
  })
  return { appId, appEnvId }
}

async function built(appEnvId: string, forceNewBuild = true) {
  const { operationId } = await harbour.perform(buildAppEnv, { appEnvId, forceNewBuild })
  const operation = await harbour.ended(operationId ?? '')
  const caller = await harbour.services.authenticate(harbour.adminToken)
  const filter = { type: 'BUILD' as const, contentId: operation.contentId ?? '' }
  const { lines } = await harbour.services.logs.search(caller, { appEnvId }, filter, { limit: 1000 })
  return { operation, log: lines.map(({ message }) => message).reverse() }
}

const usageOfBuilds = async () =>
  (await readRest(served, harbour.adminToken, 'getUsage', { accountId: harbour.accountId })).body.builds

test('a build has the limits of its app, from the next one on', async () => {
  const { appId, appEnvId } = await source({ buildResources: { memoryMb: 1024, diskMb: 500 } })
  await built(appEnvId)
  expect(asked).toMatchObject([{ resources: { cpu: 4, memoryMb: 1024 }, diskMb: 500 }])
  await harbour.perform(updateApp, { appId, buildResources: { memoryMb: null, cpu: 0.5 } })
  await built(appEnvId)
  expect(asked[1]).toMatchObject({ resources: { cpu: 0.5, memoryMb: 2048 }, diskMb: 500 })
})

const LIMITS = [
  ['memoryMb', 'BUILD_FAILED', 'killed (out of memory: a build may use 512 MB)', { memoryMb: 512 }, 2048],
  ['diskMb', 'DISK_QUOTA_EXCEEDED', 'The build has written more than 200 MB', { diskMb: 200 }, 10_240],
] as const

test.each(LIMITS)('a build that is ended for its %s names what raises the limit', async (...row) => {
  const [limit, reason, words, buildResources, most] = row
  const { appId, appEnvId } = await source({ buildResources })
  outcome = async () => {
    throw new ImageError(reason, words, { limit })
  }
  const { operation, log } = await built(appEnvId)
  const raised = `${words}; buildResources.${limit} of the app raises this limit, up to ${most}`
  expect(operation).toMatchObject({ status: 'FAILED', reason })
  expect(operation.message).toContain(raised)
  expect(log.at(-1)).toBe(`The build failed (${reason}): ${raised}`)
  await harbour.perform(updatePlan, { plan: 'standard', maxBuildResources: buildResources })
  await harbour.perform(updateApp, { appId, buildResources: null })
  const atMost = `buildResources.${limit} of the app is the most that the plan Standard allows: maxBuildResources.${limit} of the plan raises it`
  expect((await built(appEnvId)).operation.message).toContain(`${words}; ${atMost}`)
  await harbour.perform(updatePlan, { plan: 'standard', maxBuildResources: null })
})

test('a build that is ended for its processes names the setting that raises their number', async () => {
  const { appEnvId } = await source({})
  const words = 'The build was ended, as it was out of processes: a build may have 4096 at a time, threads included'
  outcome = async () => {
    throw new ImageError('BUILD_FAILED', words, { limit: 'processes' })
  }
  const { operation, log } = await built(appEnvId)
  const raised = `${words}; BERTH_BUILD_PROCESSES of the installation raises this limit`
  expect(operation).toMatchObject({ status: 'FAILED', reason: 'BUILD_FAILED' })
  expect(operation.message).toContain(raised)
  expect(log.at(-1)).toBe(`The build failed (BUILD_FAILED): ${raised}`)
})

test('a build that does not end in time says so, and names what raises the limit', async () => {
  const { appEnvId } = await source({ buildResources: { timeoutSeconds: 10 } })
  await harbour.database.app.updateMany({ data: { buildResources: { timeoutSeconds: 1 } } })
  outcome = (_build, signal) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  const { operation } = await built(appEnvId)
  expect(operation).toMatchObject({
    reason: 'BUILD_TIMEOUT',
    message: 'The build did not end within 1 s; buildResources.timeoutSeconds of the app raises this limit, up to 1200',
  })
})

const MB = 1024 * 1024
const USED: MeasuredBuild = {
  memoryPeakBytes: 312 * MB,
  cpuSeconds: 14.2,
  writtenBytes: 240 * MB,
  sentBytes: 2 * MB,
  cacheBytes: 500 * MB,
  steps: [
    { name: '[1/2] FROM programs:1', seconds: 0, isCached: true },
    { name: '[2/2] RUN login hunter2-hunter2', seconds: 21.3, isCached: false },
  ],
}
const SHOWN = {
  memoryPeakMb: 312,
  cpuSeconds: 14.2,
  writtenMb: 240,
  sentMb: 2,
  cacheMb: 500,
  steps: [
    { name: '[1/2] FROM programs:1', seconds: 0, isCached: true },
    { name: '[2/2] RUN login ***SECRET***', seconds: 21.3, isCached: false },
  ],
}

test('what a build used is told of its version in both APIs, in its log and in the usage; secrets are masked', async () => {
  used = USED
  const envVars = [{ name: 'TOKEN', value: 'hunter2-hunter2', type: 'BUILD', isSecret: true }]
  const { appEnvId } = await source({}, { envVars })
  const before = await usageOfBuilds()
  const { operation, log } = await built(appEnvId)
  expect(operation).toMatchObject({ status: 'SUCCEEDED' })
  expect(log.slice(-2)).toEqual([
    expect.stringMatching(
      /^This build used 312 MB of memory at most, 14\.2 CPU seconds, wrote 240 MB; 2 steps, 1 cached, in \d+\.\d s$/,
    ),
    'The image is built',
  ])
  const status = await readRest(served, harbour.adminToken, 'getAppEnvStatus', { appEnvId })
  expect(status.body.currentDeployment.buildUse).toEqual(SHOWN)
  const selection = 'memoryPeakMb cpuSeconds writtenMb sentMb cacheMb steps { name seconds isCached }'
  const graphql = await readGraphQL(
    served,
    harbour.adminToken,
    `deployment(id: "${operation.contentId}") { buildUse { ${selection} } }`,
  )
  expect(graphql).toEqual({ code: null, body: { buildUse: SHOWN } })
  const after = await usageOfBuilds()
  expect(after.cpuSeconds - before.cpuSeconds).toBeCloseTo(14.2)
  expect(after.writtenMb - before.writtenMb).toBeCloseTo(240)
  const again = await built(appEnvId, false)
  const reused = await harbour.database.content.findUniqueOrThrow({ where: { id: again.operation.contentId ?? '' } })
  expect(again.log.join()).toContain('whose image is used again')
  expect(reused.buildUse).toBe(null)
})

test('a builder that does not tell leaves nothing', async () => {
  const { appEnvId } = await source()
  const { operation, log } = await built(appEnvId)
  const content = await harbour.database.content.findUniqueOrThrow({ where: { id: operation.contentId ?? '' } })
  expect(content.buildUse).toBe(null)
  expect(log.join()).not.toContain('This build used')
})
