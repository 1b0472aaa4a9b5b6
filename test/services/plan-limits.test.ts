import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AnyCommand } from '../../src/calls/command.ts'
import { DomainError } from '../../src/domain/errors.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { changeResources, changeScaling, renameAppEnv } from '../../src/services/app-env/setting-commands.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { applyChanges } from '../../src/services/lifecycle/apply-changes.ts'
import { autoscaleAppEnv } from '../../src/services/lifecycle/autoscale-app-env.ts'
import { buildAppEnv } from '../../src/services/lifecycle/build.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { redeployAppEnv } from '../../src/services/lifecycle/redeploy.ts'
import { rollbackAppEnv } from '../../src/services/lifecycle/rollback.ts'
import { startAppEnv } from '../../src/services/lifecycle/start.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { retryOperation } from '../../src/services/operation/retry-operation.ts'
import { installCompose } from '../../src/services/solution/install-compose.ts'
import { installSolution } from '../../src/services/solution/install-solution.ts'
import { createPullRequestWorld, type PullRequestWorld } from '../git-hooks/pull-request-world.ts'
import { commitId } from '../support/git-hosts.ts'

let world: PullRequestWorld

beforeAll(async () => {
  world = await createPullRequestWorld()
})

afterAll(() => world.close())

type Fields = Record<string, unknown>

const GENEROUS = {
  functionsIncluded: true,
  autoscalingIncluded: true,
  maxApps: 10_000,
  maxAppEnvs: 100,
  maxContainers: 100,
  maxZClouds: 8,
  maxBuildMinutes: 1_000_000,
  maxBuildResources: { memoryMb: 8192 },
}

const setPlan = (data: Fields) => world.database.plan.update({ where: { code: 'standard' }, data })

/** What came of it: `accepted`, or the reason of the refusal. */
type Attempt = () => Promise<string>

const call =
  (command: AnyCommand, input: Fields): Attempt =>
  () =>
    world.perform(command, input).then(
      () => 'accepted',
      (error: unknown) => {
        if (!(error instanceof DomainError)) throw error
        return error.reason ?? error.code
      },
    )

const env = (fields: Fields = {}) => world.appEnv(fields as Parameters<typeof world.appEnv>[0])
const aFunction = { dockerPreset: 'FUNCTION' }

/** A function with a version for each of these numbers of containers, the last of which is configured and runs. */
async function versionsOf(...scales: number[]) {
  const { appEnvId, appId } = await env({ app: aFunction, functionConfig: { maxScale: scales[0] } })
  const contentIds: string[] = []
  for (const maxScale of scales) {
    await world.perform(updateAppEnv, { appEnvId, functionConfig: { maxScale } })
    contentIds.push(await world.deploy(appEnvId))
  }
  return { appId, appEnvId, contentIds }
}

/** An environment that runs in one container of one zCloud, with a setting that was not applied. */
async function pending(command: AnyCommand, setting: Fields) {
  const { appEnvId, appId } = await env()
  await world.deploy(appEnvId)
  await world.perform(command, { appEnvId, ...setting })
  return { appEnvId, appId }
}

async function stopped(setting: Fields) {
  const { appEnvId } = await env(setting)
  await world.deploy(appEnvId)
  await world.endOperation((await world.perform(stopAppEnv, { appEnvId })).operationId)
  return { appEnvId }
}

async function failed(setting: Fields) {
  const { appEnvId } = await env(setting)
  const { operationId } = await world.perform(deployImage, { appEnvId, image: 'nginx:2' })
  await world.endOperation(operationId, 'FAILED')
  return { operationId }
}

/** A pull request of an app whose other environment is like this. */
async function pullRequest(base: Fields, app: Fields = {}): Promise<Attempt> {
  const url = world.repository()
  const hook = await world.hook('GITHUB')
  await world.previewed({ url, base, app })
  let number = 0
  return async () => {
    number += 1
    const { outcome, reason } = await world.tell(hook, { url, number, head: commitId('abcdef'[number] ?? '0') })
    return outcome === 'IGNORED' ? reason : 'accepted'
  }
}

const compose = (services: object): Attempt =>
  call(installCompose, {
    accountId: world.accountId,
    appName: 'Composed',
    region: 'local',
    compose: JSON.stringify({ services }),
  })

const web = { image: 'nginx:1.27', ports: ['80:80'] }

/** An app that is built from git, whose account has built for an hour this month. */
async function built() {
  const gitRepo = world.repository()
  const appEnvId = await world.built({ gitRepo, watchPaths: [] })
  const { appId } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  const until = new Date()
  const startedAt = new Date(until.getTime() - 3_600_000)
  await world.database.usageInterval.create({
    data: {
      accountId: world.accountId,
      appId,
      appEnvId,
      envName: 'built',
      kind: 'BUILD',
      amount: 1n,
      sourceId: appEnvId,
      runAt: startedAt,
      startedAt,
      until,
      hasEnded: true,
    },
  })
  return { appEnvId, gitRepo }
}

/** The load asks for five containers in place of two. */
async function autoscaled(): Promise<Attempt> {
  const { appEnvId } = await env({ containers: 2 })
  await world.deploy(appEnvId)
  const autoScaling = { enabled: true, min: 1, max: 5 }
  await world.perform(changeScaling, { appEnvId, autoScaling })
  return async () => {
    const [open] = await world.database.operation.findMany({ where: { appEnvId, status: 'QUEUED' } })
    if (open) await world.endOperation(open.id)
    const before = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
    await autoscaleAppEnv(world, { appEnvId, from: before.containers, to: 5, why: 'load' })
    const { containers } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
    return containers === 5 ? 'accepted' : `stays at ${containers}`
  }
}

interface Way {
  /** The plan that shrinks so after everything was prepared. */
  low: Fields
  way: string
  prepare: () => Promise<Attempt>
  refused?: string
}

const way = (low: Fields, title: string, prepare: () => Promise<Attempt>, refused = 'PLAN_LIMIT'): Way => {
  return { low, way: title, prepare, refused }
}

const CONTAINERS = { maxContainers: 2 }
const Z_CLOUDS = { maxZClouds: 1 }
const NO_FUNCTIONS = { functionsIncluded: false }
const BUILDS = { maxBuildMinutes: 30 }
const BUILD_SIZE = { maxBuildResources: { memoryMb: 1024 } }
const BIG_BUILDS = { buildResources: { memoryMb: 4096 } }
const many = { maxScale: 5 }

const newEnv = async (app: Fields, fields: Fields) => {
  const accountId = world.accountId
  const appId = await world.app(app)
  let made = 0
  return async () => {
    made += 1
    return call(createAppEnv, { accountId, appId, name: `live ${made}`, region: 'local', ...fields })()
  }
}

const newApp = async (fields: Fields) =>
  call(createApp, { name: 'Limited', accountId: world.accountId, port: 80, ...fields })

/** Each limit of a plan, by each way in which a value can come. */
const WAYS: Way[] = [
  way(CONTAINERS, 'an environment', () => newEnv({}, { containers: 5 })),
  way(CONTAINERS, 'the functionConfig of an app', () => newApp({ ...aFunction, functionConfig: many })),
  way(CONTAINERS, 'an environment', () => newEnv(aFunction, { functionConfig: many })),
  way(CONTAINERS, 'the app of an environment that omits it', () => newEnv({ ...aFunction, functionConfig: many }, {})),
  way(CONTAINERS, 'the default of functionConfig', () => newEnv(aFunction, {})),
  way(CONTAINERS, 'PUT of an environment', async () => {
    const { appEnvId } = await env({ app: aFunction, functionConfig: { maxScale: 1 } })
    return call(updateAppEnv, { appEnvId, functionConfig: many })
  }),
  way(CONTAINERS, 'PATCH of the scaling', async () =>
    call(changeScaling, { appEnvId: (await env()).appEnvId, containers: 5 }),
  ),
  way(CONTAINERS, 'PATCH of the autoscaling', async () =>
    call(changeScaling, { appEnvId: (await env()).appEnvId, autoScaling: { enabled: true, min: 1, max: 5 } }),
  ),
  way(CONTAINERS, 'autoscaling', autoscaled, 'stays at 2'),
  way({ maxContainers: 3 }, 'autoscaling, as far as it may', autoscaled, 'stays at 3'),
  way(CONTAINERS, 'the application of a pending number', async () =>
    call(applyChanges, { appEnvId: (await pending(changeScaling, { containers: 5 })).appEnvId }),
  ),
  way(CONTAINERS, 'the application of a pending functionConfig', async () => {
    const { appEnvId } = await versionsOf(1)
    await world.perform(updateAppEnv, { appEnvId, functionConfig: many })
    return call(applyChanges, { appEnvId })
  }),
  way(CONTAINERS, 'another change that is applied at once', async () => {
    const { appEnvId } = await pending(changeScaling, { containers: 5 })
    return call(renameAppEnv, { appEnvId, name: 'renamed', applyImmediately: true })
  }),
  way(CONTAINERS, 'a change of the app that is applied at once', async () => {
    const { appId } = await pending(changeScaling, { containers: 5 })
    return call(updateApp, { appId, port: 81, applyImmediately: true })
  }),
  way(CONTAINERS, 'a deployment', async () => {
    const { appEnvId } = await pending(changeScaling, { containers: 5 })
    return call(deployImage, { appEnvId, image: 'nginx:2' })
  }),
  way(CONTAINERS, 'a rollback', async () => call(rollbackAppEnv, { appEnvId: (await versionsOf(5, 1)).appEnvId })),
  way(CONTAINERS, 'a redeployment', async () => {
    const { appEnvId } = await pending(changeScaling, { containers: 5 })
    return call(redeployAppEnv, { appEnvId })
  }),
  way(CONTAINERS, 'a start', async () => call(startAppEnv, await stopped({ containers: 5 }))),
  way(CONTAINERS, 'another try', async () => call(retryOperation, await failed({ containers: 5 }))),
  way(CONTAINERS, 'a compose file', async () => compose({ web: { ...web, deploy: { replicas: 5 } } })),
  way(CONTAINERS, 'a pull request', () =>
    pullRequest({ functionConfig: many }, { ...aFunction, useImage: false, functionConfig: { maxScale: 1 } }),
  ),

  way(Z_CLOUDS, 'an environment', () => newEnv({}, { zClouds: 4 })),
  way(Z_CLOUDS, 'PATCH of the resources in zClouds', async () =>
    call(changeResources, { appEnvId: (await env()).appEnvId, zClouds: 4 }),
  ),
  way(Z_CLOUDS, 'PATCH of the resources in cpu and memory', async () =>
    call(changeResources, { appEnvId: (await env()).appEnvId, cpu: 4, memory: 2048 }),
  ),
  way(Z_CLOUDS, 'the application of a pending size', async () =>
    call(applyChanges, { appEnvId: (await pending(changeResources, { zClouds: 4 })).appEnvId }),
  ),
  way(Z_CLOUDS, 'a deployment', async () => {
    const { appEnvId } = await pending(changeResources, { zClouds: 4 })
    return call(deployImage, { appEnvId, image: 'nginx:2' })
  }),
  way(Z_CLOUDS, 'a rollback', async () => {
    const { appEnvId } = await env({ zClouds: 4 })
    await world.deploy(appEnvId, 'nginx:1')
    await world.perform(changeResources, { appEnvId, zClouds: 1 })
    await world.deploy(appEnvId, 'nginx:2')
    return call(rollbackAppEnv, { appEnvId })
  }),
  way(Z_CLOUDS, 'a start', async () => call(startAppEnv, await stopped({ zClouds: 4 }))),
  way(Z_CLOUDS, 'another try', async () => call(retryOperation, await failed({ zClouds: 4 }))),
  way(Z_CLOUDS, 'a solution', async () => call(installSolution, { ...place('Metrics'), solutionSlug: 'metabase' })),
  way(Z_CLOUDS, 'a pull request', () => pullRequest({ zClouds: 4 })),

  way({ maxApps: 0 }, 'an app', () => newApp({})),
  way({ maxApps: 0 }, 'a solution', async () =>
    call(installSolution, { ...place('Registry'), solutionSlug: 'verdaccio' }),
  ),
  way({ maxApps: 0 }, 'a compose file', async () => compose({ web })),
  way({ maxAppEnvs: 1 }, 'an environment', async () => {
    const { appId, accountId } = await env()
    return call(createAppEnv, { accountId, appId, name: 'second', region: 'local' })
  }),
  way({ maxAppEnvs: 1 }, 'a pull request', () => pullRequest({})),

  way(BUILDS, 'a build', async () => call(buildAppEnv, { appEnvId: (await built()).appEnvId, forceNewBuild: true })),
  way(BUILDS, 'a push', async () => {
    const { appEnvId, gitRepo } = await built()
    const hook = await world.hook('GITHUB')
    let pushes = 0
    return async () => {
      pushes += 1
      await world.push(hook, { url: gitRepo, after: commitId('abcdef'[pushes] ?? '0') })
      const { environments } = await world.newest()
      const [one] = environments as unknown as { appEnvId: string; outcome: string; reason: string | null }[]
      expect(one?.appEnvId).toBe(appEnvId)
      return one?.reason ?? 'accepted'
    }
  }),

  way(BUILD_SIZE, 'an app', () => newApp(BIG_BUILDS)),
  way(BUILD_SIZE, 'PATCH of an app', async () => call(updateApp, { appId: await world.app(), ...BIG_BUILDS })),

  way(NO_FUNCTIONS, 'an app', () => newApp(aFunction), 'FUNCTIONS_NOT_AVAILABLE'),
  way(NO_FUNCTIONS, 'an environment', () => newEnv(aFunction, {}), 'FUNCTIONS_NOT_AVAILABLE'),
  way({ autoscalingIncluded: false }, 'PATCH of the autoscaling', async () =>
    call(changeScaling, { appEnvId: (await env()).appEnvId, autoScaling: { enabled: true, min: 1, max: 2 } }),
  ),
  way({ autoscalingIncluded: false }, 'autoscaling', autoscaled, 'stays at 2'),
]

const place = (appName: string) => ({ accountId: world.accountId, appName, region: 'local' })

test.each(WAYS.map((one) => [Object.keys(one.low)[0], one.way, one] as const))(
  '%s holds for what comes by %s, and nothing else keeps it out',
  async (_limit, _way, { low, prepare, refused }) => {
    await setPlan(GENEROUS)
    const attempt = await prepare()
    await setPlan({ ...GENEROUS, ...low })
    expect(await attempt()).toBe(refused)
    await setPlan(GENEROUS)
    expect(await attempt()).toBe('accepted')
  },
)

/** What there is already goes on when a plan shrinks: only more of it is refused. */
const GOES_ON: [how: string, prepare: () => Promise<Attempt>][] = [
  ['a redeployment', async () => call(redeployAppEnv, { appEnvId: (await versionsOf(5)).appEnvId })],
  ['a new image', async () => call(deployImage, { appEnvId: (await versionsOf(5)).appEnvId, image: 'nginx:2' })],
  [
    'less of it',
    async () => call(updateAppEnv, { appEnvId: (await versionsOf(5)).appEnvId, functionConfig: { maxScale: 4 } }),
  ],
  ['another setting', async () => call(renameAppEnv, { appEnvId: (await versionsOf(5)).appEnvId, name: 'other' })],
  ['a stop', async () => call(stopAppEnv, { appEnvId: (await versionsOf(5)).appEnvId })],
]

test.each(GOES_ON)('a smaller plan leaves %s alone', async (_how, prepare) => {
  await setPlan(GENEROUS)
  const attempt = await prepare()
  await setPlan({ ...GENEROUS, ...CONTAINERS })
  expect(await attempt()).toBe('accepted')
})
