import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteApp } from '../../src/services/app/delete-app.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { type Query, readGraphQL, readRest } from './read-apis.ts'

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

async function deployed() {
  const accountId = await world.account()
  const envVars = [{ name: 'PLAIN', value: 'seen', type: 'DEPLOY', isSecret: false }]
  const { appEnvId, appId } = await world.appEnv({ accountId, envVars })
  const contentId = await world.deploy(appEnvId)
  const { tokenId } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
  const { userId } = await world.user({ accountId, appEnvIds: [appEnvId] })
  const { cliEnvName: envName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  return { accountId, appId, appEnvId, envName, contentId, tokenId, userId }
}

type Place = Awaited<ReturnType<typeof deployed>>

const operationsOf = async (appEnvId: string) => (await world.operationsOf(appEnvId)).map(({ id }) => id)

/** Ways to be deleted; `takesApp` says whether the app is deleted too. */
const DELETIONS: [how: string, takesApp: boolean, run: (place: Place) => Promise<unknown>][] = [
  ['an environment', false, ({ appEnvId }) => world.perform(deleteAppEnv, { appEnvId })],
  ['an app', true, ({ appId }) => world.perform(deleteApp, { appId })],
]

const REST_READS = ['getAppEnv', 'getAppEnvStatus', 'getAppEnvHistory', 'getAppEnvToken', 'listOperations']

const fieldsOf = ({ appEnvId, envName, contentId, tokenId }: Place): string[] => [
  `appEnv(id: "${appEnvId}") { id }`,
  `appEnv(envName: "${envName}") { variables { name } }`,
  `node(id: "${appEnvId}") { id }`,
  `deployment(id: "${contentId}") { id }`,
  `node(id: "${contentId}") { id }`,
  `token(id: "${tokenId}") { id }`,
  `node(id: "${tokenId}") { id }`,
  ...[`appEnvId: "${appEnvId}"`, `envName: "${envName}"`].flatMap((address) => [
    `deployments(${address}) { nodes { id } }`,
    `operations(${address}) { nodes { id } }`,
    `appEnvToken(${address}) { name }`,
  ]),
  `tokens(appEnvId: "${appEnvId}") { nodes { id } }`,
]

describe.each(DELETIONS)('after the deletion of %s', (_how, takesApp, remove) => {
  test('neither API finds it', async () => {
    const place = await deployed()
    await remove(place)
    const { appEnvId, envName, tokenId, appId } = place
    const asked: [name: string, query: Query][] = [
      ...REST_READS.flatMap((name): [string, Query][] => [
        [name, { appEnvId }],
        [name, { envName }],
      ]),
      ['listTokens', { appEnvId }],
      ['getToken', { tokenId }],
      ...(takesApp ? ([['getApp', { appId }]] as [string, Query][]) : []),
    ]
    for (const [name, query] of asked)
      expect((await readRest(served, world.adminToken, name, query)).code, name).toBe('NOT_FOUND')
    for (const field of [...fieldsOf(place), ...(takesApp ? [`app(id: "${appId}") { id }`] : [])])
      expect((await readGraphQL(served, world.adminToken, field)).code, field).toBe('NOT_FOUND')
  })

  test('no list above it contains it', async () => {
    const place = await deployed()
    await remove(place)
    const { accountId, userId, appEnvId } = place
    const appEnvs = await readRest(served, world.adminToken, 'listAppEnvs', { accountId })
    expect(appEnvs.body.appEnvs).toEqual([])
    const account = `account(id: "${accountId}") { appEnvs { nodes { id } } apps { nodes { appEnvs { nodes { id } } } } }`
    const above = await readGraphQL(served, world.adminToken, account)
    expect(JSON.stringify(above.body)).not.toContain(appEnvId)
    const member = await readRest(served, world.adminToken, 'getMember', { accountId, userId })
    expect(member.body.appEnvIds).toEqual([])
  })

  test('nothing can be followed, except the deletion by its id', async () => {
    const place = await deployed()
    await remove(place)
    const started = await served.app.request('/graphql', {
      method: 'POST',
      headers: {
        authorization: world.adminToken,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({
        query: `subscription { appEnvStatusChanged(appEnvId: "${place.appEnvId}") { status } }`,
      }),
    })
    expect(await started.text()).toContain('"code":"NOT_FOUND"')
    for (const operationId of await operationsOf(place.appEnvId)) {
      const rest = await readRest(served, world.adminToken, 'getOperation', { operationId })
      expect(rest.body).toMatchObject({ operationId, appEnvId: place.appEnvId })
      const around = 'id kind appEnv { id } deployment { id }'
      for (const field of [
        `operation(id: "${operationId}") { ${around} }`,
        `node(id: "${operationId}") { ... on Operation { ${around} } }`,
      ]) {
        const { body } = await readGraphQL(served, world.adminToken, field)
        expect(body).toEqual({ id: operationId, kind: rest.body.kind, appEnv: null, deployment: null })
      }
    }
  })
})
