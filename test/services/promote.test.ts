import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedPlan } from '../../src/domain/build-plan.ts'
import { recordedConfiguration } from '../../src/domain/configuration.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { promoteDeployment } from '../../src/services/lifecycle/promote.ts'
import { retryOperation } from '../../src/services/operation/retry-operation.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.close())

const variable = (name: string, value: string, type = 'DEPLOY') => ({ name, value, type })

/** Staging runs a version; production exists, with variables and a size of its own. */
async function pair(app: Record<string, unknown> = {}, fields: Record<string, unknown> = {}) {
  const staging = await world.appEnv({
    app,
    name: 'staging',
    envVars: [variable('COLOUR', 'test'), variable('API', 'https://staging.example.com', 'BUILD')],
    ...fields,
  })
  const { appEnvId: production } = await world.perform(createAppEnv, {
    accountId: world.accountId,
    appId: staging.appId,
    name: 'production',
    region: 'local',
    containers: 2,
    zClouds: 2,
    envVars: [variable('COLOUR', 'blue'), variable('API', 'https://example.com', 'BUILD')],
    ...fields,
  })
  return { appId: staging.appId, staging: staging.appEnvId, production: String(production) }
}

const promote = (appEnvId: string, fromAppEnvId: string, more: object = {}) =>
  world.perform(promoteDeployment, { appEnvId, fromAppEnvId, ...more })

const pinned = (contentId: string, imageDigest: string | null) =>
  world.database.content.update({ where: { id: contentId }, data: { imageDigest } })

const newest = (appEnvId: string) =>
  world.database.content.findFirstOrThrow({ where: { appEnvId }, orderBy: { version: 'desc' } })

test('takes the image as it is pinned, and nothing of the settings', async () => {
  const { staging, production } = await pair()
  const tested = await world.deploy(staging, 'shop:1')
  await pinned(tested, 'shop@sha256:abc')
  await world.deploy(production, 'shop:0')
  const { message, operationId } = await promote(production, staging)
  expect(message).toBe('Promotion of version 1 of "staging" started')
  const content = await newest(production)
  const promotedFrom = { appEnvId: staging, contentId: tested, version: 1 }
  expect(content).toMatchObject({
    version: 2,
    type: 'IMAGE_FROM',
    image: 'shop:1',
    imageDigest: 'shop@sha256:abc',
    fromContentId: null,
    promotedFrom,
  })
  const { zClouds, variables } = recordedConfiguration(content)
  const own = await world.database.variable.findMany({ where: { appEnvId: production } })
  expect(zClouds).toBe(2)
  expect(variables.map(({ name, fingerprint }) => [name, fingerprint]).sort()).toEqual(
    own.map(({ name, fingerprint }) => [name, fingerprint]).sort(),
  )
  const [, operation] = await world.operationsOf(production)
  expect(operation).toMatchObject({ id: operationId, kind: 'PROMOTE', contentId: content.id })
  const [entry] = await world.database.auditEntry.findMany({
    where: { targetId: production, action: 'promoteDeployment' },
  })
  expect(entry?.details).toMatchObject({ promotedFrom, operationId })
})

test('an earlier version can be named, and an image that was set and never applied gives way', async () => {
  const { appId, staging, production } = await pair()
  const first = await world.deploy(staging, 'shop:1')
  await pinned(first, 'shop@sha256:one')
  await pinned(await world.deploy(staging, 'shop:2'), 'shop@sha256:two')
  await world.perform(updateApp, { appId, image: 'shop:9' })
  await promote(production, staging, { contentId: first })
  expect(await newest(production)).toMatchObject({ imageDigest: 'shop@sha256:one', promotedFrom: { version: 1 } })
  const { pendingImage } = await world.database.appEnv.findUniqueOrThrow({ where: { id: production } })
  expect(pendingImage).toBeNull()
})

test('a build is taken with what it was built from, and shows none of the values of its variables', async () => {
  const source = { useImage: false, image: undefined, gitRepo: 'https://git.example.com/a/b.git' }
  const { staging, production } = await pair(source, { branch: 'main' })
  await world.build(staging)
  const built = await newest(staging)
  await world.database.content.update({
    where: { id: built.id },
    data: { imageDigest: 'sha256:built', gitCommitId: 'abc' },
  })
  const operation = await promote(production, staging)
  const content = await newest(production)
  expect(content).toMatchObject({ type: 'BUILD', imageDigest: 'sha256:built', gitBranch: 'main', gitCommitId: 'abc' })
  expect(recordedPlan(content)?.variables).toMatchObject([{ name: 'API', isSecret: true }])
  // It is retried as what it is.
  await world.endOperation(operation.operationId, 'DEAD_LETTER')
  await world.perform(retryOperation, { operationId: operation.operationId })
  expect(await newest(production)).toMatchObject({
    imageDigest: 'sha256:built',
    promotedFrom: { contentId: built.id },
    version: 2,
  })
})

describe('is refused', () => {
  test('between environments of two apps, and of one with itself', async () => {
    const [one, other] = [await pair(), await pair()]
    await world.deploy(one.staging)
    await expect(promote(other.production, one.staging)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    await expect(promote(one.staging, one.staging)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  test('of what was never deployed, or is gone', async () => {
    const { staging, production } = await pair()
    await expect(promote(production, staging)).rejects.toMatchObject({ reason: 'NEVER_DEPLOYED' })
    const contentId = await world.deploy(staging)
    await pinned(contentId, null)
    await expect(promote(production, staging)).rejects.toMatchObject({ reason: 'IMAGE_REMOVED' })
    const elsewhere = await world.deploy(production)
    await expect(promote(production, staging, { contentId: elsewhere })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await world.perform(deleteAppEnv, { appEnvId: staging })
    await expect(promote(production, staging)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('of managed services', async () => {
    const { appId } = await world.perform(createApp, {
      name: 'Db',
      accountId: world.accountId,
      dockerPreset: 'POSTGRESQL',
    })
    const create = (name: string) =>
      world.perform(createAppEnv, { accountId: world.accountId, appId, name, region: 'local' })
    const [one, other] = [await create('one'), await create('other')]
    await expect(promote(String(one.appEnvId), String(other.appEnvId))).rejects.toMatchObject({
      reason: 'NOT_PROMOTABLE',
    })
  })

  test('of an image that only the engine of another region has', async () => {
    const { staging, production } = await pair()
    const contentId = await world.deploy(staging)
    await pinned(contentId, 'sha256:local')
    const local = await world.database.region.findUniqueOrThrow({ where: { code: 'local' } })
    const far = { ...local, code: `far-${contentId.slice(-6)}`, engine: 'tcp://10.0.0.1:2376' }
    await world.database.region.create({ data: far })
    await world.database.appEnv.update({ where: { id: production }, data: { regionCode: far.code } })
    await expect(promote(production, staging)).rejects.toMatchObject({ reason: 'IMAGE_ELSEWHERE' })
    await pinned(contentId, 'shop@sha256:abc')
    await expect(promote(production, staging)).resolves.toMatchObject({ success: true })
  })

  test('beyond the plan, and changes nothing', async () => {
    const { staging, production } = await pair()
    await pinned(await world.deploy(staging), 'shop@sha256:abc')
    const { maxContainers } = await world.database.plan.findUniqueOrThrow({ where: { code: 'standard' } })
    await world.database.plan.update({ where: { code: 'standard' }, data: { maxContainers: 1 } })
    const refused = promote(production, staging)
    await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN', reason: 'PLAN_LIMIT' })
    await world.database.plan.update({ where: { code: 'standard' }, data: { maxContainers } })
    expect(await world.database.content.count({ where: { appEnvId: production } })).toBe(0)
  })

  test('to members who may not see the environment that it is from', async () => {
    const { staging, production } = await pair()
    await pinned(await world.deploy(staging), 'shop@sha256:abc')
    const { token } = await world.user({ appEnvIds: [production] })
    const call = world.perform(promoteDeployment, { appEnvId: production, fromAppEnvId: staging }, { as: token })
    await expect(call).rejects.toMatchObject({ code: 'FORBIDDEN', reason: 'OTHER_ENVIRONMENT' })
    const both = await world.user({ appEnvIds: [production, staging] })
    const input = { appEnvId: production, fromAppEnvId: staging }
    await expect(world.perform(promoteDeployment, input, { as: both.token })).resolves.toMatchObject({ success: true })
  })
})
