import { randomUUID } from 'node:crypto'
import { request as send } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'

let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld()
})
afterAll(() => world.close())

/** Yoga's own way has no parameters in the media types that it is asked for. */
const WAYS = { short: 'application/json', long: 'application/json;q=1' }

async function ask(way: keyof typeof WAYS, body: unknown, headers: Record<string, string> = {}) {
  const response = await world.post(body, { accept: WAYS[way], 'x-request-id': 'same', ...headers })
  const { date: _date, ratelimit, ...rest } = Object.fromEntries(response.headers)
  return {
    left: Number(/r=(\d+)/.exec(ratelimit ?? '')?.[1]),
    status: response.status,
    rest,
    text: await response.text(),
  }
}

const REQUESTS: Record<string, [body: unknown, headers?: Record<string, string>]> = {
  'a query': [{ query: '{ apps { nodes { id name } } }' }],
  'a query with an error': [{ query: '{ app(id: "app_none") { id } __typename }' }],
  'a query without a token': [{ query: '{ apps { nodes { id } } }' }, { authorization: '' }],
  'a query with a wrong token': [{ query: '{ apps { nodes { id } } }' }, { authorization: 'berth_u_nonsense' }],
  introspection: [{ query: '{ __schema { queryType { name } } }' }],
  'a mutation that is refused': [{ query: 'mutation { deleteApp(input: { appId: "app_none" }) { id } }' }],
  'an invalid document': [{ query: '{ nothing }' }],
  'a document that does not parse': [{ query: '{' }],
  'a body that is no JSON': ['{'],
  'a body with an unknown parameter': [{ query: '{ __typename }', id: 'x' }],
  'text beyond ASCII': [{ query: 'query Ünicode { __typename }' }],
}

test.each(Object.entries(REQUESTS))(
  '%s is answered alike on both ways, byte for byte',
  async (_what, [body, headers]) => {
    const [short, long] = [await ask('short', body, headers), await ask('long', body, headers)]
    // The adapter of the long way adds no length to what it streams.
    expect({ ...short, left: 0 }).toEqual({ ...long, left: 0 })
  },
)

test('a request that begins on the short way and ends on the long one is counted once', async () => {
  const before = await ask('short', { query: '{ __typename }' })
  const handedOver = await ask('short', { query: '{ nothing }' })
  const after = await ask('short', { query: '{ __typename }' })
  expect([handedOver.left, after.left]).toEqual([before.left - 1, before.left - 2])
})

test('bytes that are no UTF-8 are refused, and a client that leaves in the middle of its body harms nobody', async () => {
  const invalid = await fetch(world.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: world.adminToken },
    body: Buffer.from([0x7b, 0xff, 0x7d]),
  })
  expect(invalid.status).toBe(400)
  const headers = { 'content-type': 'application/json', 'content-length': '100', authorization: world.adminToken }
  const leaving = send(world.url, { method: 'POST', headers })
  const closed = new Promise((resolve) => leaving.on('close', resolve))
  leaving.on('error', () => {})
  leaving.write('{"query":')
  const arrived = new Promise<void>((resolve) => world.server.once('request', () => resolve()))
  await arrived
  leaving.destroy()
  await closed
  expect((await ask('short', { query: '{ __typename }' })).status).toBe(200)
})

test('request ids of clients are kept, and others are made', async () => {
  const id = randomUUID()
  const named = await ask('short', { query: '{ __typename }' }, { 'x-request-id': id })
  expect(named.rest['x-request-id']).toBe(id)
  const bad = await ask('short', { query: '{ __typename }' }, { 'x-request-id': 'not one' })
  expect(bad.rest['x-request-id']).toMatch(/^req_/)
})
