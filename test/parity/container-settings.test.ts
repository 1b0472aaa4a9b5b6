import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { containerSettings } from '../../src/app-types/container-settings.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { callGraphQL, callRest } from './apis.ts'
import { readRest } from './read-apis.ts'

let world: World
let served: Served
let appEnvId: string

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  appEnvId = (await world.appEnv({ volume: { path: '/data', disk: 1024 } })).appEnvId
})

afterAll(async () => {
  await served.close()
  await world.close()
})

const nofile = (soft: number, hard: number) => [{ name: 'nofile', soft, hard }]

/** Each field with what it refuses, and the field that the refusal names. */
const REFUSED: Readonly<Record<string, readonly (readonly [value: unknown, at?: string])[]>> = {
  readOnlyRoot: [['yes']],
  tmpfs: [
    [[{ path: 'tmp' }], '.0.path'],
    [[{ path: '/' }], '.0.path'],
    [[{ path: '/tmp/' }], '.0.path'],
    [[{ path: '/a/../etc' }], '.0.path'],
    [[{ path: '/tmp:exec' }], '.0.path'],
    [[{ path: '/proc/sys' }], '.0.path'],
    [[{ path: '/dev/shm' }], '.0.path'],
    [[{ path: '/data' }], '.0.path'],
    [[{ path: '/tmp' }, { path: '/tmp' }], '.1.path'],
    [[{ path: '/tmp', sizeMb: 0 }], '.0.sizeMb'],
    [[{ path: '/tmp', sizeMb: 1e9 }], '.0.sizeMb'],
    [Array.from({ length: 21 }, (_, index) => ({ path: `/t${index}` }))],
  ],
  user: [[''], ['a b'], ['a:b:c'], [':0'], ['-u'], ['2147483648'], ['0:99999999999'], ['a\n'], ['ü']],
  hostname: [[''], ['-a'], ['a-'], ['a_b'], ['a b'], ['a'.repeat(64)]],
  workingDir: [[''], ['srv'], [`/${'a'.repeat(1000)}`]],
  ulimits: [
    [[{ name: 'files', soft: 1, hard: 1 }], '.0.name'],
    [[{ name: 'toString', soft: 1, hard: 1 }], '.0.name'],
    [[{ name: 'rtprio', soft: 1, hard: 1 }], '.0.name'],
    [[{ name: 'nice', soft: 1, hard: 1 }], '.0.name'],
    [nofile(2, 1), '.0.soft'],
    [nofile(-1, 1), '.0.soft'],
    [nofile(1, -1), '.0.hard'],
    [nofile(-2, 1), '.0.soft'],
    [nofile(1, 1_048_577), '.0.hard'],
    [[{ name: 'memlock', soft: -1, hard: 64 }], '.0.soft'],
    [[...nofile(1, 1), ...nofile(1, 1)], '.1.name'],
  ],
  init: [['no']],
  sharedMemoryMb: [[0], [1.5], [65_537]],
  dropCapabilities: [
    [['CAP_CHOWN'], '.0'],
    [['chown'], '.0'],
    [['EVERYTHING'], '.0'],
    [['CHOWN', 'CHOWN'], '.1'],
  ],
  stopSignal: [['9'], ['INT'], ['sigint'], ['SIGSEGV'], ['SIGRTMIN+99']],
  stopGraceSeconds: [[0], [601], [1.5], ['10s']],
}

const TAKEN: Readonly<Record<string, readonly unknown[]>> = {
  readOnlyRoot: [true, false],
  tmpfs: [[], [{ path: '/tmp' }], [{ path: '/data/cache', sizeMb: 64 }, { path: '/run' }]],
  user: ['0', 'root', 'node', '1000', '1000:1000', 'www-data:www-data', 'nobody:0'],
  hostname: ['a', 'web-1', 'web.example.org'],
  workingDir: ['/', '/srv/app', '/a b'],
  ulimits: [
    [],
    nofile(1, 1),
    nofile(0, 1_048_576),
    [
      { name: 'memlock', soft: 5, hard: -1 },
      { name: 'core', soft: 0, hard: 0 },
    ],
  ],
  init: [true, false],
  sharedMemoryMb: [1, 65_536],
  dropCapabilities: [[], ['ALL'], ['SETUID', 'SYS_ADMIN']],
  stopSignal: ['SIGTERM', 'SIGINT', 'SIGKILL', 'SIGRTMIN+3'],
  stopGraceSeconds: [1, 600],
}

const cases = (table: Readonly<Record<string, readonly unknown[]>>) =>
  Object.entries(table).flatMap(([field, values]) => values.map((value) => [field, value] as const))

test('every setting has its cases', () => {
  const fields = Object.keys(containerSettings.shape).sort()
  expect(Object.keys(REFUSED).sort()).toEqual(fields)
  expect(Object.keys(TAKEN).sort()).toEqual(fields)
})

describe.each([
  ['REST', callRest],
  ['GraphQL', callGraphQL],
] as const)('container settings over %s', (_api, call) => {
  const send = (settings: unknown) =>
    call(served.app, world.adminToken, { command: updateAppEnv, input: { appEnvId, containerSettings: settings } })

  test.each(cases(REFUSED))('refuse %s %j and name it', async (field, refused) => {
    const [value, at = ''] = refused as [unknown, string?]
    const outcome = await send({ [field]: value })
    expect(outcome).toMatchObject({ accepted: false, code: 'INVALID_INPUT' })
    // What GraphQL's own types refuse, its message names.
    if (call === callRest) expect(outcome).toMatchObject({ fields: [`containerSettings.${field}${at}`] })
  })

  test.each(cases(TAKEN))('take %s %j and show it', async (field, value) => {
    expect(await send({ [field]: value })).toEqual({ accepted: true })
    const { body } = await readRest(served, world.adminToken, 'getAppEnv', { appEnvId })
    expect(body.containerSettings).toEqual({ [field]: value })
  })

  test('refuse a field that does not exist, and are gone with null', async () => {
    expect(await send({ privileged: true })).toMatchObject({ accepted: false, code: 'INVALID_INPUT' })
    expect(await send(null)).toEqual({ accepted: true })
    const { body } = await readRest(served, world.adminToken, 'getAppEnv', { appEnvId })
    expect(body.containerSettings).toBe(null)
  })
})

test('a volume may not come to be where a folder in memory is', async () => {
  const input = { containerSettings: { tmpfs: [{ path: '/cache' }] } }
  const { appEnvId: other } = await world.appEnv({ name: 'other', ...input })
  const moved = { appEnvId: other, volume: { path: '/cache', disk: 1024 } }
  expect(await callRest(served.app, world.adminToken, { command: updateAppEnv, input: moved })).toMatchObject({
    code: 'INVALID_INPUT',
    fields: ['containerSettings.tmpfs.0.path'],
  })
  const both = { ...moved, containerSettings: null }
  expect(await callRest(served.app, world.adminToken, { command: updateAppEnv, input: both })).toEqual({
    accepted: true,
  })
  const { appId } = await world.database.appEnv.findUniqueOrThrow({ where: { id: other } })
  const place = { accountId: world.accountId, appId, name: 'third', region: 'local', volume: moved.volume, ...input }
  expect(await callRest(served.app, world.adminToken, { command: createAppEnv, input: place })).toMatchObject({
    fields: ['containerSettings.tmpfs.0.path'],
  })
})
