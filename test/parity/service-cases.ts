import type { AnyCommand } from '../../src/calls/command.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { changeHealthcheck, changeResources, changeScaling } from '../../src/services/app-env/setting-commands.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { setVariables } from '../../src/services/app-env/variable-commands.ts'
import { buildAppEnv } from '../../src/services/lifecycle/build.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { redeployAppEnv } from '../../src/services/lifecycle/redeploy.ts'
import { rotateCredentials } from '../../src/services/lifecycle/rotate-credentials.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { cancelOperation } from '../../src/services/operation/cancel-operation.ts'
import type { World } from '../support/world.ts'
import { type ParityCase, parityCase } from './parity-case.ts'

const database = (world: World, more = {}) => ({
  name: 'Db',
  accountId: world.accountId,
  dockerPreset: 'POSTGRESQL',
  ...more,
})

const newDatabase = async (world: World, more = {}) =>
  String((await world.perform(createApp, database(world, more))).appId)

const newEnv = async (world: World, more = {}) => ({
  accountId: world.accountId,
  appId: await newDatabase(world),
  name: 'production',
  region: 'local',
  ...more,
})

/** An environment that is being deployed. */
async function deploying(world: World, more = {}): Promise<string> {
  return String((await world.perform(createAppEnv, await newEnv(world, more))).appEnvId)
}

async function ended(world: World, appEnvId: string): Promise<void> {
  for (const { id, status } of await world.operationsOf(appEnvId)) if (status === 'QUEUED') await world.endOperation(id)
}

async function running(world: World, more = {}): Promise<string> {
  const appEnvId = await deploying(world, more)
  await ended(world, appEnvId)
  return appEnvId
}

async function stopped(world: World): Promise<string> {
  const appEnvId = await running(world)
  await world.perform(stopAppEnv, { appEnvId })
  await ended(world, appEnvId)
  return appEnvId
}

const onService = (
  title: string,
  command: AnyCommand,
  expected: string,
  more = {},
  state: (world: World) => Promise<string> = running,
): ParityCase =>
  parityCase(`${title} of a managed service`, expected, async (world) => ({
    command,
    input: { appEnvId: await state(world), ...more },
  }))

const created = (title: string, expected: string, more = {}): ParityCase =>
  parityCase(`createApp ${title}`, expected, async (world) => ({ command: createApp, input: database(world, more) }))

const createdEnv = (title: string, expected: string, more = {}): ParityCase =>
  parityCase(`createAppEnv of a managed service ${title}`, expected, async (world) => ({
    command: createAppEnv,
    input: await newEnv(world, more),
  }))

const web = async (world: World) => {
  const { appEnvId } = await world.appEnv({ app: { name: 'Shop' } })
  await world.deploy(appEnvId)
  return appEnvId
}

export const serviceCases = [
  created('of a database', 'accepted'),
  created('of a database with its port', 'accepted', { port: 5432 }),
  created('of a database with another port', 'INVALID_INPUT', { port: 5433 }),
  created('of a database with an image', 'INVALID_INPUT', { useImage: true, image: 'postgres:18' }),
  created('of a database from source', 'INVALID_INPUT', { dockerfilePath: 'Dockerfile' }),
  created('of a database in a version', 'accepted', { dockerPresetVersion: 'POSTGRESQL_17' }),
  created('of a database in an unknown version', 'INVALID_INPUT', { dockerPresetVersion: 'POSTGRESQL_9' }),
  created('of a database with a setting', 'accepted', { databaseSettings: { work_mem: 8 } }),
  created('of a database with a setting out of bounds', 'INVALID_INPUT', { databaseSettings: { work_mem: 0 } }),
  parityCase('updateApp of a managed service with a health check', 'INVALID_INPUT', async (world) => ({
    command: updateApp,
    input: { appId: await newDatabase(world), healthCheckPath: '/ready' },
  })),
  created('of a database with a health check', 'INVALID_INPUT', { healthCheck: { type: 'NONE' } }),
  createdEnv('with a health check', 'INVALID_INPUT', { healthCheck: { type: 'NONE' } }),
  createdEnv('', 'accepted'),
  createdEnv('with everything', 'accepted', {
    dockerPresetVersion: 'POSTGRESQL_16',
    disk: 2048,
    containers: 1,
    withPersistence: true,
    databaseSettings: { max_connections: 50 },
  }),
  createdEnv('without persistence', 'accepted', { withPersistence: false }),
  createdEnv('without persistence and with a disk', 'INVALID_INPUT', { withPersistence: false, disk: 2048 }),
  createdEnv('with a disk that is too small', 'INVALID_INPUT', { disk: 1 }),
  createdEnv('with more containers than its engine has', 'INVALID_INPUT', { containers: 6 }),
  createdEnv('with a variable', 'INVALID_INPUT', { envVars: [{ name: 'A', value: 'b' }] }),
  createdEnv('with a volume', 'INVALID_INPUT', { volume: { path: '/data', disk: 2048 } }),
  createdEnv('with an unknown volume', 'NOT_FOUND', { volumeId: 'vol_01h455vb4pex5vsknk084sn02q' }),
  parityCase('createAppEnv of a web app with a disk', 'INVALID_INPUT', async (world) => ({
    command: createAppEnv,
    input: { ...(await newEnv(world)), appId: await world.app({ name: 'Shop' }), disk: 2048 },
  })),
  onService('updateAppEnv with a setting', updateAppEnv, 'accepted', { databaseSettings: { work_mem: 8 } }),
  onService('updateAppEnv with an unknown setting', updateAppEnv, 'INVALID_INPUT', { databaseSettings: { memory: 8 } }),
  onService('updateAppEnv to an older version', updateAppEnv, 'CONFLICT UPGRADE_NOT_IN_PLACE', {
    dockerPresetVersion: 'POSTGRESQL_17',
  }),
  onService('updateAppEnv with a command', updateAppEnv, 'INVALID_INPUT', { startupConfig: { command: 'sh' } }),
  onService('updateAppEnv with container settings', updateAppEnv, 'INVALID_INPUT', {
    containerSettings: { init: false },
  }),
  onService('setVariables', setVariables, 'INVALID_INPUT', { variables: [{ name: 'A', value: 'b' }] }),
  onService('changeResources', changeResources, 'accepted', { zClouds: 2 }),
  onService('changeResources to a disk that is too small', changeResources, 'INVALID_INPUT', { disk: 1 }),
  onService('changeScaling to more than its engine has', changeScaling, 'INVALID_INPUT', { containers: 6 }),
  onService('changeHealthcheck', changeHealthcheck, 'CONFLICT NOT_PROBED', { path: '/ready' }),
  onService('changeHealthcheck to NONE', changeHealthcheck, 'INVALID_INPUT', { type: 'NONE' }),
  onService('deployImage', deployImage, 'CONFLICT IMAGE_NOT_ENABLED', { image: 'postgres:18' }),
  onService('buildAppEnv', buildAppEnv, 'CONFLICT SOURCE_NOT_CONFIGURED'),
  onService('redeployAppEnv', redeployAppEnv, 'accepted'),
  onService('redeployAppEnv before its first deployment', redeployAppEnv, 'accepted', {}, deploying),

  onService('rotateCredentials', rotateCredentials, 'accepted'),
  onService('rotateCredentials while stopped', rotateCredentials, 'CONFLICT ENVIRONMENT_STOPPED', {}, stopped),
  onService('rotateCredentials while deploying', rotateCredentials, 'CONFLICT OPERATION_IN_PROGRESS', {}, deploying),
  parityCase('rotateCredentials of a web app', 'CONFLICT NO_CREDENTIALS', async (world) => ({
    command: rotateCredentials,
    input: { appEnvId: await web(world) },
  })),
  parityCase('rotateCredentials by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: rotateCredentials,
    input: { appEnvId: await running(world) },
    token: (await world.user({ roles: ['TECHNICAL'] })).token,
  })),
  parityCase('rotateCredentials with the environment’s token', 'FORBIDDEN USER_TOKEN_REQUIRED', async (world) => {
    const appEnvId = await running(world)
    const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
    return { command: rotateCredentials, input: { appEnvId }, token }
  }),
  parityCase('cancelOperation of a rotation', 'CONFLICT NOT_CANCELLABLE', async (world) => {
    const appEnvId = await running(world)
    const { operationId } = await world.perform(rotateCredentials, { appEnvId })
    return { command: cancelOperation, input: { operationId } }
  }),
]
