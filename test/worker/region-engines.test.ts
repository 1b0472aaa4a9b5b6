import { afterAll, beforeAll, expect, test } from 'vitest'
import { runtimeUnavailable } from '../../src/domain/errors.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { createRegion, updateRegion } from '../../src/services/plan/region-commands.ts'
import { deleteVolume } from '../../src/services/volume/delete-volume.ts'
import type { RegionEngineAddress } from '../../src/worker/region-engines.ts'
import type { Worker } from '../../src/worker/worker.ts'
import { createImage, EMPTY_CONFIG } from '../support/memory-engine/images.ts'
import { memoryEngine } from '../support/memory-engine/memory-engine.ts'
import { MemoryMachine } from '../support/memory-engine/memory-machine.ts'
import { nodeScript } from '../support/memory-engine/node-script.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'

const ENGINE = 'unix:///run/north.sock'
const REFUSAL = 'connect ECONNREFUSED 10.0.0.7:2376'
const north = new MemoryMachine()
const opened: RegionEngineAddress[] = []
const closed: string[] = []
let harbour: Harbour
let worker: Worker

beforeAll(async () => {
  const used = await inMemory()
  north.images.add(
    createImage({ programs: { node: nodeScript }, config: { ...EMPTY_CONFIG, command: ['node'] } }),
    used.image,
  )
  harbour = await createHarbour({ BERTH_USAGE_SECONDS: '1' }, used)
  const { id: installationId } = await harbour.database.installation.findFirstOrThrow()
  worker = harbour.startWorker({
    openRegionEngine(region) {
      opened.push(region)
      const engine = memoryEngine(north, { installationId })
      if (region.regionCode === 'away') engine.runtime.info = () => Promise.reject(runtimeUnavailable(REFUSAL))
      return { ...engine, close: () => void closed.push(region.engine) }
    },
  })
  const region = { region: 'north', name: 'North', functionsSupported: true, domain: 'north.example.com' }
  await harbour.perform(createRegion, { ...region, engine: ENGINE })
})

afterAll(async () => {
  for (const container of north.containers.values()) await container.stop(0)
  await harbour?.close()
})

const inNorth = (appEnvId: string) =>
  [...north.containers.values()].filter(({ options }) => options.rollout.appEnvId === appEnvId)

async function deployedIn(region: string): Promise<string> {
  const volume = { path: '/data', disk: 1000 }
  const appEnvId = await harbour.sample({ region, volume })
  expect(await harbour.ended(await harbour.deployment(appEnvId))).toMatchObject({ status: 'SUCCEEDED' })
  return appEnvId
}

const usageOf = (appEnvId: string) =>
  harbour.database.usageInterval.findMany({ where: { appEnvId, kind: 'COMPUTE' }, orderBy: { id: 'asc' } })

/** The part of the worker for the engine has metered it, time and again. */
async function meteredOn(appEnvId: string): Promise<void> {
  for (let pass = 0; pass < 2; pass += 1) {
    const before = (await usageOf(appEnvId)).at(-1)?.until ?? new Date(0)
    await eventually(
      async () => (await usageOf(appEnvId)).at(-1)?.until ?? before,
      (until) => until > before,
    )
  }
}

test('each engine runs, meters and cleans up what is in its regions, and nothing else', async () => {
  const [here, there] = [await deployedIn('local'), await deployedIn('north')]
  expect([await harbour.containersOf(here), inNorth(here)]).toMatchObject([[{}], []])
  expect([await harbour.containersOf(there), inNorth(there)]).toMatchObject([[], [{}]])

  await meteredOn(here)
  await meteredOn(there)
  for (const appEnvId of [here, there])
    expect((await usageOf(appEnvId)).map(({ hasEnded }) => hasEnded)).toEqual([false])
  const hosts = await harbour.database.engineHost.findMany({ orderBy: { id: 'asc' } })
  expect(hosts).toMatchObject([
    { id: 'local', reachable: true },
    { id: 'north', reachable: true },
  ])

  const { operationId } = await harbour.perform(deleteAppEnv, { appEnvId: there })
  await harbour.ended(operationId)
  expect(inNorth(there)).toEqual([])
  expect(north.networks.size).toBe(0)
  const volume = await harbour.database.volume.findFirstOrThrow({ where: { regionCode: 'north' } })
  const change = harbour.perform(updateRegion, { region: 'north', engine: null })
  await expect(change).rejects.toMatchObject({ code: 'CONFLICT', reason: 'REGION_IN_USE' })
  await harbour.perform(deleteVolume, { volumeId: volume.id })
  await eventually(
    () => harbour.database.volume.count({ where: { id: volume.id } }),
    (count) => count === 0,
  )
  expect(north.volumes.size).toBe(0)
  expect(await harbour.containersOf(here)).toHaveLength(1)
})

test('an empty region may change its engine, and is worked on at the new one alone', async () => {
  expect(opened).toEqual([{ regionCode: 'north', engine: ENGINE, reachAddress: null }])
  await harbour.perform(updateRegion, { region: 'north', engine: 'unix:///run/other.sock' })
  await eventually(
    async () => opened.length,
    (count) => count === 2,
  )
  expect(closed).toEqual([ENGINE])
  const appEnvId = await deployedIn('north')
  expect(inNorth(appEnvId)).toHaveLength(1)
  expect(opened).toHaveLength(2)
})

test('everybody may read which engine does not answer, and only the admin why', async () => {
  const region = { region: 'away', name: 'Away', functionsSupported: true, domain: 'away.example.com' }
  await harbour.perform(createRegion, { ...region, engine: 'unix:///run/away.sock' })
  const { reason } = await eventually(
    async () => worker.engine,
    ({ reachable }) => reachable === false,
  )
  expect(reason).toBe('The container engine of the region away does not answer')
  const host = await eventually(
    () => harbour.database.engineHost.findUnique({ where: { id: 'away' } }),
    (found) => found !== null,
  )
  expect(host).toMatchObject({ reachable: false, reason: REFUSAL })
})
