import { afterAll, beforeAll, expect, test } from 'vitest'
import { portsOf } from '../../src/app-types/engines/engines.ts'
import { ENGINES } from '../../src/app-types/engines/list.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { readGraphQL, readMcp, readRest } from './read-apis.ts'

let world: World
let served: Served

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
})

afterAll(async () => {
  await served.close()
  await world.close()
})

const BOUNDS = '{ min default max }'
const FIELD = `databasePresets {
  dockerPreset name connectionProtocol ports { port description } defaultVersion
  versions { dockerPresetVersion label image }
  limits { disk ${BOUNDS} containers ${BOUNDS} }
  settings { name type default min max options description }
  metrics { name unit description }
  supportsBackups
}`

test('the presets have the shape of the contract, and are the same through all APIs', async () => {
  const rest = await readRest(served, world.adminToken, 'listDatabasePresets')
  expect(Object.keys(rest.body)).toEqual(['presets'])
  const { presets } = rest.body
  expect(presets.map(({ dockerPreset }: { dockerPreset: string }) => dockerPreset)).toEqual(
    ENGINES.map(({ name }) => name),
  )
  for (const preset of presets) {
    const names = ['dockerPreset', 'name', 'connectionProtocol', 'ports', 'defaultVersion', 'versions', 'limits']
    expect(Object.keys(preset)).toEqual([...names, 'settings', 'metrics', 'supportsBackups'])
    for (const one of preset.ports) expect(Object.keys(one)).toEqual(['port', 'description'])
    expect(preset.versions.map((one: { dockerPresetVersion: string }) => one.dockerPresetVersion)).toContain(
      preset.defaultVersion,
    )
    for (const version of preset.versions)
      expect(Object.keys(version)).toEqual(['dockerPresetVersion', 'label', 'image'])
    expect(Object.keys(preset.limits)).toEqual(['disk', 'containers'])
    for (const limit of Object.values(preset.limits))
      expect(Object.keys(limit as object)).toEqual(['min', 'default', 'max'])
    for (const setting of preset.settings)
      expect(Object.keys(setting)).toEqual(['name', 'type', 'default', 'min', 'max', 'options', 'description'])
    for (const metric of preset.metrics) expect(Object.keys(metric)).toEqual(['name', 'unit', 'description'])
  }
  // GraphQL sends fields in the order in which they are asked for: the order above.
  const graphql = await readGraphQL(served, world.adminToken, FIELD)
  expect(JSON.stringify(graphql.body)).toBe(JSON.stringify(presets))
  expect((await readMcp(served, world.adminToken, 'listDatabasePresets')).body).toEqual(rest.body)
})

test('one preset in full', async () => {
  const { presets } = (await readRest(served, world.adminToken, 'listDatabasePresets')).body
  const couchdb = presets.find(({ dockerPreset }: { dockerPreset: string }) => dockerPreset === 'COUCHDB')
  expect(couchdb).toMatchObject({
    name: 'CouchDB',
    connectionProtocol: 'http',
    defaultVersion: 'COUCHDB_3_5',
    versions: [
      { dockerPresetVersion: 'COUCHDB_3_5', label: 'CouchDB 3.5', image: 'couchdb:3.5' },
      { dockerPresetVersion: 'COUCHDB_3_4', label: 'CouchDB 3.4', image: 'couchdb:3.4' },
    ],
    // §8 rule 1: one node only.
    limits: { disk: { min: 512, default: 5120, max: 1_048_576 }, containers: { min: 1, default: 1, max: 1 } },
    supportsBackups: true,
  })
  expect(couchdb.settings.at(-1)).toEqual({
    name: 'level',
    type: 'ENUM',
    default: 'info',
    min: null,
    max: null,
    options: ['debug', 'info', 'notice', 'warning', 'error'],
    description: 'Minimum log level.',
  })
})

test('no preset shows how its container is made', async () => {
  const text = JSON.stringify((await readRest(served, world.adminToken, 'listDatabasePresets')).body)
  expect(text).not.toMatch(/PASSWORD|pg_dump|999:999|tmpfs/)
})

test('apps of these presets are created, with the port of the engine', async () => {
  for (const { name, port } of ENGINES) {
    const { appId } = await world.perform(createApp, {
      name: `A ${name}`,
      accountId: world.accountId,
      dockerPreset: name,
    })
    const { body } = await readRest(served, world.adminToken, 'getApp', { appId })
    expect(body, name).toMatchObject({ appType: 'db', dockerPreset: name, port, useTCP: true })
  }
})

test.each(ENGINES.map((engine) => [engine.name, portsOf(engine).map(({ port }) => port)] as const))(
  '%s takes each of its listed ports, or none, and shows the one that was sent; another one is refused with them',
  async (dockerPreset, ports) => {
    const { presets } = (await readRest(served, world.adminToken, 'listDatabasePresets')).body
    const listed = presets.find((one: { dockerPreset: string }) => one.dockerPreset === dockerPreset).ports
    expect(listed.map(({ port }: { port: number }) => port)).toEqual(ports)
    const input = { name: `A ${dockerPreset}`, accountId: world.accountId, dockerPreset }
    for (const port of ports) {
      const { appId } = await world.perform(createApp, { ...input, port })
      const shown = await readRest(served, world.adminToken, 'getApp', { appId })
      expect(shown.body.port).toBe(port)
    }
    const refused = await world.perform(createApp, { ...input, port: 4321 }).catch((error: Error) => error)
    expect((refused as Error).message).toContain(`port: must be ${ports.join(' or ')}`)
  },
)

test('only a user reads them', async () => {
  const { appEnvId } = await world.appEnv()
  const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
  expect((await readRest(served, token, 'listDatabasePresets')).code).toBe('FORBIDDEN')
  expect((await readGraphQL(served, token, FIELD)).code).toBe('FORBIDDEN')
})
