import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../../src/services/app/create-app.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { getAppEnvStatus } from '../../src/services/app-env/app-env-reads.ts'
import { createPlan, updatePlan } from '../../src/services/plan/plan-commands.ts'
import { readGraphQL, readRest } from '../parity/read-apis.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'

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

const NULLS = { cpu: null, memoryMb: null, diskMb: null, timeoutSeconds: null }
const FIELDS = Object.keys(NULLS).join(' ')

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    ({ code, reason, message, details }) => ({ code, reason, message, fields: details?.fields }),
  )

/** In both APIs. */
async function shown(appId: string) {
  const rest = (await readRest(served, world.adminToken, 'getApp', { appId })).body
  const { body } = await readGraphQL(
    served,
    world.adminToken,
    `app(id: "${appId}") { buildResources { ${FIELDS} } buildLimits { ${FIELDS} } }`,
  )
  expect(body).toEqual({ buildResources: rest.buildResources, buildLimits: rest.buildLimits })
  return body as { buildResources: object; buildLimits: object }
}

const plan = (fields: object) => world.perform(updatePlan, { plan: 'standard', ...fields })
const change = (appId: string, buildResources: object | null) => world.perform(updateApp, { appId, buildResources })

test('an app shows what is set, and what its next build may use', async () => {
  const appId = await world.app({})
  const installation = { cpu: 4, memoryMb: 2048, diskMb: 10_240, timeoutSeconds: 1200 }
  expect(await shown(appId)).toEqual({ buildResources: NULLS, buildLimits: installation })
  await change(appId, { memoryMb: 1024, timeoutSeconds: 60 })
  await change(appId, { cpu: 0.5, timeoutSeconds: null })
  expect(await shown(appId)).toEqual({
    buildResources: { ...NULLS, cpu: 0.5, memoryMb: 1024 },
    buildLimits: { ...installation, cpu: 0.5, memoryMb: 1024 },
  })
  await change(appId, null)
  expect(await shown(appId)).toEqual({ buildResources: NULLS, buildLimits: installation })
})

test('limits of builds are no pending change of an environment, and affect none', async () => {
  const { appId, appEnvId } = await world.appEnv({ app: {} })
  await world.deploy(appEnvId)
  const answer = await world.perform(updateApp, { appId, buildResources: { memoryMb: 1024 }, applyImmediately: true })
  expect(answer).toMatchObject({ environmentsAffected: 0, operationIds: [] })
  const caller = await world.services.authenticate(world.adminToken)
  const { pendingChanges } = await world.services.respond(getAppEnvStatus, { caller, requestId: 'req_1' }, { appEnvId })
  expect(pendingChanges.changes).toEqual([])
  expect((await world.database.app.findUniqueOrThrow({ where: { id: appId } })).version).toBe(2)
})

test('more than the plan allows is refused, and names field, limit and what is allowed', async () => {
  await plan({ maxBuildResources: { memoryMb: 4096 } })
  const appId = await world.app({ buildResources: { memoryMb: 4096 } })
  const message =
    'The plan Standard allows 4096 MB of memory for a build (maxBuildResources.memoryMb), and this would be 4097'
  const refused = { code: 'FORBIDDEN', reason: 'PLAN_LIMIT', message }
  const fields = [{ field: 'buildResources.memoryMb', message }]
  expect(await refusal(change(appId, { memoryMb: 4097 }))).toEqual({ ...refused, fields })
  const creation = { name: 'Hungry', accountId: world.accountId, port: 80, buildResources: { memoryMb: 4097 } }
  expect(await refusal(world.perform(createApp, creation))).toEqual({ ...refused, fields })
  // Where the plan does not say, what the installation gives is the most.
  expect(await refusal(change(appId, { timeoutSeconds: 1201 }))).toMatchObject({
    message: expect.stringContaining('allows 1200 seconds for a build (maxBuildResources.timeoutSeconds)'),
  })
  expect(await refusal(change(appId, { memoryMb: 255 }))).toMatchObject({
    code: 'INVALID_INPUT',
    fields: [{ field: 'buildResources.memoryMb', message: expect.stringContaining('256') }],
  })
})

test('a smaller plan leaves what an app has, refuses more, and holds for its builds', async () => {
  await plan({ maxBuildResources: { memoryMb: 4096 } })
  const appId = await world.app({ buildResources: { memoryMb: 4096 } })
  await plan({ maxBuildResources: { memoryMb: 1024 } })
  expect(await shown(appId)).toMatchObject({ buildResources: { memoryMb: 4096 }, buildLimits: { memoryMb: 1024 } })
  await change(appId, { memoryMb: 4096, cpu: 1 })
  expect(await refusal(change(appId, { memoryMb: 5000 }))).toMatchObject({ reason: 'PLAN_LIMIT' })
  await plan({ maxBuildResources: null })
})

test('a plan has a default and a most, of which the default is no more', async () => {
  const limits = { functionsIncluded: true, autoscalingIncluded: true, maxApps: 9, maxAppEnvs: 9, maxContainers: 9 }
  await world.perform(createPlan, {
    plan: 'builds',
    name: 'Builds',
    ...limits,
    maxZClouds: 8,
    buildResources: { cpu: 1 },
    maxBuildResources: { cpu: 2 },
  })
  const change = { plan: 'builds', buildResources: { cpu: 3, memoryMb: 512 } }
  expect(await refusal(world.perform(updatePlan, change))).toMatchObject({
    code: 'INVALID_INPUT',
    fields: [{ field: 'buildResources.cpu', message: 'must be at most maxBuildResources.cpu, 2' }],
  })
  await world.perform(updatePlan, { ...change, maxBuildResources: { cpu: 3 } })
  const { plans } = (await readRest(served, world.adminToken, 'listPlans', {})).body
  const rest = plans.find(({ plan }: { plan: string }) => plan === 'builds')
  expect(rest).toMatchObject({
    buildResources: { ...NULLS, cpu: 3, memoryMb: 512 },
    maxBuildResources: { ...NULLS, cpu: 3 },
  })
  const selection = `plans { code buildResources { ${FIELDS} } maxBuildResources { ${FIELDS} } }`
  const { body } = await readGraphQL(served, world.adminToken, selection)
  expect(body).toContainEqual({
    code: 'builds',
    buildResources: rest.buildResources,
    maxBuildResources: rest.maxBuildResources,
  })
})
