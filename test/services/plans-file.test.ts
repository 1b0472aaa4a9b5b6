import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openInstallation } from '../../src/services/installation.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let folder: string

beforeAll(async () => {
  world = await createWorld()
  folder = await mkdtemp(join(scratchFolder(), 'berth-plans-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await world.close()
})

const SMALL = {
  plan: 'small',
  name: 'Small',
  functionsIncluded: true,
  autoscalingIncluded: false,
  maxApps: 5,
  maxAppEnvs: 3,
  maxContainers: 2,
  maxZClouds: 2,
  logDays: 3,
  metricDays: 7,
}
const NORTH = {
  region: 'north',
  name: 'North',
  functionsSupported: true,
  domain: 'north.example.com',
  sandboxAddonReady: false,
  publicGatewayReady: false,
}

async function start(content: unknown): Promise<string> {
  const path = join(folder, 'plans.json')
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  const config = readConfig({ BERTH_PLANS_FILE: path })
  return openInstallation(world.database, world.vault, config, world.adminToken)
}

const applied = () =>
  world.database.auditEntry.findMany({ where: { action: 'applyPlansFile' }, orderBy: { id: 'asc' } })

test('a file creates what is missing and changes what differs, once, and leaves the rest alone', async () => {
  const standard = await world.database.plan.findUniqueOrThrow({ where: { code: 'standard' } })
  const builds = { buildResources: { memoryMb: 512, cpu: null }, maxBuildResources: { memoryMb: 1024 } }
  await start({ plans: [{ ...SMALL, ...builds }], regions: [NORTH] })
  await start({ plans: [{ ...SMALL, ...builds }], regions: [NORTH] })
  expect((await applied()).map(({ details }) => details)).toEqual([{ plans: ['small'], regions: ['north'] }])
  const { domain: _given, ...local } = { ...NORTH, region: 'local', name: 'Frankfurt' }
  await start({
    plans: [
      { ...SMALL, maxApps: 6 },
      { ...SMALL, plan: 'tiny', maxApps: 1 },
    ],
    regions: [local],
  })
  expect((await applied()).map(({ details }) => details).at(-1)).toEqual({
    plans: ['small', 'tiny'],
    regions: ['local'],
  })
  const plans = await world.database.plan.findMany({ orderBy: { code: 'asc' } })
  expect(plans.map(({ code, maxApps }) => [code, maxApps])).toEqual([
    ['small', 6],
    ['standard', standard.maxApps],
    ['tiny', 1],
  ])
  const regions = await world.database.region.findMany({ orderBy: { code: 'asc' } })
  expect(regions.map(({ code, name, domain }) => [code, name, domain])).toEqual([
    ['local', 'Frankfurt', world.config.BERTH_DOMAIN],
    ['north', 'North', 'north.example.com'],
  ])
})

test('an engine that the file leaves out stays, and one of its own is set', async () => {
  const own = { engine: 'tcp://10.0.0.7', reachAddress: '10.0.0.7' }
  const east = { ...NORTH, region: 'east', domain: 'east.example.com' }
  await start({ regions: [{ ...east, ...own }] })
  await start({ regions: [{ ...east, name: 'East' }] })
  const region = await world.database.region.findUniqueOrThrow({ where: { code: 'east' } })
  expect(region).toMatchObject({ name: 'East', ...own })
})

test('several processes that start at once apply it once', async () => {
  const before = (await applied()).length
  const file = { plans: [{ ...SMALL, plan: 'once' }] }
  await Promise.all([start(file), start(file), start(file)])
  expect(await applied()).toHaveLength(before + 1)
})

test.each([
  ['{ "plans": [', 'is not JSON'],
  [[], 'must hold an object with plans, regions or both'],
  [{ plan: [] }, 'plan'],
  [{ plans: [{ ...SMALL, maxApps: 0 }] }, 'plans.0.maxApps'],
  [{ plans: [{ ...SMALL, maxApps: undefined }] }, 'plans.0.maxApps is required'],
  [{ plans: [{ ...SMALL, colour: 'red' }] }, 'plans.0.colour'],
  [
    { plans: [{ ...SMALL, buildResources: { cpu: 2 }, maxBuildResources: { cpu: 1 } }] },
    'plans.0.buildResources.cpu must be at most maxBuildResources.cpu, 1',
  ],
  [{ plans: [{ ...SMALL, buildResources: { memory: 2 } }] }, 'plans.0.buildResources.memory'],
  [{ plans: [SMALL, SMALL] }, 'plans.1.plan "small" is there twice'],
  [{ regions: [{ ...NORTH, region: 'North' }] }, 'regions.0.region must be lower-case letters'],
  [{ regions: [{ ...NORTH, region: 'south', domain: undefined }] }, 'regions.0.domain is required for a new region'],
  [{ regions: [{ ...NORTH, engine: 'http://10.0.0.7' }] }, 'regions.0.engine must be unix:///path'],
  [{ regions: [{ ...NORTH, engine: 'tcp://10.0.0.7' }] }, 'regions.0: reachAddress: is required with an engine'],
  [{ regions: [{ ...NORTH, region: 'local' }] }, 'regions.0.domain of the region local is BERTH_DOMAIN'],
])('%j stops the start, and says why', async (content, why) => {
  const before = await world.database.plan.count()
  const refusal = await start(content).catch((error: Error) => error.message)
  expect(refusal).toMatch(/BERTH_PLANS_FILE.*Berth does not start\.$/)
  expect(refusal).toContain(why)
  expect(await world.database.plan.count()).toBe(before)
})

test('a file that is not there stops the start', async () => {
  const config = readConfig({ BERTH_PLANS_FILE: join(folder, 'nothing.json') })
  const opening = openInstallation(world.database, world.vault, config, world.adminToken)
  await expect(opening).rejects.toThrow(/nothing\.json\) cannot be read: ENOENT\. Berth does not start/)
})
