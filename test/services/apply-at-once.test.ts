import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DomainError } from '../../src/domain/errors.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { getAppEnvHistory } from '../../src/services/app-env/app-env-reads.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { changeResources, changeScaling } from '../../src/services/app-env/setting-commands.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { changeVariables } from '../../src/services/app-env/variable-commands.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { rollbackAppEnv } from '../../src/services/lifecycle/rollback.ts'
import { startAppEnv } from '../../src/services/lifecycle/start.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_OPERATION_RATE_LIMIT: '5' } })
})

afterAll(() => world?.close())

const x = (value: string) => [{ name: 'X', value }]
const now = { applyImmediately: true }

async function running(value = '1') {
  const made = await world.appEnv({ envVars: x(value) })
  await world.deploy(made.appEnvId)
  return made
}

const contentOf = async (operationId: string | null) =>
  (await world.database.operation.findUniqueOrThrow({ where: { id: operationId ?? '' }, include: { content: true } }))
    .content

test('scaling during a deployment continues with the deployed version', async () => {
  const { appEnvId } = await running()
  await world.perform(deployImage, { appEnvId, image: 'nginx:2' })
  const { operationId } = await world.perform(changeScaling, { appEnvId, containers: 2, ...now })
  expect(await contentOf(operationId)).toMatchObject({ version: 3, image: 'nginx:2' })
})

test('scaling while an environment starts leaves the start alone, which includes it', async () => {
  const { appEnvId } = await running()
  await world.endOperation((await world.perform(stopAppEnv, { appEnvId })).operationId)
  const { operationId } = await world.perform(startAppEnv, { appEnvId })
  expect(await world.perform(changeScaling, { appEnvId, containers: 2, ...now })).toMatchObject({ operationId: null })
  const start = await world.database.operation.findUniqueOrThrow({ where: { id: operationId ?? '' } })
  expect(start.status).toBe('QUEUED')
})

test('a change is compared with the version in progress', async () => {
  const { appEnvId } = await running('1')
  const change = (value: string) => world.perform(changeVariables, { appEnvId, variables: x(value), ...now })
  expect((await change('2')).appliedImmediately).toBe(true)
  expect((await change('2')).appliedImmediately).toBe(false)
  expect((await change('1')).appliedImmediately).toBe(true)
})

test('a caller who may change settings, and not deploy, cannot deploy them this way', async () => {
  const { appEnvId, appId } = await running()
  const { token } = await world.token({ kind: 'SCOPED', scopes: ['svc:write:config'] })
  const variables = (more: object) =>
    world.perform(changeVariables, { appEnvId, variables: x('2'), ...more }, { as: token })
  const refusal = { code: 'FORBIDDEN', reason: 'SCOPE_MISSING' }
  await expect(variables(now)).rejects.toMatchObject(refusal)
  await variables({})
  await expect(world.perform(updateApp, { appId, port: 81, ...now }, { as: token })).rejects.toMatchObject(refusal)
})

test('it counts as an operation', async () => {
  const { appEnvId } = await running()
  const change = (value: string) => world.perform(changeVariables, { appEnvId, variables: x(value), ...now })
  for (const value of ['2', '3', '4', '5']) await change(value)
  await expect(change('6')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
})

test('a member of some environments changes no app, and creates no environment', async () => {
  const { appEnvId, appId, accountId } = await running()
  const { token } = await world.user({ appEnvIds: [appEnvId] })
  const refusal = { code: 'FORBIDDEN', reason: 'OTHER_ENVIRONMENT' }
  await expect(world.perform(updateApp, { appId, port: 81 }, { as: token })).rejects.toMatchObject(refusal)
  const another = { accountId, appId, name: 'other', region: 'local' }
  await expect(world.perform(createAppEnv, another, { as: token })).rejects.toMatchObject(refusal)
  await world.perform(changeVariables, { appEnvId, variables: x('2') }, { as: token })
})

test('a mask is no value', async () => {
  const { appEnvId } = await running()
  const variables = [{ name: 'NEW', value: '***SECRET***', isSecret: true }]
  await expect(world.perform(changeVariables, { appEnvId, variables })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('is the mask that stands for a secret'),
  })
})

/** A managed service that runs. */
async function service(more: object) {
  const { accountId } = world
  const name = `Db ${Math.random()}`
  const { appId } = await world.perform(createApp, { name, accountId, dockerPreset: 'MYSQL' })
  const { appEnvId } = await world.perform(createAppEnv, { accountId, appId, name: 'p', region: 'local', ...more })
  await ended(String(appEnvId))
  return { appId: String(appId), appEnvId: String(appEnvId) }
}

async function ended(appEnvId: string) {
  for (const { id, status } of await world.operationsOf(appEnvId)) if (status === 'QUEUED') await world.endOperation(id)
}

const LOST = 'Its data is lost, because it was created with withPersistence false'

test('changes that lose the data of a service without persistence say so, and others do not', async () => {
  const databaseSettings = { max_connections: 20 }
  const passing = await service({ withPersistence: false })
  expect(
    await world.perform(updateAppEnv, {
      appEnvId: passing.appEnvId,
      databaseSettings,
      ...now,
    }),
  ).toMatchObject({ appliedImmediately: true, warning: LOST })
  await ended(passing.appEnvId)
  const resized = await world.perform(changeResources, {
    appEnvId: passing.appEnvId,
    zClouds: 2,
    ...now,
  })
  expect(resized).toMatchObject({ warning: LOST, message: expect.stringMatching(`being applied. ${LOST}$`) })
  await ended(passing.appEnvId)
  const later = await world.perform(updateAppEnv, { appEnvId: passing.appEnvId, databaseSettings: { wait_timeout: 9 } })
  expect(later).not.toHaveProperty('warning')
  // What is pending in the environment is applied with a change of its app, too.
  const throughApp = { appId: passing.appId, port: 3306, ...now }
  expect(await world.perform(updateApp, throughApp)).toMatchObject({ warning: LOST })
  const kept = await service({})
  const safe = await world.perform(updateAppEnv, {
    appEnvId: kept.appEnvId,
    databaseSettings,
    ...now,
  })
  expect(safe).toMatchObject({ appliedImmediately: true })
  expect(safe).not.toHaveProperty('warning')
})

test('a version that cannot use the data is shown as one, and refused with the same words', async () => {
  const { appEnvId } = await service({ dockerPresetVersion: 'MYSQL_8_4' })
  await world.perform(updateAppEnv, {
    appEnvId,
    dockerPresetVersion: 'MYSQL_9_7',
    ...now,
  })
  await ended(appEnvId)
  // As the worker records it before the new version starts.
  await world.database.volume.updateMany({ where: { appEnvId }, data: { presetVersion: 'MYSQL_9_7' } })
  const caller = await world.services.authenticate(world.adminToken)
  const { activities } = await world.services.respond(
    getAppEnvHistory,
    { caller, requestId: 'req_1' },
    { appEnvId, limit: 50, offset: 0 },
  )
  const first = activities.find(({ version }) => version === 1)
  expect(first).toMatchObject({
    canRollback: false,
    cannotRollbackReason: expect.stringMatching(/^The data is of MYSQL_9_7/),
  })
  const refused = await world.perform(rollbackAppEnv, { appEnvId }).catch((error: DomainError) => error)
  expect(refused).toMatchObject({ reason: 'UPGRADE_NOT_IN_PLACE', message: first?.cannotRollbackReason })
})
