import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engineOfPreset } from '../../src/app-types/presets.ts'
import type { AnyCommand } from '../../src/calls/command.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import {
  changeBranch,
  changeHealthcheck,
  changeResources,
  changeScaling,
  renameAppEnv,
} from '../../src/services/app-env/setting-commands.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { readGraphQL, readRest } from './read-apis.ts'
import { fieldsAsInRest, wholeField } from './whole-field.ts'

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

type Fields = Record<string, unknown>

const WEB = {}
const REDIS = { dockerPreset: 'REDIS', port: undefined, useImage: undefined, image: undefined }
const FUNCTION = { dockerPreset: 'FUNCTION' }
const JOB = { dockerPreset: 'JOB' }

const STARTUP = { command: 'serve', args: ['--fast'], shell: false, workingDir: '/srv' }
const RELEASE = { ...STARTUP, timeoutSeconds: 30 }
const SETTINGS = {
  readOnlyRoot: true,
  tmpfs: [{ path: '/tmp', sizeMb: 32 }, { path: '/run' }],
  user: '1000:node',
  hostname: 'shop.example',
  workingDir: '/srv',
  ulimits: [
    { name: 'memlock', soft: -1, hard: -1 },
    { name: 'nofile', soft: 1024, hard: 4096 },
  ],
  init: false,
  sharedMemoryMb: 128,
  dropCapabilities: ['CHOWN', 'NET_RAW'],
  stopSignal: 'SIGQUIT',
  stopGraceSeconds: 45,
}
const BACKUPS = {
  cron: '30 4 * * *',
  timeZone: 'Europe/Berlin',
  keepCount: 3,
  keepDays: 9,
  storage: 'LOCAL',
  pointInTime: false,
}
const PROBE = {
  path: '/ready',
  port: 81,
  headers: { a: 'b' },
  initialDelaySeconds: 1,
  periodSeconds: 2,
  timeoutSeconds: 3,
  failureThreshold: 4,
}
const TIMING = { initialDelaySeconds: 1, periodSeconds: 2, timeoutSeconds: 3, failureThreshold: 4 }
const COMMAND = { type: 'COMMAND', command: ['check'], ...TIMING }
const SCALING = {
  enabled: true,
  min: 2,
  max: 4,
  cpuPercent: 50,
  memoryPercent: 60,
  upWindowSeconds: 30,
  downWindowSeconds: 90,
}
const FUNCTION_CONFIG = { minScale: 1, maxScale: 2, concurrency: 3, idleSeconds: 4, timeoutSeconds: 5 }
const JOB_CONFIG = { command: 'migrate', backoffLimit: 2, concurrencyPolicy: 'REJECT' }
const VARIABLE = { name: 'GREETING', value: 'hello', type: 'BOTH', isSecret: false }

const whole = (field: string) => wholeField('AppEnv', field)

/** What a call sets, with values that are no defaults, and what the record shows of it in both APIs. */
const CHANGES: readonly [AnyCommand, app: Fields, sent: Fields, shown: Fields, selection: string][] = [
  [updateAppEnv, WEB, { name: 'Other' }, { name: 'Other' }, 'name'],
  [updateAppEnv, WEB, { labels: { team: 'a' } }, { labels: { team: 'a' } }, whole('labels')],
  [updateAppEnv, WEB, { startupConfig: STARTUP }, { startupConfig: STARTUP }, whole('startupConfig')],
  [updateAppEnv, WEB, { containerSettings: SETTINGS }, { containerSettings: SETTINGS }, whole('containerSettings')],
  [
    updateAppEnv,
    FUNCTION,
    { containerSettings: SETTINGS },
    { containerSettings: SETTINGS },
    whole('containerSettings'),
  ],
  [updateAppEnv, JOB, { containerSettings: SETTINGS }, { containerSettings: SETTINGS }, whole('containerSettings')],
  [updateAppEnv, WEB, { releaseCommand: RELEASE }, { releaseCommand: RELEASE }, whole('releaseCommand')],
  [
    updateAppEnv,
    WEB,
    { envVars: [VARIABLE] },
    { envVars: [VARIABLE] },
    'envVars: variables { name value type isSecret }',
  ],
  [updateAppEnv, WEB, { preventDestroy: true }, { preventDestroy: true }, 'preventDestroy'],
  [updateAppEnv, WEB, { allowUserCliToken: true }, { allowUserCliToken: true }, 'allowUserCliToken'],
  [
    updateAppEnv,
    WEB,
    { volume: { path: '/v', disk: 2048 } },
    { volume: { path: '/v', disk: 2048 } },
    'volume { path disk }',
  ],
  [updateAppEnv, REDIS, { backupSchedule: BACKUPS }, { backupSchedule: BACKUPS }, whole('backupSchedule')],
  [
    updateAppEnv,
    REDIS,
    { databaseSettings: { timeout: 9 } },
    { databaseSettings: { timeout: 9 } },
    whole('databaseSettings'),
  ],
  [
    updateAppEnv,
    FUNCTION,
    { functionConfig: FUNCTION_CONFIG },
    { functionConfig: FUNCTION_CONFIG },
    whole('functionConfig'),
  ],
  [updateAppEnv, JOB, { jobConfig: JOB_CONFIG }, { jobConfig: JOB_CONFIG }, whole('jobConfig')],
  [
    changeResources,
    WEB,
    { zClouds: 2 },
    { resources: { zClouds: 2, cpu: 2, memory: 1024 } },
    'resources { zClouds cpu memory }',
  ],
  [
    changeResources,
    WEB,
    { cpu: 0.5, memory: 300 },
    { resources: { cpu: 0.5, memory: 300 } },
    'resources { cpu memory }',
  ],
  [changeResources, REDIS, { disk: 4096 }, { volume: { disk: 4096 } }, 'volume { disk }'],
  [changeScaling, WEB, { containers: 3 }, { resources: { containers: 3 } }, 'resources { containers }'],
  [changeScaling, WEB, { autoScaling: SCALING }, { autoScaling: SCALING }, whole('autoScaling')],
  [changeBranch, WEB, { gitBranch: 'next' }, { gitBranch: 'next' }, 'gitBranch'],
  [renameAppEnv, WEB, { name: 'Renamed' }, { name: 'Renamed' }, 'name'],
  [
    changeHealthcheck,
    WEB,
    { path: '/up', port: 82, headers: { c: 'd' }, readiness: PROBE, liveness: PROBE, startup: PROBE },
    { healthCheck: { path: '/up', port: 82, headers: { c: 'd' }, readiness: PROBE, liveness: PROBE, startup: PROBE } },
    whole('healthCheck'),
  ],
  [changeHealthcheck, WEB, COMMAND, { healthCheck: COMMAND }, whole('healthCheck')],
  [
    changeHealthcheck,
    WEB,
    { type: 'NONE', liveness: COMMAND },
    { healthCheck: { type: 'NONE', liveness: COMMAND } },
    whole('healthCheck'),
  ],
  [updateAppEnv, WEB, { healthCheck: COMMAND }, { healthCheck: COMMAND }, whole('healthCheck')],
]

async function newAppEnv(app: Fields, fields: Fields = {}): Promise<string> {
  const { appEnvId } = await world.appEnv({ app, ...fields })
  for (const { id, status } of await world.operationsOf(appEnvId)) if (status === 'QUEUED') await world.endOperation(id)
  return appEnvId
}

async function expectShown(appEnvId: string, shown: Fields, selection: string): Promise<void> {
  const rest = await readRest(served, world.adminToken, 'getAppEnv', { appEnvId })
  expect(rest.body).toMatchObject(shown)
  const graphql = await readGraphQL(served, world.adminToken, `appEnv(id: "${appEnvId}") { ${selection} }`)
  expect({ ...graphql, body: fieldsAsInRest(graphql.body) }).toMatchObject({ code: null, body: shown })
}

describe('what a change of an environment sets', () => {
  test.each(CHANGES.map((row) => [row[0].name, Object.keys(row[2]).join(', '), row] as const))(
    'by %s (%s) is read in both APIs',
    async (_name, _fields, [command, app, sent, shown, selection]) => {
      const appEnvId = await newAppEnv(app)
      await world.perform(command, { appEnvId, ...sent })
      await expectShown(appEnvId, shown, selection)
    },
  )
})

test('what a new environment is created with is read in both APIs', async () => {
  const fields = {
    branch: 'main',
    zClouds: 2,
    containers: 2,
    envVars: [VARIABLE],
    startupConfig: STARTUP,
    releaseCommand: RELEASE,
    containerSettings: SETTINGS,
    healthCheck: COMMAND,
    preventDestroy: true,
    volume: { path: '/v', disk: 2048 },
  }
  const appEnvId = await newAppEnv(WEB, fields)
  const { branch, zClouds, containers, ...same } = fields
  await expectShown(
    appEnvId,
    { ...same, gitBranch: branch, resources: { zClouds, containers } },
    `gitBranch resources { zClouds containers } envVars: variables { name value type isSecret } preventDestroy volume { path disk } ${['startupConfig', 'releaseCommand', 'containerSettings', 'healthCheck'].map(whole).join(' ')}`,
  )
})

test('the next time of scheduled backups is shown, and is gone with the schedule', async () => {
  const appEnvId = await newAppEnv(REDIS)
  await world.perform(updateAppEnv, { appEnvId, backupSchedule: BACKUPS })
  const { nextBackupAt } = (await readRest(served, world.adminToken, 'getAppEnv', { appEnvId })).body
  expect(Date.parse(nextBackupAt)).toBeGreaterThan(Date.now())
  await expectShown(appEnvId, { nextBackupAt }, 'nextBackupAt')
  await world.perform(updateAppEnv, { appEnvId, backupSchedule: null })
  await expectShown(appEnvId, { nextBackupAt: null, backupSchedule: null }, `nextBackupAt ${whole('backupSchedule')}`)
})

const DEFAULTS = {
  functionConfig: { minScale: 0, maxScale: 3, concurrency: 50, idleSeconds: 300, timeoutSeconds: 60 },
  jobConfig: {
    args: [],
    shell: true,
    timeoutSeconds: 3600,
    ttlSecondsAfterFinished: 86_400,
    backoffLimit: 0,
    maxConcurrency: 1,
    concurrencyPolicy: 'QUEUE',
  },
  databaseSettings: Object.fromEntries(
    (engineOfPreset('REDIS')?.settings ?? []).map((setting) => [setting.name, setting.default]),
  ),
}

/** One setting of each, as an app sets it. */
const SET = {
  functionConfig: { maxScale: 7 },
  jobConfig: { timeoutSeconds: 7 },
  databaseSettings: { timeout: 7 },
}

describe.each([
  ['functionConfig', FUNCTION],
  ['jobConfig', JOB],
  ['databaseSettings', REDIS],
] as const)('%s', (field, app) => {
  test.each([
    ['that nobody sets has its defaults', {}, DEFAULTS[field]],
    ['of which one setting is set has the defaults of the others', SET[field], { ...DEFAULTS[field], ...SET[field] }],
  ])('%s, on the app and its environments, in both APIs', async (_title, set, effective) => {
    const config = Object.keys(set).length > 0 ? { [field]: set } : {}
    const appId = await world.app({ ...app, ...config })
    const appEnvId = await newAppEnv({}, { appId })
    const shown = (await readRest(served, world.adminToken, 'getApp', { appId })).body
    expect(shown[field]).toEqual(effective)
    const graphql = await readGraphQL(served, world.adminToken, `app(id: "${appId}") { ${wholeField('App', field)} }`)
    expect({ ...graphql, body: fieldsAsInRest(graphql.body) }).toEqual({ code: null, body: { [field]: effective } })
    const record = (await readRest(served, world.adminToken, 'getAppEnv', { appEnvId })).body
    expect(record[field]).toEqual(effective)
    await expectShown(appEnvId, { [field]: effective }, whole(field))
  })
})

describe('a pending change', () => {
  const pendingOf = async (appEnvId: string) => {
    const { body } = await readRest(served, world.adminToken, 'getAppEnv', { appEnvId })
    const { pendingChanges } = body as { pendingChanges: { field: string; from: Fields; to: Fields }[] }
    return new Map(pendingChanges.map(({ field, from, to }) => [field, { from, to }]))
  }

  test('of a setting that was not set shows its default as the old value', async () => {
    const appEnvId = await newAppEnv(REDIS)
    await world.perform(updateAppEnv, { appEnvId, databaseSettings: { maxclients: 500 } })
    const change = (await pendingOf(appEnvId)).get('databaseSettings')
    expect(change).toMatchObject({ from: { maxclients: 1000 }, to: { maxclients: 500 } })
    expect(change?.from).toEqual(DEFAULTS.databaseSettings)
  })

  test('is none where the default is set explicitly', async () => {
    const appEnvId = await newAppEnv(REDIS)
    await world.perform(updateAppEnv, { appEnvId, databaseSettings: { maxclients: 1000 } })
    expect(await pendingOf(appEnvId)).toEqual(new Map())
  })

  test('of CPU and memory, or the port of the health check, shows what applied before', async () => {
    const { appId, appEnvId } = await world.appEnv()
    await world.deploy(appEnvId)
    await world.perform(changeResources, { appEnvId, cpu: 2, memory: 700 })
    await world.perform(updateApp, { appId, healthCheckPort: 9000 })
    const pending = await pendingOf(appEnvId)
    expect(pending.get('cpu')).toEqual({ from: 1, to: 2 })
    expect(pending.get('memory')).toEqual({ from: 512, to: 700 })
    expect(pending.get('healthCheckPort')).toEqual({ from: 8080, to: 9000 })
  })
})

test('a service that is created with everything shows it', async () => {
  const { appId } = await world.perform(createApp, { name: 'Cache', accountId: world.accountId, dockerPreset: 'REDIS' })
  const { appEnvId } = await world.perform(createAppEnv, {
    accountId: world.accountId,
    appId,
    name: 'production',
    region: 'local',
    dockerPresetVersion: 'REDIS_7',
    disk: 512,
    databaseSettings: { timeout: 7 },
  })
  await expectShown(
    appEnvId,
    { dockerPresetVersion: 'REDIS_7', volume: { disk: 512 }, databaseSettings: { timeout: 7 } },
    'dockerPresetVersion volume { disk } databaseSettings',
  )
})
