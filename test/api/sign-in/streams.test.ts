import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'

let world: GraphQLWorld
let origin: string

beforeAll(async () => {
  world = await createGraphQLWorld()
  origin = new URL(world.url).origin
})
afterAll(() => world?.close())

const own = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }

async function cookie(): Promise<string> {
  const body = JSON.stringify({ token: world.adminToken })
  const answer = await fetch(`${origin}/sign-in/token`, { method: 'POST', headers: own, body })
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

const signOut = (session: string) =>
  fetch(`${origin}/sign-out`, { method: 'POST', headers: { ...own, cookie: session }, body: '{}' })

/** What a socket says first, and the code that it is closed with. */
function socketOf(session: string, from: string) {
  const socket = new WebSocket(world.url.replace('http', 'ws'), 'graphql-transport-ws', {
    headers: { cookie: session, origin: from },
  })
  const closed = once(socket, 'close').then(([code]) => code as number)
  const first = once(socket, 'message').then(([data]) => JSON.parse(String(data)).type as string)
  socket.once('open', () => socket.send('{"type":"connection_init"}'))
  return { first, closed, either: Promise.race([first, closed]) }
}

test('a WebSocket of our own page is open as long as the session', async () => {
  const session = await cookie()
  const { first, closed } = socketOf(session, origin)
  expect(await first).toBe('connection_ack')
  expect((await signOut(session)).status).toBe(200)
  expect(await closed).toBe(4403)
})

test('a WebSocket that another site opens has no session', async () => {
  const { either } = socketOf(await cookie(), 'http://evil.example')
  expect(await either).toBe(4401)
})

test('a live subscription over SSE ends with the session', async () => {
  const session = await cookie()
  const { appEnvId } = await world.appEnv()
  const query = `subscription { appEnvStatusChanged(appEnvId: "${appEnvId}") { status } }`
  const headers = { ...own, cookie: session, accept: 'text/event-stream' }
  const stream = await fetch(world.url, { method: 'POST', headers, body: JSON.stringify({ query }) })
  expect(stream.status).toBe(200)
  const text = stream.text()
  await signOut(session)
  expect(await text).toContain('UNAUTHENTICATED')
})

test('a query of our own page is the session’s, and of another site nobody’s', async () => {
  const session = await cookie()
  const ask = async (site: string) => {
    const headers = { ...own, 'sec-fetch-site': site, cookie: session }
    const answer = await fetch(world.url, { method: 'POST', headers, body: '{"query":"{ me { email } }"}' })
    return answer.json()
  }
  expect(await ask('same-origin')).toEqual({ data: { me: { email: 'admin@localhost' } } })
  expect(await ask('cross-site')).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
})
