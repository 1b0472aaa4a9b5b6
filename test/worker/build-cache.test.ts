import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ImageBuild, ImageBuilder } from '../../src/engines/images/image-builder.ts'
import { clearBuildCache } from '../../src/services/build-cache/clear-build-cache.ts'
import { buildAppEnv } from '../../src/services/lifecycle/build.ts'
import { beginClearing, endTurn, lookForTurn, recordCleared } from '../../src/worker/builds/build-cache.ts'
import { readGraphQL, readRest } from '../parity/read-apis.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'

let harbour: Harbour
let served: Served
/** What the engine was asked to do, in order. */
let calls: string[] = []
let running = 0
let maxRunning = 0
/** Builds wait for it. */
let gate: Promise<void>
let open: () => void

beforeAll(async () => {
  harbour = await createHarbour({ BERTH_READY_AFTER_SECONDS: '0', BERTH_BUILDER: 'auto' }, await inMemory())
  served = serveWorld(harbour)
})

afterAll(async () => {
  await served?.close()
  await harbour?.close()
})

beforeEach(() => {
  calls = []
  maxRunning = 0
  ;({ promise: gate, resolve: open } = Promise.withResolvers<void>())
})

afterEach(() => harbour.stopWorkers())

const MB = 1024 * 1024

function imageBuilder(): ImageBuilder {
  const { imageBuilder } = harbour
  return {
    ...imageBuilder,
    async build(wanted: ImageBuild, bounds) {
      running += 1
      maxRunning = Math.max(maxRunning, running)
      calls.push('build')
      try {
        await gate
        const { imageId } = await imageBuilder.build(wanted, bounds)
        const used = {
          memoryPeakBytes: 1,
          cpuSeconds: 1,
          writtenBytes: 1,
          sentBytes: 1,
          cacheBytes: 500 * MB,
          steps: [],
        }
        return { imageId, used }
      } finally {
        running -= 1
      }
    },
    async removeBuilder() {
      calls.push(running === 0 ? 'removed' : 'removed under a build')
    },
  }
}

const SERVER = `require('node:http').createServer(() => {}).listen(Number(process.env.PORT))`
const SOURCE = {
  useImage: false,
  image: undefined,
  customDockerfileContent: `FROM programs:1\nCMD ${JSON.stringify(['node', '-e', SERVER])}`,
}

const source = async (accountId = harbour.accountId) => (await harbour.appEnv({ app: SOURCE, accountId })).appEnvId

const build = async (appEnvId: string) =>
  (await harbour.perform(buildAppEnv, { appEnvId, forceNewBuild: true })).operationId ?? ''

const clear = (appEnvId: string) => harbour.perform(clearBuildCache, { appEnvId })

/** In both APIs. */
async function shown(appEnvId: string) {
  const { body } = await readRest(served, harbour.adminToken, 'getBuildCache', { appEnvId })
  const fields = 'appEnvId sizeMb measuredAt clearRequestedAt clearedAt'
  const graphql = await readGraphQL(served, harbour.adminToken, `buildCache(appEnvId: "${appEnvId}") { ${fields} }`)
  expect(graphql).toEqual({ code: null, body })
  return body
}

const cacheMb = async () =>
  (await readRest(served, harbour.adminToken, 'getUsage', { accountId: harbour.accountId })).body.builds.cacheMb

test('the size of a build cache is that of the last build, and is read in both APIs and in the usage', async () => {
  const appEnvId = await source()
  expect(await shown(appEnvId)).toEqual({
    appEnvId,
    sizeMb: null,
    measuredAt: null,
    clearRequestedAt: null,
    clearedAt: null,
  })
  open()
  harbour.startWorker({ imageBuilder: imageBuilder() })
  expect(await harbour.ended(await build(appEnvId))).toMatchObject({ status: 'SUCCEEDED' })
  expect(await shown(appEnvId)).toMatchObject({ sizeMb: 500, clearRequestedAt: null, clearedAt: null })
  expect(await cacheMb()).toBe(500)
})

test('a cache that no build uses is cleared soon, once', async () => {
  const appEnvId = await source()
  expect(await clear(appEnvId)).toMatchObject({ message: expect.stringContaining('is going to be cleared') })
  expect((await shown(appEnvId)).clearRequestedAt).toEqual(expect.any(String))
  const builder = imageBuilder()
  for (let worker = 0; worker < 3; worker += 1) harbour.startWorker({ imageBuilder: builder })
  await eventually(
    () => harbour.database.buildCache.count({ where: { clearRequestedAt: { not: null } } }),
    (left) => left === 0,
  )
  expect(await shown(appEnvId)).toMatchObject({ sizeMb: 0, clearRequestedAt: null, clearedAt: expect.any(String) })
  expect(await cacheMb()).toBe(0)
  await pause(3_000)
  expect(calls).toEqual(['removed'])
})

test('a cache is never cleared under a build: the next one clears it before it begins', async () => {
  const [first, second] = [await source(), await source()]
  const builder = imageBuilder()
  for (let worker = 0; worker < 2; worker += 1) harbour.startWorker({ imageBuilder: builder })
  const operations = [await build(first)]
  await eventually(
    async () => calls,
    (seen) => seen.includes('build'),
  )
  operations.push(await build(second))
  await clear(first)
  await pause(4_000)
  expect(calls).toEqual(['build'])
  open()
  for (const operationId of operations) expect(await harbour.ended(operationId)).toMatchObject({ status: 'SUCCEEDED' })
  expect(calls).toEqual(['build', 'removed', 'build'])
  expect(maxRunning).toBe(1)
  expect(await shown(first)).toMatchObject({ clearRequestedAt: null, sizeMb: 500 })
})

describe('of workers that are killed', () => {
  const owner = () => ({ accountId: harbour.accountId, engineKey: '' })
  const held = async (appEnvId: string, token: number, seconds: number) => {
    await harbour.database.$executeRaw`
      UPDATE app_env SET lease_token = ${token}, lease_expires_at = now() + ${seconds} * interval '1 second'
      WHERE id = ${appEnvId}`
    return { appEnvId, token }
  }
  const turn = async (claim: { appEnvId: string; token: number }) =>
    (await lookForTurn(harbour.database, owner(), claim)).hasCome

  test('the turn ends with the lease', async () => {
    const [one, other] = [await held(await source(), 7, 60), await held(await source(), 8, 60)]
    expect([await turn(one), await turn(other), await turn(one)]).toEqual([true, false, true])
    await held(one.appEnvId, 7, -1)
    expect(await turn(other)).toBe(true)
    // Back again, it waits like anybody else.
    await held(one.appEnvId, 9, 60)
    expect(await turn({ ...one, token: 9 })).toBe(false)
    await endTurn(harbour.database, other)
    expect(await turn({ ...one, token: 9 })).toBe(true)
    await endTurn(harbour.database, { ...one, token: 9 })
  })

  test('one that cleared a cache keeps builds from beginning no longer than its claim, and it is cleared again', async () => {
    const { database } = harbour
    const build = await held(await source(), 3, 60)
    await clear(build.appEnvId)
    const lost = await beginClearing(database, owner())
    expect(lost).not.toBe(null)
    expect(await beginClearing(database, owner())).toBe(null)
    expect(await turn(build)).toBe(false)
    await database.buildCache.updateMany({ data: { clearingUntil: new Date(0) } })
    const found = await lookForTurn(database, owner(), build)
    expect(found).toMatchObject({ hasCome: true, clearing: { until: null } })
    // It was only slow, and tells of it now: what it removed was not what is there today.
    if (lost) await recordCleared(database, owner(), lost)
    expect((await shown(build.appEnvId)).clearRequestedAt).toEqual(expect.any(String))
    await endTurn(database, build)
  })

  test('a request that comes while a cache is cleared is not lost', async () => {
    const { database } = harbour
    const appEnvId = await source()
    await database.buildCache.updateMany({ data: { clearingUntil: null } })
    await clear(appEnvId)
    const clearing = await beginClearing(database, owner())
    await pause(10)
    await clear(appEnvId)
    if (clearing) await recordCleared(database, owner(), clearing)
    expect((await shown(appEnvId)).clearRequestedAt).toEqual(expect.any(String))
    const again = await beginClearing(database, owner())
    if (again) await recordCleared(database, owner(), again)
    expect((await shown(appEnvId)).clearRequestedAt).toBe(null)
  })
})
