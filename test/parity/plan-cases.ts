import type { AnyCommand } from '../../src/calls/command.ts'
import { updateAccount } from '../../src/services/account/account-commands.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { changeResources, changeScaling } from '../../src/services/app-env/setting-commands.ts'
import { createPlan, updatePlan } from '../../src/services/plan/plan-commands.ts'
import { createRegion, updateRegion } from '../../src/services/plan/region-commands.ts'
import type { World } from '../support/world.ts'
import { parityCase } from './parity-case.ts'

const SMALL = {
  plan: 'small',
  name: 'Small',
  functionsIncluded: false,
  autoscalingIncluded: false,
  maxApps: 1,
  maxAppEnvs: 1,
  maxContainers: 2,
  maxZClouds: 1,
}
const NORTH = { region: 'north', name: 'North', functionsSupported: true, domain: 'north.example.com' }
const ENGINE = { engine: 'tcp://10.0.0.7', reachAddress: '10.0.0.7' }
const NOT_ADMIN = 'FORBIDDEN INSTALLATION_ADMIN_REQUIRED'
const PLAN_LIMIT = 'FORBIDDEN PLAN_LIMIT'

const small = (world: World) => world.perform(createPlan, SMALL)
const adminToken = async (world: World) => (await world.user({ roles: ['ADMIN'] })).token

/** An environment of an account on the small plan, and what is beyond it. */
const beyond = (title: string, call: (world: World, appId: string, appEnvId: string) => [AnyCommand, object]) =>
  parityCase(title, PLAN_LIMIT, async (world) => {
    const { appId, appEnvId } = await world.appEnv({ app: { name: 'Shop' } })
    await small(world)
    await world.perform(updateAccount, { accountId: world.accountId, plan: 'small' })
    const [command, input] = call(world, appId, appEnvId)
    return { command, input: input as Record<string, unknown> }
  })

const live = (accountId: string, appId: string, fields: object = {}) => ({
  accountId,
  appId,
  name: 'live',
  region: 'local',
  ...fields,
})

/** Plans and regions, and what a plan refuses. */
export const planCases = [
  parityCase('createPlan', 'accepted', async () => ({ command: createPlan, input: SMALL })),
  parityCase('createPlan that there is', 'CONFLICT CODE_TAKEN', async () => ({
    command: createPlan,
    input: { ...SMALL, plan: 'standard' },
  })),
  parityCase('createPlan without any room', 'INVALID_INPUT', async () => ({
    command: createPlan,
    input: { ...SMALL, maxApps: 0 },
  })),
  parityCase('createPlan by an ADMIN of an account', NOT_ADMIN, async (world) => ({
    command: createPlan,
    input: SMALL,
    token: await adminToken(world),
  })),
  parityCase('updatePlan', 'accepted', async () => ({
    command: updatePlan,
    input: { plan: 'standard', maxContainers: 7, logDays: 3 },
  })),
  parityCase('updatePlan with limits of builds', 'accepted', async (world) => {
    const { plan } = await small(world)
    return { command: updatePlan, input: { plan, buildResources: { cpu: 2 }, maxBuildResources: { cpu: 8 } } }
  }),
  parityCase('updatePlan with a default of builds above the most', 'INVALID_INPUT', async () => ({
    command: updatePlan,
    input: { plan: 'standard', buildResources: { cpu: 2 }, maxBuildResources: { cpu: 1 } },
  })),
  parityCase('updatePlan that there is not', 'NOT_FOUND', async () => ({
    command: updatePlan,
    input: { plan: 'nothing', maxApps: 1 },
  })),
  parityCase('updatePlan to nothing at all', 'INVALID_INPUT', async () => ({
    command: updatePlan,
    input: { plan: 'standard', maxApps: 0 },
  })),
  parityCase('updatePlan by an ADMIN of an account', NOT_ADMIN, async (world) => ({
    command: updatePlan,
    input: { plan: 'standard', maxApps: 1 },
    token: await adminToken(world),
  })),
  parityCase('createRegion', 'accepted', async () => ({ command: createRegion, input: NORTH })),
  parityCase('createRegion that there is', 'CONFLICT CODE_TAKEN', async () => ({
    command: createRegion,
    input: { ...NORTH, region: 'local' },
  })),
  parityCase('createRegion under no domain', 'INVALID_INPUT', async () => ({
    command: createRegion,
    input: { ...NORTH, domain: 'north..example' },
  })),
  parityCase('createRegion with an engine of its own', 'accepted', async () => ({
    command: createRegion,
    input: { ...NORTH, ...ENGINE },
  })),
  parityCase('createRegion with an engine by plain HTTP', 'INVALID_INPUT', async () => ({
    command: createRegion,
    input: { ...NORTH, ...ENGINE, engine: 'http://10.0.0.7:2375' },
  })),
  parityCase('createRegion with an engine whose containers nobody reaches', 'INVALID_INPUT', async () => ({
    command: createRegion,
    input: { ...NORTH, engine: ENGINE.engine },
  })),
  parityCase('createRegion by an ADMIN of an account', NOT_ADMIN, async (world) => ({
    command: createRegion,
    input: NORTH,
    token: await adminToken(world),
  })),
  parityCase('updateRegion', 'accepted', async () => ({
    command: updateRegion,
    input: { region: 'local', sandboxAddonReady: true },
  })),
  parityCase('updateRegion to another engine', 'accepted', async (world) => {
    await world.perform(createRegion, NORTH)
    return { command: updateRegion, input: { region: 'north', ...ENGINE } }
  }),
  parityCase('updateRegion to another engine, with environments', 'CONFLICT REGION_IN_USE', async (world) => {
    await world.appEnv({ app: { name: 'Shop' } })
    return { command: updateRegion, input: { region: 'local', ...ENGINE } }
  }),
  parityCase('updateRegion to an address without an engine', 'INVALID_INPUT', async () => ({
    command: updateRegion,
    input: { region: 'local', reachAddress: '10.0.0.7' },
  })),
  parityCase('updateRegion that there is not', 'NOT_FOUND', async () => ({
    command: updateRegion,
    input: { region: 'nothing', name: 'Nothing' },
  })),
  parityCase('updateRegion by an ADMIN of an account', NOT_ADMIN, async (world) => ({
    command: updateRegion,
    input: { region: 'local', name: 'Mine' },
    token: await adminToken(world),
  })),
  parityCase('updateAccount to another plan', 'accepted', async (world) => {
    await small(world)
    return { command: updateAccount, input: { accountId: world.accountId, plan: 'small', entitlements: [] } }
  }),
  parityCase('updateAccount to a plan that there is not', 'NOT_FOUND', async (world) => ({
    command: updateAccount,
    input: { accountId: world.accountId, plan: 'nothing' },
  })),
  beyond('createApp beyond the plan', ({ accountId }) => [createApp, { name: 'More', accountId, port: 80 }]),
  beyond('createAppEnv beyond the plan', ({ accountId }, appId) => [createAppEnv, live(accountId, appId)]),
  beyond('createAppEnv with containers beyond the plan', ({ accountId }, appId) => [
    ...([createAppEnv, live(accountId, appId, { containers: 3 })] as const),
  ]),
  beyond('changeResources beyond the plan', (_world, _appId, appEnvId) => [changeResources, { appEnvId, zClouds: 2 }]),
  beyond('changeScaling with autoscaling beyond the plan', (_world, _appId, appEnvId) => [
    ...([changeScaling, { appEnvId, autoScaling: { enabled: true, min: 1, max: 2, cpuPercent: 70 } }] as const),
  ]),
]
