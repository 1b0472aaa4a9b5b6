import type { AnyCommand } from '../../src/calls/command.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { applyChanges } from '../../src/services/lifecycle/apply-changes.ts'
import { buildAppEnv } from '../../src/services/lifecycle/build.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { lifecycleOperations } from '../../src/services/lifecycle/operations.ts'
import { promoteDeployment } from '../../src/services/lifecycle/promote.ts'
import { redeployAppEnv } from '../../src/services/lifecycle/redeploy.ts'
import { restartAppEnv } from '../../src/services/lifecycle/restart.ts'
import { restoreBackup } from '../../src/services/lifecycle/restore-backup.ts'
import { rollbackAppEnv } from '../../src/services/lifecycle/rollback.ts'
import { rotateCredentials } from '../../src/services/lifecycle/rotate-credentials.ts'
import { startAppEnv } from '../../src/services/lifecycle/start.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { verifyBackup } from '../../src/services/lifecycle/verify-backup.ts'
import { cancelOperation } from '../../src/services/operation/cancel-operation.ts'
import { retryOperation } from '../../src/services/operation/retry-operation.ts'
import type { World } from '../support/world.ts'
import { backupCases } from './backup-cases.ts'
import { type ParityCase, parityCase } from './parity-case.ts'
import { serviceCases } from './service-cases.ts'

const UNKNOWN_ENV = 'env_01h455vb4pex5vsknk084sn02q'
const UNKNOWN_CONTENT = 'con_01h455vb4pex5vsknk084sn02q'
const UNKNOWN_BACKUP = 'bak_01h455vb4pex5vsknk084sn02q'
const UNKNOWN_OPERATION = 'op_01h455vb4pex5vsknk084sn02q'

const pending = async (world: World) => (await world.appEnv({ app: { name: 'Shop' } })).appEnvId

async function running(world: World, versions = 1): Promise<string> {
  const appEnvId = await pending(world)
  for (let version = 1; version <= versions; version += 1) await world.deploy(appEnvId, `shop:${version}`)
  return appEnvId
}

async function stopped(world: World): Promise<string> {
  const appEnvId = await running(world)
  const { operationId } = await world.perform(stopAppEnv, { appEnvId })
  await world.endOperation(operationId)
  return appEnvId
}

const contentId = async (world: World, appEnvId: string, version: number) =>
  (await world.database.content.findUniqueOrThrow({ where: { appEnvId_version: { appEnvId, version } } })).id

/** Two environments of an app, of which the first runs a version. */
async function stages(world: World) {
  const { appId, appEnvId: staging } = await world.appEnv({ app: { name: 'Shop' }, name: 'staging' })
  const contentId = await world.deploy(staging, 'shop:1')
  await world.database.content.update({ where: { id: contentId }, data: { imageDigest: 'shop@sha256:abc' } })
  const { appEnvId: production } = await world.appEnv({ appId, name: 'production' })
  return { staging, production, contentId }
}

const simple = (
  title: string,
  command: AnyCommand,
  expected: string,
  state: (world: World) => Promise<string>,
  more = {},
): ParityCase =>
  parityCase(title, expected, async (world) => ({ command, input: { appEnvId: await state(world), ...more } }))

/** Fields that a command cannot do without. */
const REQUIRED = new Map<AnyCommand, Record<string, unknown>>([
  [deployImage, { image: 'shop:2' }],
  [restoreBackup, { backupKey: UNKNOWN_BACKUP }],
  [verifyBackup, { backupKey: UNKNOWN_BACKUP }],
  [promoteDeployment, { fromAppEnvId: UNKNOWN_ENV }],
])

/** The refusals that every lifecycle operation shares, whatever the state of the environment. */
function refusalsOf(command: AnyCommand): ParityCase[] {
  const more = REQUIRED.get(command) ?? {}
  const { name } = command
  return [
    parityCase(`${name} of none`, 'INVALID_INPUT', async () => ({ command, input: more })),
    parityCase(`${name} with an unknown field`, 'INVALID_INPUT', async (world) => ({
      command,
      input: { appEnvId: await running(world), ...more, colour: 'red' },
    })),
    parityCase(`${name} of an unknown environment`, 'NOT_FOUND', async () => ({
      command,
      input: { appEnvId: UNKNOWN_ENV, ...more },
    })),
    parityCase(`${name} by a reader`, 'FORBIDDEN ROLE_MISSING', async (world) => ({
      command,
      input: { appEnvId: await running(world), ...more },
      token: (await world.user({ roles: ['AUDIT'] })).token,
    })),
    parityCase(`${name} with the token of another environment`, 'FORBIDDEN OTHER_ENVIRONMENT', async (world) => {
      const other = await world.appEnv({ app: { name: 'Other' } })
      const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId: other.appEnvId })
      return { command, input: { appEnvId: await running(world), ...more }, token }
    }),
    parityCase(`${name} by a member of other environments`, 'FORBIDDEN OTHER_ENVIRONMENT', async (world) => {
      const other = await world.appEnv({ app: { name: 'Other' } })
      const { token } = await world.user({ appEnvIds: [other.appEnvId] })
      return { command, input: { appEnvId: await running(world), ...more }, token }
    }),
  ]
}

/** No environment token may do them, and so their refusals are others. */
const USERS_ONLY = new Set<AnyCommand>([rotateCredentials, restoreBackup])

export const lifecycleCases = [
  ...lifecycleOperations.flatMap((one) => (USERS_ONLY.has(one) ? [] : refusalsOf(one))),
  ...serviceCases,
  ...backupCases,

  simple('deployImage', deployImage, 'accepted', pending, { image: 'shop:1' }),
  simple(
    'deployImage while another is under way',
    deployImage,
    'accepted',
    async (world) => {
      const appEnvId = await running(world)
      await world.perform(deployImage, { appEnvId, image: 'shop:2' })
      return appEnvId
    },
    { image: 'shop:3' },
  ),
  simple('deployImage on a stopped environment', deployImage, 'accepted', stopped, { image: 'shop:2' }),
  simple(
    'deployImage without useImage',
    deployImage,
    'CONFLICT IMAGE_NOT_ENABLED',
    async (world) => (await world.appEnv({ app: { name: 'Shop', useImage: false, image: undefined } })).appEnvId,
    { image: 'shop:1' },
  ),
  simple(
    'deployImage of a Function without useImage',
    deployImage,
    'accepted',
    async (world) =>
      (await world.appEnv({ app: { name: 'Shop', dockerPreset: 'FUNCTION', useImage: false, image: undefined } }))
        .appEnvId,
    { image: 'shop:1' },
  ),
  simple('deployImage of something that is no image', deployImage, 'INVALID_INPUT', pending, { image: '--privileged' }),
  parityCase('deployImage with an environment token', 'accepted', async (world) => {
    const appEnvId = await pending(world)
    const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
    return { command: deployImage, input: { envName: 'default-shop-production', image: 'shop:1' }, token }
  }),
  parityCase('deployImage with both addresses, of which appEnvId wins', 'accepted', async (world) => ({
    command: deployImage,
    input: { appEnvId: await pending(world), envName: 'nobody', image: 'shop:1' },
  })),

  simple('buildAppEnv', buildAppEnv, 'CONFLICT SOURCE_NOT_CONFIGURED', pending),
  simple(
    'buildAppEnv by a builder that is not installed',
    buildAppEnv,
    'CONFLICT BUILDER_NOT_AVAILABLE',
    async (world) => {
      const app = { name: 'Shop', useImage: false, gitRepo: 'https://git.example.com/shop.git', builder: 'NIXPACKS' }
      return (await world.appEnv({ app, branch: 'main' })).appEnvId
    },
  ),

  simple('redeployAppEnv', redeployAppEnv, 'accepted', running),
  simple('redeployAppEnv before the first deployment', redeployAppEnv, 'CONFLICT NEVER_DEPLOYED', pending),
  simple('redeployAppEnv of an unknown version', redeployAppEnv, 'NOT_FOUND', running, { contentId: UNKNOWN_CONTENT }),
  parityCase('redeployAppEnv of an earlier version', 'accepted', async (world) => {
    const appEnvId = await running(world, 2)
    return { command: redeployAppEnv, input: { appEnvId, contentId: await contentId(world, appEnvId, 1) } }
  }),

  simple('rollbackAppEnv', rollbackAppEnv, 'accepted', (world) => running(world, 2)),
  simple('rollbackAppEnv without an earlier version', rollbackAppEnv, 'CONFLICT NO_EARLIER_VERSION', running),
  simple('rollbackAppEnv before the first deployment', rollbackAppEnv, 'CONFLICT NO_EARLIER_VERSION', pending),
  simple('rollbackAppEnv to an unknown version', rollbackAppEnv, 'NOT_FOUND', running, {
    targetContentId: UNKNOWN_CONTENT,
  }),
  parityCase('rollbackAppEnv to the current version', 'CONFLICT ALREADY_CURRENT', async (world) => {
    const appEnvId = await running(world, 2)
    return { command: rollbackAppEnv, input: { appEnvId, targetContentId: await contentId(world, appEnvId, 2) } }
  }),
  parityCase('rollbackAppEnv to a version that failed', 'CONFLICT NEVER_DEPLOYED', async (world) => {
    const appEnvId = await running(world)
    const { operationId } = await world.perform(deployImage, { appEnvId, image: 'shop:bad' })
    await world.endOperation(operationId, 'FAILED')
    return { command: rollbackAppEnv, input: { appEnvId, targetContentId: await contentId(world, appEnvId, 2) } }
  }),

  simple('stopAppEnv', stopAppEnv, 'accepted', running),
  simple('stopAppEnv before the first deployment', stopAppEnv, 'CONFLICT NEVER_DEPLOYED', pending),
  simple('stopAppEnv when stopped', stopAppEnv, 'CONFLICT ALREADY_STOPPED', stopped),
  simple('stopAppEnv while stopping', stopAppEnv, 'CONFLICT ALREADY_STOPPING', async (world) => {
    const appEnvId = await running(world)
    await world.perform(stopAppEnv, { appEnvId })
    return appEnvId
  }),

  simple('startAppEnv', startAppEnv, 'accepted', stopped),
  simple('startAppEnv when running', startAppEnv, 'CONFLICT ALREADY_RUNNING', running),
  simple('startAppEnv before the first deployment', startAppEnv, 'CONFLICT NEVER_DEPLOYED', pending),
  simple('startAppEnv while stopping', startAppEnv, 'accepted', async (world) => {
    const appEnvId = await running(world)
    await world.perform(stopAppEnv, { appEnvId })
    return appEnvId
  }),
  simple('startAppEnv while a deployment is under way', startAppEnv, 'CONFLICT ALREADY_RUNNING', async (world) => {
    const appEnvId = await running(world)
    await world.perform(deployImage, { appEnvId, image: 'shop:2' })
    return appEnvId
  }),
  simple('startAppEnv while starting', startAppEnv, 'CONFLICT ALREADY_STARTING', async (world) => {
    const appEnvId = await stopped(world)
    await world.perform(startAppEnv, { appEnvId })
    return appEnvId
  }),
  simple('startAppEnv while a deployment starts it', startAppEnv, 'CONFLICT ALREADY_RUNNING', async (world) => {
    const appEnvId = await stopped(world)
    await world.perform(deployImage, { appEnvId, image: 'shop:2' })
    return appEnvId
  }),

  simple('applyChanges with nothing pending', applyChanges, 'accepted', running),
  simple('applyChanges of a variable', applyChanges, 'accepted', async (world) => {
    const appEnvId = await running(world)
    await world.perform(updateAppEnv, { appEnvId, envVars: [{ name: 'KEY', value: 'value' }] })
    return appEnvId
  }),
  simple('applyChanges that need a build', applyChanges, 'CONFLICT SOURCE_NOT_CONFIGURED', async (world) => {
    const { appEnvId, appId } = await world.appEnv({ app: { name: 'Shop' } })
    await world.deploy(appEnvId)
    await world.perform(updateApp, { appId, useImage: false })
    return appEnvId
  }),
  simple('applyChanges when stopped', applyChanges, 'CONFLICT ENVIRONMENT_STOPPED', stopped),
  simple('applyChanges while stopping', applyChanges, 'CONFLICT ENVIRONMENT_STOPPED', async (world) => {
    const appEnvId = await running(world)
    await world.perform(updateAppEnv, { appEnvId, envVars: [{ name: 'KEY', value: 'value' }] })
    await world.perform(stopAppEnv, { appEnvId })
    return appEnvId
  }),

  parityCase('cancelOperation', 'accepted', async (world) => {
    const { operationId } = await world.perform(deployImage, { appEnvId: await running(world), image: 'shop:2' })
    return { command: cancelOperation, input: { operationId } }
  }),
  parityCase('cancelOperation that has ended', 'CONFLICT OPERATION_ENDED', async (world) => {
    const [operation] = await world.operationsOf(await running(world))
    return { command: cancelOperation, input: { operationId: operation?.id } }
  }),
  parityCase('cancelOperation of an unknown one', 'NOT_FOUND', async () => ({
    command: cancelOperation,
    input: { operationId: UNKNOWN_OPERATION },
  })),
  parityCase('retryOperation of a dead letter', 'accepted', async (world) => {
    const { operationId } = await world.perform(deployImage, { appEnvId: await running(world), image: 'shop:2' })
    await world.endOperation(operationId, 'DEAD_LETTER')
    return { command: retryOperation, input: { operationId } }
  }),
  parityCase('retryOperation that succeeded', 'CONFLICT NOT_FAILED', async (world) => {
    const [operation] = await world.operationsOf(await running(world))
    return { command: retryOperation, input: { operationId: operation?.id } }
  }),

  simple('restartAppEnv', restartAppEnv, 'accepted', running),
  simple('restartAppEnv of what never ran', restartAppEnv, 'CONFLICT NEVER_DEPLOYED', pending),
  simple('restartAppEnv of a stopped environment', restartAppEnv, 'CONFLICT ENVIRONMENT_STOPPED', stopped),
  simple('restartAppEnv beside a deployment', restartAppEnv, 'CONFLICT OPERATION_IN_PROGRESS', async (world) => {
    const appEnvId = await running(world)
    await world.perform(deployImage, { appEnvId, image: 'shop:2' })
    return appEnvId
  }),
  simple('restartAppEnv of a job', restartAppEnv, 'CONFLICT NOTHING_TO_RESTART', async (world) => {
    const { appEnvId } = await world.appEnv({ app: { name: 'Shop', dockerPreset: 'JOB', port: undefined } })
    await world.deploy(appEnvId)
    return appEnvId
  }),
  simple('restartAppEnv of a function that sleeps', restartAppEnv, 'CONFLICT NOTHING_TO_RESTART', async (world) => {
    const { appEnvId } = await world.appEnv({ app: { name: 'Shop', dockerPreset: 'FUNCTION' } })
    await world.deploy(appEnvId)
    const rule = { minScale: 0, maxScale: 1, concurrency: 1, idleSeconds: 1, timeoutSeconds: 1 }
    await world.database.requestScaling.create({ data: { appEnvId, ...rule, depth: 'NONE', depthReason: 'idle' } })
    return appEnvId
  }),

  parityCase('promoteDeployment', 'accepted', async (world) => {
    const { staging, production } = await stages(world)
    return { command: promoteDeployment, input: { appEnvId: production, fromAppEnvId: staging } }
  }),
  parityCase('promoteDeployment of a version', 'accepted', async (world) => {
    const { staging, production, contentId } = await stages(world)
    return { command: promoteDeployment, input: { appEnvId: production, fromAppEnvId: staging, contentId } }
  }),
  parityCase('promoteDeployment of a version of another environment', 'NOT_FOUND', async (world) => {
    const { staging, production } = await stages(world)
    const input = { appEnvId: production, fromAppEnvId: staging, contentId: UNKNOWN_CONTENT }
    return { command: promoteDeployment, input }
  }),
  parityCase('promoteDeployment of what never ran', 'CONFLICT NEVER_DEPLOYED', async (world) => {
    const { staging, production } = await stages(world)
    return { command: promoteDeployment, input: { appEnvId: staging, fromAppEnvId: production } }
  }),
  parityCase('promoteDeployment of another app', 'INVALID_INPUT', async (world) => {
    const { appEnvId } = await world.appEnv({ app: { name: 'Other' } })
    return { command: promoteDeployment, input: { appEnvId, fromAppEnvId: await running(world) } }
  }),
  parityCase('promoteDeployment by a member of the target alone', 'FORBIDDEN OTHER_ENVIRONMENT', async (world) => {
    const { staging, production } = await stages(world)
    const { token } = await world.user({ appEnvIds: [production] })
    return { command: promoteDeployment, input: { appEnvId: production, fromAppEnvId: staging }, token }
  }),
]
