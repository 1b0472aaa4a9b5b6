import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schema } from '../../src/api/graphql/schema.ts'
import type { Served } from '../support/serve-world.ts'
import type { World } from '../support/world.ts'
import { readGraphQL } from './read-apis.ts'
import { type FurnishedWorld, furnishedWorld, type Place } from './read-cases.ts'

let furnished: FurnishedWorld
let world: World
let served: Served
let place: Place

beforeAll(async () => {
  furnished = await furnishedWorld()
  ;({ world, served, place } = furnished)
})

afterAll(() => furnished.close())

const query = schema.getQueryType() as GraphQLObjectType

interface Relation {
  type: string
  field: string
  argument: string
}

/** Fields of an object that the root has too, asked with the object's id. */
const RELATIONS: Relation[] = Object.entries({ AppEnv: 'appEnvId', Account: 'accountId', App: 'appId' }).flatMap(
  ([type, argument]) =>
    Object.values((schema.getType(type) as GraphQLObjectType).getFields()).flatMap((field) => {
      const root = query.getFields()[field.name]
      const isSame =
        root?.args.some(({ name }) => name === argument) && getNamedType(root.type) === getNamedType(field.type)
      return isSame ? [{ type, field: field.name, argument }] : []
    }),
)

const objectTypeOf = (type: GraphQLOutputType | undefined) => {
  if (!type) throw new Error('no such field')
  return getNamedType(type) as GraphQLObjectType
}

/** A selection that says what was found. */
function selectionOf({ field }: Relation): string {
  const type = objectTypeOf(query.getFields()[field]?.type)
  const item = type.getFields().nodes ? objectTypeOf(type.getFields().nodes?.type) : type
  const scalars = Object.values(item.getFields()).filter(({ type, args }) => {
    const named = getNamedType(type)
    const inner = isNonNullType(type) ? type.ofType : type
    return !isObjectType(named) && !('getFields' in named) && !isListType(inner) && args.length === 0
  })
  // What is measured anew is another thing each time.
  const names = scalars
    .map(({ name }) => name)
    .filter((name) => !/measuredAt|observedAt|updatedAt|timestamp/.test(name))
  const fields = (names.length > 0 ? names : ['__typename']).join(' ')
  return item === type ? `{ ${fields} }` : `{ ${type.getFields().totalCount ? 'totalCount ' : ''}nodes { ${fields} } }`
}

const idOf = ({ type }: Relation) =>
  type === 'Account' ? place.accountId : type === 'App' ? place.gitAppId : place.appEnvId

test('an environment leads to what belongs to it', () => {
  const names = RELATIONS.filter(({ type }) => type === 'AppEnv').map(({ field }) => field)
  expect(names).toEqual(
    expect.arrayContaining(['autoDeploy', 'jobSchedule', 'pods', 'metrics', 'jobRuns', 'backups', 'operations']),
  )
})

describe('what belongs to an object is the same by its field and by itself', () => {
  test.each(RELATIONS.map((one) => [`${one.type}.${one.field}`, one] as const))('%s', async (_name, relation) => {
    const { type, field, argument } = relation
    const id = idOf(relation)
    const selection = selectionOf(relation)
    const root = type === 'Account' ? 'account' : type === 'App' ? 'app' : 'appEnv'
    const below = await readGraphQL(served, world.adminToken, `${root}(id: "${id}") { found: ${field} ${selection} }`)
    // Lines are of an environment or of an account's.
    const hasAccount =
      argument !== 'accountId' &&
      field !== 'logs' &&
      query.getFields()[field]?.args.some(({ name }) => name === 'accountId')
    const args = `${argument}: "${id}"${hasAccount ? `, accountId: "${place.accountId}"` : ''}`
    const alone = await readGraphQL(served, world.adminToken, `${field}(${args}) ${selection}`)
    expect(below.code).toBeNull()
    // By itself, what an object does not have is an error; as its field, it is null.
    if (alone.code !== null) expect([alone.code, below.body.found]).toEqual(['NOT_FOUND', null])
    else expect(below.body.found).toEqual(alone.body)
  })
})

test('a thing of another account than the current one is found by its own', async () => {
  const field = `appEnv(id: "${place.appEnvId}") { volumes { nodes { appEnv { id } } } events(first: 1) { nodes { appEnv { id } } } }`
  const { body, code } = await readGraphQL(served, world.adminToken, field)
  expect(code).toBeNull()
  const own = { appEnv: { id: place.appEnvId } }
  expect(body).toEqual({ volumes: { nodes: [own, own] }, events: { nodes: [own] } })
})

describe('an id leads to what it names', () => {
  test('in several steps', async () => {
    const field = `operation(id: "${place.operationId}") { appEnv { id app { id } account { id } } deployment { id appEnv { id } } }`
    const { body, code } = await readGraphQL(served, world.adminToken, field)
    expect(code).toBeNull()
    expect(body).toEqual({
      appEnv: { id: place.appEnvId, app: { id: place.appId }, account: { id: place.accountId } },
      deployment: { id: place.contentId, appEnv: { id: place.appEnvId } },
    })
  })

  test('of a record', async () => {
    const field = `webhookDelivery(id: "${place.deliveryId}") { webhook { id account { id } } }`
    const { body } = await readGraphQL(served, world.adminToken, field)
    expect(body).toEqual({ webhook: { id: place.webhookId, account: { id: place.accountId } } })
  })

  test('of a user, by name', async () => {
    const { requestedBy } = await world.database.operation.findUniqueOrThrow({ where: { id: place.operationId } })
    const { username } = await world.database.user.findUniqueOrThrow({ where: { id: String(requestedBy) } })
    const field = `operation(id: "${place.operationId}") { requestedBy requester { id username } }`
    const { body } = await readGraphQL(served, world.adminToken, field)
    expect(body).toEqual({ requestedBy, requester: { id: requestedBy, username } })
    expect((await readGraphQL(served, place.tokens.ofAppEnv, field)).body).toEqual({ requestedBy, requester: null })
  })

  test('and to nothing where the caller may not go', async () => {
    const field = `token(id: "${place.tokenId}") { appEnv { id } }`
    expect((await readGraphQL(served, world.adminToken, field)).body).toEqual({ appEnv: { id: place.appEnvId } })
    const { appEnvId } = await world.appEnv({ accountId: await world.account() })
    const audit = `nodes(ids: ["${place.appEnvId}", "${appEnvId}", "env_00000000000000000000000000"]) { id }`
    expect((await readGraphQL(served, place.tokens.auditor, audit)).body).toEqual([{ id: place.appEnvId }, null, null])
  })
})

describe('several objects are read by their ids', () => {
  test('of any types, in the order of the ids', async () => {
    const ids = [place.jobRunId, place.appEnvId, place.webhookId]
    const { body } = await readGraphQL(served, world.adminToken, `nodes(ids: ${JSON.stringify(ids)}) { __typename id }`)
    expect(body).toEqual([
      { __typename: 'JobRun', id: place.jobRunId },
      { __typename: 'AppEnv', id: place.appEnvId },
      { __typename: 'Webhook', id: place.webhookId },
    ])
  })

  test('at most a hundred of them', async () => {
    const ids = JSON.stringify(Array.from({ length: 101 }, () => place.appEnvId))
    expect((await readGraphQL(served, world.adminToken, `nodes(ids: ${ids}) { id }`)).code).toBe('INVALID_INPUT')
  })
})

describe('the cost of a request', () => {
  const costOf = async (fields: string) => {
    const answer = await served.app.request('/graphql', {
      method: 'POST',
      headers: { authorization: world.adminToken, 'content-type': 'application/json' },
      body: JSON.stringify({ query: `{ ${fields} requestCost { requested allowed parts { field cost } } }` }),
    })
    return ((await answer.json()) as { data: { requestCost: { requested: number; allowed: number; parts: object[] } } })
      .data.requestCost
  }

  test('is that of its objects; ten scalar fields are one', async () => {
    const { requested } = await costOf('apps(first: 10) { nodes { id } }')
    const { requested: wider } = await costOf(
      'apps(first: 10) { nodes { id name slug createdAt updatedAt port image } }',
    )
    expect(wider - requested).toBe(6)
    const { requested: longer } = await costOf('apps(first: 20) { nodes { id } }')
    expect(longer - requested).toBe(11)
  })

  test('allows fifty apps with ten environments each, and names what costs most', async () => {
    const wide = 'id name status health url createdAt currentVersion replicas { ready desired } region { name }'
    const { requested, allowed, parts } = await costOf(
      `apps { nodes { id name appEnvs(first: 10) { nodes { ${wide} } } } }`,
    )
    expect(requested).toBeLessThan(allowed)
    expect(parts[0]).toMatchObject({ field: 'apps' })
  })

  test('is in the refusal, with what made it', async () => {
    const response = await served.app.request('/graphql', {
      method: 'POST',
      headers: { authorization: world.adminToken, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ apps(first: 1000) { nodes { appEnvs(first: 1000) { nodes { id } } } } }' }),
    })
    const { errors } = (await response.json()) as { errors: { extensions: object }[] }
    expect(errors[0]?.extensions).toMatchObject({
      reason: 'TOO_COSTLY',
      cost: { allowed: 10_000, parts: [{ field: 'apps' }] },
    })
  })
})
