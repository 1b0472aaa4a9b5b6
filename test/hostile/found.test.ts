import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGraphQLWorld, type GraphQLWorld } from '../support/graphql-world.ts'

/** What hostile input has broken once. */
let world: GraphQLWorld
let base: string

beforeAll(async () => {
  world = await createGraphQLWorld()
  base = new URL(world.url).origin
})
afterAll(() => world.close())

const createApp = (body: string | Buffer, headers: Record<string, string> = {}) =>
  fetch(`${base}/api/public/v1/app`, {
    method: 'POST',
    headers: { authorization: world.adminToken, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })

/** Sends lines of HTTP as they are; the first line of the answer. */
async function sendLines(...lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  socket.write([...lines, '', ''].join('\r\n'))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return answer.toString('latin1').split('\r\n')[0] ?? ''
}

describe('upgrades', () => {
  test('of clients that hang up before they are answered do not end the process', async () => {
    for (let times = 0; times < 50; times += 1) {
      const socket = connect(Number(new URL(base).port), '127.0.0.1')
      socket.on('error', () => {})
      const request = 'GET /elsewhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
      socket.write(request, () => socket.resetAndDestroy())
    }
    await sleep(100)
    expect((await fetch(`${base}/livez`)).status).toBe(200)
  })

  test('to HTTP/2 are passed over', async () => {
    const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA']
    expect(await sendLines('GET /livez HTTP/1.1', 'Host: x', ...offer)).toBe('HTTP/1.1 200 OK')
  })
})

describe('a body', () => {
  const named = (name: string) => `{"name":"${name}","accountId":"${world.accountId}","port":80}`

  test.each([
    ['that is no UTF-8', () => createApp(Buffer.from(named('a\xff'), 'latin1')), 400],
    ['with half a surrogate pair', () => createApp(named('a\\ud800')), 400],
    ['in another charset', () => createApp(named('a'), { 'content-type': 'application/json; charset=latin1' }), 415],
    ['that is compressed', () => createApp(named('a'), { 'content-encoding': 'gzip' }), 415],
  ])('%s is refused', async (_what, send, status) => {
    expect((await send()).status).toBe(status)
  })
})

test.each(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59'])('the time %s is not a fault of ours', async (time) => {
  const { appEnvId } = await world.appEnv()
  const query = new URLSearchParams({ appEnvId, fromDate: time, toDate: time })
  const response = await fetch(`${base}/api/public/v1/app-env/history?${query}`, {
    headers: { authorization: world.adminToken },
  })
  expect([200, 400]).toContain(response.status)
  const token = { kind: 'USER', name: 'a', expiresAt: time }
  const body = JSON.stringify(token)
  const headers = { authorization: world.adminToken, 'content-type': 'application/json' }
  const made = await fetch(`${base}/api/public/v1/token`, { method: 'POST', headers, body })
  expect([200, 400]).toContain(made.status)
})

describe('over GraphQL', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')

  test.each([
    ['a string that never ends', '{ app(id: "x) { id } }', {}],
    ['a NUL in an id', 'query ($id: ID!) { app(id: $id) { id } }', { id: 'a\0b' }],
    [
      'a cursor that holds a list',
      'query ($after: String) { apps(after: $after) { nodes { id } } }',
      { after: base64('GPC:J:["a"]') },
    ],
    [
      'a cursor that holds an object',
      'query ($after: String) { apps(after: $after) { nodes { id } } }',
      { after: base64('GPC:O:{"a":1}') },
    ],
    [
      'a cursor of another list',
      'query ($after: String) { apps(after: $after) { nodes { id } } }',
      { after: base64('GPC:T:["S:a","S:b"]') },
    ],
  ])('%s is the caller’s mistake', async (_what, query, variables) => {
    const { errors } = await world.query(query, variables)
    expect(errors?.map((error) => error.extensions.code)).toEqual(['INVALID_INPUT'])
  })

  test('a large value that is refused does not come back many times', async () => {
    const response = await world.post({
      query: 'query ($ids: [Int!]!) { a: app(id: $ids) { id } }',
      variables: { ids: Array(100).fill('x'.repeat(5_000)) },
    })
    expect((await response.text()).length).toBeLessThan(100_000)
  })
})
