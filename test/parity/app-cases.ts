import { createApp } from '../../src/services/app/create-app.ts'
import { deleteApp } from '../../src/services/app/delete-app.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { changeHealthcheck } from '../../src/services/app-env/setting-commands.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import type { World } from '../support/world.ts'
import { parityCase } from './parity-case.ts'

const UNKNOWN_APP = 'app_01h455vb4pex5vsknk084sn02q'
const UNKNOWN_ENV = 'env_01h455vb4pex5vsknk084sn02q'
const UNKNOWN_ACCOUNT = 'acc_01h455vb4pex5vsknk084sn02q'

const reader = async (world: World) => (await world.user({ roles: ['AUDIT'] })).token
const technical = async (world: World) => (await world.user({ roles: ['TECHNICAL'] })).token
const stranger = async (world: World) =>
  (await world.user({ roles: ['ADMIN'], accountId: await world.account('Elsewhere') })).token
const environmentToken = async (world: World, appEnvId: string) =>
  (await world.token({ kind: 'ENVIRONMENT', appEnvId })).token

const newApp = (world: World, fields = {}) => world.app({ name: 'Shop', ...fields })
const newAppEnv = (world: World, fields = {}) => world.appEnv({ app: { name: 'Shop' }, ...fields })
const fields = (world: World) => ({
  name: 'Shop',
  accountId: world.accountId,
  port: 80,
  useImage: true,
  image: 'shop:1',
})

export const appCases = [
  parityCase('createApp', 'accepted', async (world) => ({ command: createApp, input: fields(world) })),
  parityCase('createApp with its first environment', 'accepted', async (world) => ({
    command: createApp,
    input: { ...fields(world), appEnv: { name: 'production' } },
  })),
  parityCase('createApp by TECHNICAL', 'accepted', async (world) => ({
    command: createApp,
    input: fields(world),
    token: await technical(world),
  })),
  parityCase('createApp with a field missing', 'INVALID_INPUT', async (world) => ({
    command: createApp,
    input: { name: 'Shop', accountId: world.accountId },
  })),
  parityCase('createApp with both kinds of Dockerfile', 'INVALID_INPUT', async (world) => ({
    command: createApp,
    input: { ...fields(world), dockerfilePath: 'Dockerfile', customDockerfileContent: 'FROM scratch' },
  })),
  parityCase('createApp with a bad image', 'INVALID_INPUT', async (world) => ({
    command: createApp,
    input: { ...fields(world), image: 'Not An Image' },
  })),
  parityCase('createApp from GitHub without a repository', 'INVALID_INPUT', async (world) => ({
    command: createApp,
    input: { ...fields(world), gitProvider: 'GITHUB' },
  })),
  parityCase('createApp from a repository that no host can have', 'INVALID_INPUT', async (world) => ({
    command: createApp,
    input: { ...fields(world), gitNamespace: 'acme', gitRepo: 'my shop', gitInstallationId: '1' },
  })),
  parityCase('createApp of an older version name', 'accepted', async (world) => ({
    command: createApp,
    input: { ...fields(world), dockerPreset: 'EXPRESS', dockerPresetVersion: 'NODE_JS_18_EXPRESS' },
  })),
  parityCase('updateApp with a volume for its environments', 'accepted', async (world) => {
    const { appId } = await newAppEnv(world)
    return { command: updateApp, input: { appId, useVolume: true, volumePath: '/data' } }
  }),
  parityCase('updateApp with a volume at no path', 'INVALID_INPUT', async (world) => ({
    command: updateApp,
    input: { appId: await newApp(world), useVolume: true },
  })),
  parityCase('createApp with limits of builds', 'accepted', async (world) => ({
    command: createApp,
    input: { ...fields(world), buildResources: { cpu: 1, memoryMb: 1024, diskMb: null } },
  })),
  parityCase('createApp with too small a build', 'INVALID_INPUT', async (world) => ({
    command: createApp,
    input: { ...fields(world), buildResources: { memoryMb: 1 } },
  })),
  parityCase('createApp with a larger build than the plan allows', 'FORBIDDEN PLAN_LIMIT', async (world) => ({
    command: createApp,
    input: { ...fields(world), buildResources: { memoryMb: 100_000 } },
  })),
  parityCase('updateApp with limits of builds', 'accepted', async (world) => ({
    command: updateApp,
    input: { appId: await newApp(world), buildResources: { timeoutSeconds: 60 } },
  })),
  parityCase('updateApp with a larger build than the plan allows', 'FORBIDDEN PLAN_LIMIT', async (world) => ({
    command: updateApp,
    input: { appId: await newApp(world), buildResources: { diskMb: 100_000 } },
  })),
  parityCase('createApp with labels', 'accepted', async (world) => ({
    command: createApp,
    input: { ...fields(world), labels: { team: 'checkout' } },
  })),
  parityCase('updateApp of labels', 'accepted', async (world) => ({
    command: updateApp,
    input: { appId: await newApp(world, { labels: { team: 'checkout', old: '' } }), labels: { team: 'b', old: null } },
  })),
  parityCase('updateApp of labels that are no labels', 'INVALID_INPUT', async (world) => ({
    command: updateApp,
    input: { appId: await newApp(world), labels: { 'a b': 'x' } },
  })),
  parityCase('updateAppEnv of labels', 'accepted', async (world) => ({
    command: updateAppEnv,
    input: { appEnvId: (await newAppEnv(world, { labels: { tier: '1' } })).appEnvId, labels: null },
  })),
  parityCase('updateApp to another name', 'accepted', async (world) => ({
    command: updateApp,
    input: { appId: await newApp(world), name: 'Boutique' },
  })),
  parityCase('updateApp to another repository', 'accepted', async (world) => ({
    command: updateApp,
    input: {
      appId: await newApp(world, { useImage: false, image: undefined, gitRepo: 'https://git.example.com/a/b' }),
      gitRepo: 'https://git.example.com/a/c',
    },
  })),
  parityCase('updateApp to half a repository', 'INVALID_INPUT', async (world) => ({
    command: updateApp,
    input: { appId: await newApp(world), gitRepo: 'shop' },
  })),
  parityCase(
    'updateApp to a repository beside environments of pull requests',
    'CONFLICT PULL_REQUEST_ENVS_LEFT',
    async (world) => {
      const app = { name: 'Shop', useImage: false, image: undefined, gitRepo: 'https://git.example.com/a/b' }
      const { appId, appEnvId } = await world.appEnv({ app, branch: 'main' })
      const pullRequest = { number: 1, ref: 'refs/pull/1/head', isFork: false }
      await world.database.appEnv.update({ where: { id: appEnvId }, data: { pullRequest } })
      return { command: updateApp, input: { appId, gitRepo: 'https://git.example.com/a/c' } }
    },
  ),
  parityCase('createApp of a worker', 'accepted', async (world) => ({
    command: createApp,
    input: { ...fields(world), healthCheck: { type: 'NONE' } },
  })),
  parityCase('createApp with two health checks', 'INVALID_INPUT', async (world) => ({
    command: createApp,
    input: { ...fields(world), healthCheckPath: '/a', healthCheck: { type: 'HTTP', path: '/b' } },
  })),
  parityCase('updateApp to a worker', 'accepted', async (world) => {
    const { appId, appEnvId } = await newAppEnv(world)
    await world.deploy(appEnvId)
    return { command: updateApp, input: { appId, healthCheck: { type: 'NONE' } } }
  }),
  parityCase('updateApp of a worker with a path', 'INVALID_INPUT', async (world) => {
    const appId = await newApp(world, { healthCheck: { type: 'NONE' } })
    return { command: updateApp, input: { appId, healthCheckPath: '/ok' } }
  }),
  parityCase('updateApp to a worker that has a probe', 'CONFLICT HAS_PROBES', async (world) => {
    const { appId, appEnvId } = await newAppEnv(world)
    await world.perform(changeHealthcheck, { appEnvId, liveness: { path: '/live' } })
    return { command: updateApp, input: { appId, healthCheck: { type: 'NONE' } } }
  }),
  parityCase('createApp in an unknown account', 'NOT_FOUND', async (world) => ({
    command: createApp,
    input: { ...fields(world), accountId: UNKNOWN_ACCOUNT },
  })),
  parityCase('createApp by a reader', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: createApp,
    input: fields(world),
    token: await reader(world),
  })),
  parityCase('createApp by a stranger', 'FORBIDDEN NOT_A_MEMBER', async (world) => ({
    command: createApp,
    input: fields(world),
    token: await stranger(world),
  })),
  parityCase('createApp with an environment token', 'FORBIDDEN USER_TOKEN_REQUIRED', async (world) => {
    const { appEnvId } = await newAppEnv(world)
    return { command: createApp, input: fields(world), token: await environmentToken(world, appEnvId) }
  }),
  parityCase('createApp with a scoped token that may only read', 'FORBIDDEN SCOPE_MISSING', async (world) => ({
    command: createApp,
    input: fields(world),
    token: (await world.token({ kind: 'SCOPED', scopes: ['svc:read'] })).token,
  })),
  parityCase('createApp with an unknown token', 'UNAUTHENTICATED', async (world) => ({
    command: createApp,
    input: fields(world),
    token: 'nobody-knows-this-token',
  })),

  parityCase('updateApp', 'accepted', async (world) => ({
    command: updateApp,
    input: { appId: await newApp(world), port: 81 },
  })),
  parityCase('updateApp that affects an environment', 'accepted', async (world) => {
    const { appId, appEnvId } = await newAppEnv(world)
    await world.deploy(appEnvId)
    return { command: updateApp, input: { appId, port: 81, healthCheckPath: '/healthz' } }
  }),
  parityCase('updateApp, applied immediately', 'accepted', async (world) => {
    const { appId, appEnvId } = await newAppEnv(world)
    await world.deploy(appEnvId)
    return { command: updateApp, input: { appId, port: 81, applyImmediately: true } }
  }),
  parityCase('updateApp of an unknown app', 'NOT_FOUND', async () => ({
    command: updateApp,
    input: { appId: UNKNOWN_APP, port: 81 },
  })),
  parityCase('updateApp with an image and without useImage', 'INVALID_INPUT', async (world) => ({
    command: updateApp,
    input: { appId: await newApp(world, { useImage: false, image: undefined }), image: 'shop:2' },
  })),
  parityCase('updateApp at an old version', 'PRECONDITION_FAILED VERSION_MISMATCH', async (world) => {
    const appId = await newApp(world)
    await world.perform(updateApp, { appId, port: 82 })
    return { command: updateApp, input: { appId, port: 81 }, expectedVersion: 1 }
  }),
  parityCase('updateApp by a reader', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: updateApp,
    input: { appId: await newApp(world), port: 81 },
    token: await reader(world),
  })),

  parityCase('deleteApp', 'accepted', async (world) => ({
    command: deleteApp,
    input: { appId: (await newAppEnv(world)).appId },
  })),
  parityCase('deleteApp by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: deleteApp,
    input: { appId: await newApp(world) },
    token: await technical(world),
  })),
  parityCase('deleteApp of a protected environment', 'CONFLICT PREVENT_DESTROY', async (world) => ({
    command: deleteApp,
    input: { appId: (await newAppEnv(world, { preventDestroy: true })).appId },
  })),

  parityCase('createAppEnv', 'accepted', async (world) => ({
    command: createAppEnv,
    input: {
      accountId: world.accountId,
      appId: await newApp(world),
      name: 'production',
      region: 'local',
      containers: 2,
      zClouds: 2,
      envVars: [{ name: 'KEY', value: 'value', isSecret: true }],
      startupConfig: { command: 'node', args: ['server.js'], shell: false },
      releaseCommand: { command: 'node', args: ['migrate.js'], shell: false, timeoutSeconds: 60 },
    },
  })),
  parityCase('createAppEnv in an unknown region', 'NOT_FOUND', async (world) => ({
    command: createAppEnv,
    input: { accountId: world.accountId, appId: await newApp(world), name: 'production', region: 'moon' },
  })),
  parityCase('createAppEnv with a name that is taken', 'CONFLICT NAME_TAKEN', async (world) => {
    const { appId, accountId } = await newAppEnv(world)
    return { command: createAppEnv, input: { accountId, appId, name: 'production', region: 'local' } }
  }),
  parityCase('createAppEnv with a bad variable', 'INVALID_INPUT', async (world) => ({
    command: createAppEnv,
    input: {
      accountId: world.accountId,
      appId: await newApp(world),
      name: 'a',
      region: 'local',
      envVars: [{ name: 'KEY=1', value: '' }],
    },
  })),
  parityCase('createAppEnv by a reader', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: createAppEnv,
    input: { accountId: world.accountId, appId: await newApp(world), name: 'a', region: 'local' },
    token: await reader(world),
  })),

  parityCase('updateAppEnv', 'accepted', async (world) => ({
    command: updateAppEnv,
    input: {
      appEnvId: (await newAppEnv(world)).appEnvId,
      name: 'Main',
      envVars: [{ name: 'KEY', value: 'value' }],
      preventDestroy: true,
    },
  })),
  parityCase('updateAppEnv, applied immediately', 'accepted', async (world) => {
    const { appEnvId } = await newAppEnv(world)
    await world.deploy(appEnvId)
    return {
      command: updateAppEnv,
      input: { appEnvId, envVars: [{ name: 'KEY', value: 'value' }], applyImmediately: true },
    }
  }),
  parityCase('updateAppEnv with a release command', 'accepted', async (world) => ({
    command: updateAppEnv,
    input: { appEnvId: (await newAppEnv(world)).appEnvId, releaseCommand: { command: 'npm run migrate' } },
  })),
  parityCase('updateAppEnv with a release command of two hours', 'INVALID_INPUT', async (world) => ({
    command: updateAppEnv,
    input: { appEnvId: (await newAppEnv(world)).appEnvId, releaseCommand: { command: 'sleep', timeoutSeconds: 7200 } },
  })),
  parityCase('updateAppEnv of a job with a release command', 'INVALID_INPUT', async (world) => ({
    command: updateAppEnv,
    input: {
      appEnvId: (await world.appEnv({ app: { name: 'Import', port: undefined, dockerPreset: 'JOB' } })).appEnvId,
      releaseCommand: { command: 'npm run migrate' },
    },
  })),
  parityCase('updateAppEnv of none', 'INVALID_INPUT', async () => ({ command: updateAppEnv, input: { name: 'Main' } })),
  parityCase('updateAppEnv of an unknown environment', 'NOT_FOUND', async () => ({
    command: updateAppEnv,
    input: { appEnvId: UNKNOWN_ENV, name: 'Main' },
  })),
  parityCase('updateAppEnv by a reader', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: updateAppEnv,
    input: { appEnvId: (await newAppEnv(world)).appEnvId, name: 'Main' },
    token: await reader(world),
  })),

  parityCase('deleteAppEnv', 'accepted', async (world) => ({
    command: deleteAppEnv,
    input: { appEnvId: (await newAppEnv(world)).appEnvId },
  })),
  parityCase('deleteAppEnv by name', 'accepted', async (world) => {
    await newAppEnv(world)
    return { command: deleteAppEnv, input: { envName: 'default-shop-production' } }
  }),
  parityCase('deleteAppEnv that is protected', 'CONFLICT PREVENT_DESTROY', async (world) => ({
    command: deleteAppEnv,
    input: { appEnvId: (await newAppEnv(world, { preventDestroy: true })).appEnvId },
  })),
  parityCase('deleteAppEnv by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: deleteAppEnv,
    input: { appEnvId: (await newAppEnv(world)).appEnvId },
    token: await technical(world),
  })),
]
