import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { updateApp } from '../../src/services/app/update-app.ts'
import { getAppEnvStatus } from '../../src/services/app-env/app-env-reads.ts'
import { changeHealthcheck } from '../../src/services/app-env/setting-commands.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { changedHealthCheck } from '../../src/services/health-check/app-env-health-check.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world?.close())

const NONE = { healthCheck: { type: 'NONE' } }

const hostsOf = async (appEnvId: string) =>
  (await world.database.host.findMany({ where: { appEnvId } })).map(({ host }) => host)

describe('an environment', () => {
  test('of a worker has no host, and one of an app has', async () => {
    const worker = await world.appEnv({ app: NONE })
    const own = await world.appEnv({ app: {}, ...NONE })
    const app = await world.appEnv({ app: {} })
    expect(await hostsOf(worker.appEnvId)).toEqual([])
    expect(await hostsOf(own.appEnvId)).toEqual([])
    expect(await hostsOf(app.appEnvId)).toHaveLength(1)
  })

  test('that nothing was deployed to gets and loses its host with its health check', async () => {
    const { appId, appEnvId } = await world.appEnv({ app: {} })
    const before = await hostsOf(appEnvId)
    await world.perform(updateApp, { appId, ...NONE })
    expect(await hostsOf(appEnvId)).toEqual([])
    await world.perform(changeHealthcheck, { appEnvId, type: 'TCP' })
    expect(await hostsOf(appEnvId)).toEqual(before)
    await world.perform(updateAppEnv, { appEnvId, healthCheck: null })
    expect(await hostsOf(appEnvId)).toEqual([])
    await world.perform(updateApp, { appId, healthCheck: null })
    expect(await hostsOf(appEnvId)).toEqual(before)
  })

  test('that runs keeps its host until the change is deployed', async () => {
    const { appEnvId } = await world.appEnv({ app: {} })
    await world.deploy(appEnvId)
    const before = await hostsOf(appEnvId)
    await world.perform(changeHealthcheck, { appEnvId, type: 'NONE', initialDelaySeconds: 1 })
    expect(await hostsOf(appEnvId)).toEqual(before)
    const caller = await world.services.authenticate(world.adminToken)
    const { pendingChanges } = await world.services.respond(
      getAppEnvStatus,
      { caller, requestId: 'req_1' },
      { appEnvId },
    )
    expect(pendingChanges.changes).toEqual([
      { kind: 'DEPLOY', field: 'healthCheck.type', from: 'TCP', to: 'NONE' },
      { kind: 'DEPLOY', field: 'healthCheck.initialDelaySeconds', from: null, to: 1 },
    ])
  })
})

describe('a change of some fields of a health check', () => {
  const COMMAND = { type: 'COMMAND', command: ['a'], timeoutSeconds: 3 } as const
  const LIVENESS = { liveness: { path: '/live' } }

  test.each([
    [
      'another type begins anew, and keeps the probes',
      { path: '/a', port: 1, ...LIVENESS },
      { type: 'NONE' },
      { type: 'NONE', ...LIVENESS },
    ],
    ['a command names its type', { path: '/a' }, { command: ['b'] }, { type: 'COMMAND', command: ['b'] }],
    [
      'the same type keeps what was set',
      COMMAND,
      { type: 'COMMAND', periodSeconds: 9 },
      { ...COMMAND, periodSeconds: 9 },
    ],
    ['null goes back to the app’s', COMMAND, { type: null }, {}],
    ['a path is of type HTTP again', { type: 'TCP' }, { path: '/b' }, { path: '/b' }],
    ['a port alone is changed as ever', { path: '/a' }, { port: 2 }, { path: '/a', port: 2 }],
    ['a probe alone is changed as ever', COMMAND, LIVENESS, { ...COMMAND, ...LIVENESS }],
  ] as [string, object, object, object][])('%s', (_title, before, sent, after) => {
    expect(changedHealthCheck(before, sent)).toEqual(after)
  })
})
