import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/domain/ids.ts'
import { REACHABLE_REPOSITORY } from '../support/advertised-branches.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { type Answer, readGraphQL, readMcp, readRest, reads } from './read-apis.ts'
import { CASES, furnish, type Place, type ReadCase } from './read-cases.ts'

let world: World
let served: Served
let place: Place

beforeAll(async () => {
  world = await createWorld({ settings: REACHABLE_REPOSITORY })
  served = serveWorld(world)
  place = await furnish(world)
})

afterAll(async () => {
  await served.close()
  await world.close()
})

/** A refusal has an id of its own each time; metrics say when they were read, and addresses of files when they end. */
const withoutMoment = ({ body, code }: Answer) => {
  const { requestId: _id, timestamp: _now, url: _url, expiresAt: _end, ...rest } = body
  return {
    body: 'expiresAt' in body && 'url' in body ? rest : { ...rest, url: body.url, expiresAt: body.expiresAt },
    code,
  }
}

async function throughBoth(name: string, at: Place, token: string) {
  const { query, field } = CASES[name] as ReadCase
  const rest = await readRest(served, token, name, query?.(at))
  return { rest, graphql: await readGraphQL(served, token, field(at)) }
}

test('every GET of REST has its field in GraphQL', () => {
  expect(Object.keys(CASES).sort()).toEqual(reads.map(({ name }) => name).sort())
})

describe.each(Object.keys(CASES))('%s', (name) => {
  test('is granted and refused alike through both APIs', async () => {
    for (const [who, token] of Object.entries(place.tokens)) {
      const { rest, graphql } = await throughBoth(name, place, token)
      expect(graphql.code, who).toBe(rest.code)
      if (who === 'admin') expect([rest.code, graphql.body]).toEqual([null, expect.anything()])
      if (who === 'stranger' && CASES[name]?.query) expect(rest.code).toBe('FORBIDDEN')
    }
  })

  test('is NOT_FOUND through both APIs when it does not exist', async () => {
    if (!CASES[name]?.query) return
    const unknown = Object.entries(place).map(([key, id]) => {
      return [key, typeof id === 'string' && key !== 'gitRepo' ? newId(id.split('_')[0] as 'app') : id]
    })
    const { rest, graphql } = await throughBoth(name, Object.fromEntries(unknown), world.adminToken)
    expect([rest.code, graphql.code]).toEqual(['NOT_FOUND', 'NOT_FOUND'])
  })
})

test.each(Object.keys(CASES))('%s has the same body through MCP, and is refused in the same words', async (name) => {
  for (const [who, token] of Object.entries(place.tokens)) {
    const query = CASES[name]?.query?.(place)
    const rest = await readRest(served, token, name, query)
    const mcp = await readMcp(served, token, name, query)
    expect(withoutMoment(mcp), who).toEqual(withoutMoment(rest))
  }
})

test('everything with an id is found as a node', async () => {
  const { appEnvId, appId, accountId, tokenId, credentialId, operationId, webhookId, deliveryId } = place
  const { gitHookId, gitDeliveryId } = place
  const webhooks = [webhookId, deliveryId, gitHookId, gitDeliveryId]
  for (const id of [appEnvId, appId, accountId, tokenId, credentialId, operationId, ...webhooks]) {
    const { code, body } = await readGraphQL(served, world.adminToken, `node(id: "${id}") { id }`)
    expect([code, body]).toEqual([null, { id }])
  }
})

test('both APIs answer the same about the caller, a token and an environment’s token', async () => {
  const own = await throughBoth('getUserToken', place, place.tokens.auditor)
  expect(own.rest.body).toMatchObject(own.graphql.body)
  const appEnv = await throughBoth('getAppEnvToken', place, world.adminToken)
  expect(appEnv.rest.body).toMatchObject(appEnv.graphql.body)
  expect(appEnv.graphql.body.tokenId).toBe(place.tokenId)
  const { id, ...token } = (await throughBoth('getToken', place, world.adminToken)).graphql.body
  expect({ id, ...token }).toEqual({ id: place.tokenId, kind: 'ENVIRONMENT', scopes: [] })
  const member = await throughBoth('getMember', place, world.adminToken)
  expect(member.rest.body).toMatchObject(member.graphql.body)
})

test('operations are newest first in both APIs, page after page', async () => {
  const { appEnvId } = await world.appEnv()
  for (let index = 0; index < 5; index += 1) await world.deploy(appEnvId, `nginx:${index}`)
  const newestFirst = (await world.operationsOf(appEnvId)).map(({ id }) => id).reverse()
  const rest: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query = { appEnvId, limit: '2', ...(cursor ? { cursor } : {}) }
    const { body } = await readRest(served, world.adminToken, 'listOperations', query)
    rest.push(...body.operations.map(({ operationId }: { operationId: string }) => operationId))
    cursor = body.nextCursor
  }
  const graphql: string[] = []
  for (let after: string | null = ''; after !== null; ) {
    const field = `operations(appEnvId: "${appEnvId}", first: 2${after ? `, after: "${after}"` : ''}) {
      nodes { id } pageInfo { hasNextPage endCursor }
    }`
    const { body } = await readGraphQL(served, world.adminToken, field)
    graphql.push(...body.nodes.map(({ id }: { id: string }) => id))
    after = body.pageInfo.hasNextPage ? body.pageInfo.endCursor : null
  }
  expect([rest, graphql]).toEqual([newestFirst, newestFirst])
})
