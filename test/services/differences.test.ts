import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseInput } from '../../src/calls/perform.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { changeResources } from '../../src/services/app-env/setting-commands.ts'
import { setVariables } from '../../src/services/app-env/variable-commands.ts'
import { getDeploymentConfiguration, getDifference } from '../../src/services/version/version-configuration-queries.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.close())

async function read(query: typeof getDifference | typeof getDeploymentConfiguration, input: object, as?: string) {
  const caller = await world.services.authenticate(as ?? world.adminToken)
  const given = parseInput(query.input, input)
  return world.services.find(query as never, { caller, requestId: 'req_test' } as never, given as never) as Promise<
    Record<string, unknown>
  >
}

const difference = async (input: object) => {
  const { changes } = await read(getDifference, input)
  return (changes as { field: string; from: unknown; to: unknown }[]).map(({ field, from, to }) => [field, from, to])
}

const PLAIN = { name: 'COLOUR', value: 'blue' }
const SECRET = { name: 'TOKEN', value: 'first', isSecret: true }

/** Two versions: another image, another size, a changed variable, a changed secret, a new one and one that is gone. */
async function twoVersions() {
  const place = await world.appEnv({ envVars: [PLAIN, SECRET, { name: 'GONE', value: 'x' }] })
  const first = await world.deploy(place.appEnvId, 'shop:1')
  await world.perform(changeResources, { appEnvId: place.appEnvId, zClouds: 2 })
  const variables = [
    { ...PLAIN, value: 'red' },
    { ...SECRET, value: 'second' },
    { name: 'NEW', value: 'y' },
  ]
  await world.perform(setVariables, { appEnvId: place.appEnvId, variables })
  const second = await world.deploy(place.appEnvId, 'shop:2')
  return { ...place, first, second }
}

test('of two versions, each field and each variable, secrets masked', async () => {
  const { first, second, appEnvId } = await twoVersions()
  const found = await read(getDifference, { fromContentId: first, toContentId: second })
  expect(found).toMatchObject({
    from: { appEnvId, contentId: first, version: 1 },
    to: { appEnvId, contentId: second, version: 2 },
    hasBuildChanges: false,
    hasDeployChanges: true,
    hasScaleChanges: false,
  })
  const changes = [
    ['image', 'shop:1', 'shop:2'],
    ['zClouds', 1, 2],
    ['envVars.COLOUR', 'blue', 'red'],
    ['envVars.TOKEN', '***SECRET***', '***SECRET***'],
    ['envVars.NEW', null, 'y'],
    ['envVars.GONE', 'x', null],
  ]
  const one = await difference({ fromContentId: first, toContentId: second })
  expect(one.sort()).toEqual(changes.sort())
  const other = await difference({ fromContentId: second, toContentId: first })
  expect(other.sort()).toEqual(changes.map(([field, from, to]) => [field, to, from]).sort())
  expect(await difference({ fromContentId: first, toContentId: first })).toEqual([])
})

test('of a version and what is configured, as pending changes have it', async () => {
  const { appEnvId, appId, first, second } = await twoVersions()
  expect(await difference({ fromContentId: second, toAppEnvId: appEnvId })).toEqual([])
  await world.perform(updateApp, { appId, port: 9090, healthCheckPath: '/ready' })
  expect(await difference({ fromContentId: second, toAppEnvId: appEnvId })).toEqual([
    ['port', 8080, 9090],
    ['healthCheckPath', null, '/ready'],
  ])
  expect((await difference({ fromContentId: first, toAppEnvId: appEnvId })).length).toBeGreaterThan(2)
})

test('of two environments, their configurations and the number of containers', async () => {
  const { appEnvId, appId } = await twoVersions()
  const staging = await world.perform(createAppEnv, { appId, name: 'staging', containers: 3, envVars: [PLAIN] })
  const changes = await difference({ fromAppEnvId: appEnvId, toAppEnvId: staging.appEnvId })
  expect(changes).toContainEqual(['containers', 1, 3])
  expect(changes).toContainEqual(['zClouds', 2, 1])
  expect(changes).toContainEqual(['envVars.COLOUR', 'red', 'blue'])
})

test('of two builds, the commit, and not the name that Berth gave the image', async () => {
  const app = { useImage: undefined, image: undefined, gitRepo: 'https://git.example.com/acme/shop.git' }
  const { appEnvId, appId } = await world.appEnv({ app, branch: 'main' })
  const commits = ['a', 'b'].map((letter) => letter.repeat(40))
  const versions: string[] = []
  for (const gitCommitId of commits) {
    await world.build(appEnvId)
    const { id } = await world.database.content.findFirstOrThrow({ where: { appEnvId }, orderBy: { version: 'desc' } })
    await world.database.content.update({ where: { id }, data: { gitCommitId } })
    versions.push(id)
    await world.perform(updateApp, { appId, contextDir: './web' })
  }
  expect(await difference({ fromContentId: versions[0], toContentId: versions[1] })).toEqual([
    ['gitCommitId', ...commits],
    ['contextDir', './', './web'],
  ])
  expect(await difference({ fromContentId: versions[1], toAppEnvId: appEnvId })).toEqual([])
})

describe('refused', () => {
  test.each([
    ['no side', {}, 'fromContentId', 'toContentId'],
    ['one side', { fromContentId: 'con_1' }, 'toContentId'],
    ['both names of a side', { fromContentId: 'con_1', fromAppEnvId: 'env_1', toContentId: 'con_1' }, 'fromAppEnvId'],
  ])('%s', async (_title, input, ...fields) => {
    await expect(read(getDifference, input)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { fields: fields.map((field) => expect.objectContaining({ field })) },
    })
  })

  test('a side of another account, to those who may read both', async () => {
    const { first } = await twoVersions()
    const elsewhere = await world.appEnv({ accountId: await world.account() })
    await expect(difference({ fromContentId: first, toAppEnvId: elsewhere.appEnvId })).rejects.toMatchObject({
      details: { fields: [expect.objectContaining({ field: 'toAppEnvId' })] },
    })
  })

  test('a version that the caller may not read, as a configuration and as a side', async () => {
    const { first, second } = await twoVersions()
    const stranger = await world.user({ accountId: await world.account() })
    const input = { fromContentId: first, toContentId: second }
    await expect(read(getDifference, input, stranger.token)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(read(getDeploymentConfiguration, { contentId: first }, stranger.token)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
  })
})

test('a variable that became a secret is masked in versions that recorded it as none', async () => {
  const { appEnvId, first, second } = await twoVersions()
  const variables = [{ ...PLAIN, value: 'red', isSecret: true }]
  await world.perform(setVariables, { appEnvId, variables })
  const found = await read(getDeploymentConfiguration, { contentId: first })
  expect(found.variables).toContainEqual(expect.objectContaining({ name: 'COLOUR', value: '***SECRET***' }))
  const changes = await difference({ fromContentId: first, toContentId: second })
  expect(changes).toContainEqual(['envVars.COLOUR', '***SECRET***', '***SECRET***'])
})

test('the configuration of a version stays as it was recorded', async () => {
  const { first, appId } = await twoVersions()
  await world.perform(updateApp, { appId, port: 9090 })
  expect(await read(getDeploymentConfiguration, { contentId: first })).toMatchObject({
    contentId: first,
    version: 1,
    image: 'shop:1',
    port: 8080,
    zClouds: 1,
    cpu: 1,
    memory: 512,
    healthCheck: { type: 'TCP' },
    build: null,
    functionConfig: null,
    variables: [
      { name: 'COLOUR', value: 'blue' },
      { name: 'GONE', value: 'x' },
      { name: 'TOKEN', value: '***SECRET***', isSecret: true },
    ],
  })
})
