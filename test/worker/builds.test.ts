import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ImageBuild, type ImageBuilder, ImageError } from '../../src/images/image-builder.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { buildAppEnv } from '../../src/services/lifecycle/build.ts'
import { updatePlan } from '../../src/services/plan/plan-commands.ts'
import { createHarbour, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'

let harbour: Harbour
/** What the engine was asked for, latest last. */
let asked: Omit<ImageBuild, 'context'>[] = []
/** What comes of the next builds. */
let outcome: (build: ImageBuild, signal: AbortSignal | undefined) => Promise<unknown>

beforeAll(async () => {
  harbour = await createHarbour({ BERTH_READY_AFTER_SECONDS: '1' }, await inMemory())
  const { imageBuilder } = harbour
  const build: ImageBuilder['build'] = async (wanted, bounds) => {
    asked.push(wanted)
    await outcome(wanted, bounds.signal)
    return imageBuilder.build(wanted, bounds)
  }
  harbour.startWorker({ imageBuilder: { ...imageBuilder, build } })
})

afterAll(() => harbour?.close())

beforeEach(() => {
  asked = []
  outcome = async () => {}
})

const DOCKERFILE = 'FROM programs:1\nCMD ["node"]'

async function source(app: object = {}) {
  const { appId, appEnvId } = await harbour.appEnv({
    app: {
      useImage: false,
      image: undefined,
      customDockerfileContent: DOCKERFILE,
      healthCheck: { type: 'NONE' },
      ...app,
    },
  })
  return { appId, appEnvId }
}

async function built(appEnvId: string) {
  const { operationId } = await harbour.perform(buildAppEnv, { appEnvId, forceNewBuild: true })
  const operation = await harbour.ended(operationId ?? '')
  const caller = await harbour.services.authenticate(harbour.adminToken)
  const filter = { type: 'BUILD' as const, contentId: operation.contentId ?? '' }
  const { lines } = await harbour.services.logs.search(caller, { appEnvId }, filter, { limit: 1000 })
  return { operation, log: lines.map(({ message }) => message).reverse() }
}

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
