import { availableParallelism, totalmem } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRegion } from '../../src/services/plan/region-commands.ts'
import { measureMachine } from '../../src/worker/engine/measure-machine.ts'
import { INSTALLATION_ENGINE } from '../../src/worker/scope/engine-scope.ts'
import { readGraphQL, readRest } from '../parity/read-apis.ts'
import { memoryEngine } from '../support/memory-engine/memory-engine.ts'
import { MemoryMachine } from '../support/memory-engine/memory-machine.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'

const MB = 1_048_576
const ENGINE = 'tcp://10.0.0.7:2376'

let world: World
let served: Served

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  const north = { region: 'north', name: 'North', functionsSupported: true, domain: 'north.example.com' }
  await world.perform(createRegion, { ...north, engine: ENGINE, reachAddress: '10.0.0.7' })
  for (const regionCode of ['local', 'north'])
    await world.database.engineHost.create({
      data: { id: regionCode, regionCode, name: 'Memory', reachable: true, observedAt: new Date() },
    })
})

afterAll(async () => {
  await served?.close()
  await world?.close()
})

const { runtime } = memoryEngine(new MemoryMachine(), { installationId: 'inst_1' })
const machines = async () => (await readRest(served, world.adminToken, 'listMachines')).body.machines

test('is unknown before the first measurement', async () => {
  expect(await machines()).toMatchObject([
    { regions: ['local'], engine: null, reachable: true, cpus: null, measuredAt: null },
    { regions: ['north'], engine: ENGINE, loadAverage: null },
  ])
})

test('of the machine that the worker is on are the size, the load, the memory and the disk', async () => {
  const { database, config } = world
  await measureMachine({ database, config, runtime, scope: INSTALLATION_ENGINE }, AbortSignal.timeout(10_000))
  const [local, north] = await machines()
  expect(local).toMatchObject({ cpus: availableParallelism(), memoryMb: Math.floor(totalmem() / MB) })
  expect(local.loadAverage).toBeGreaterThanOrEqual(0)
  expect(local.memoryUsedMb).toBeGreaterThan(0)
  expect(local.memoryUsedMb).toBeLessThan(local.memoryMb)
  expect(local.diskFreeMb).toBeGreaterThan(0)
  expect(local.diskFreeMb).toBeLessThan(local.diskMb)
  expect(north.measuredAt).toBeNull()
})

test('of another machine is the size alone, even where its memory is the same', async () => {
  const { database, config } = world
  const scope = { regionCode: 'north', engine: ENGINE }
  await measureMachine({ database, config, runtime, scope }, AbortSignal.timeout(10_000))
  const [, north] = await machines()
  expect(north).toMatchObject({ cpus: availableParallelism(), loadAverage: null, memoryUsedMb: null, diskMb: null })
})

test('is shown to the admin of the installation alone', async () => {
  const { body } = await readGraphQL(served, world.adminToken, 'machines { regions cpus }')
  expect(body[0]).toEqual({ regions: ['local'], cpus: availableParallelism() })
  const { token } = await world.user({ accountId: await world.account() })
  expect((await readRest(served, token, 'listMachines')).code).toBe('FORBIDDEN')
})
