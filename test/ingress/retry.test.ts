import http from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { ask, deadTarget, routeTo, startIngress, startRawReplica, startReplica } from './fixtures.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** Answers its first request on a connection, and breaks the connection at the second. */
const forgetful = () => {
  const seen = new WeakSet<Socket>()
  const paths: string[] = []
  const onConnection = (socket: Socket) =>
    socket.on('data', (chunk) => {
      paths.push(chunk.toString().split(' ', 2).join(' '))
      if (seen.has(socket)) socket.resetAndDestroy()
      else socket.write(OK)
      seen.add(socket)
    })
  return { paths, onConnection }
}

test.each(['GET', 'POST'])('a replica that refuses is passed over, for %s as well', async (method) => {
  const alive = await startReplica((request, response) => request.pipe(response))
  const ingress = await startIngress([routeTo([await deadTarget(), alive.target, await deadTarget()])])
  for (let count = 0; count < 6; count += 1) {
    const answer = await ask(ingress.port, { method, body: method === 'POST' ? 'payload' : undefined })
    expect(answer).toMatchObject({ status: 200, body: method === 'POST' ? 'payload' : '' })
  }
  expect(await ingress.registry.metrics()).toMatch(/berth_ingress_upstream_retries_total [12]\n/)
})

test('when all refuse, the answer is a 502 that names the environment and no address', async () => {
  const ingress = await startIngress([routeTo([await deadTarget(), await deadTarget()])])
  const answer = await ask(ingress.port)
  expect(answer.status).toBe(502)
  expect(answer.headers).toMatchObject({ 'x-berth-error': 'REPLICAS_REFUSED', 'retry-after': '2' })
  expect(JSON.parse(answer.body).detail).toContain('All 2 replicas of "default-shop-production"')
  expect(answer.body).not.toContain('127.0.0.1')
})

test('replicas replaced while all old ones refuse are tried in the same request', async () => {
  const dead = await deadTarget()
  const alive = await startReplica((_request, response) => response.end('new'))
  const ingress = await startIngress([routeTo([dead])])
  const answer = ask(ingress.port)
  // The connection has not been refused yet: that takes a turn of the event loop.
  ingress.server.once('connection', (client) => client.once('data', () => ingress.route([alive.target])))
  expect((await answer).body).toBe('new')
})

test('a reset of a kept connection is retried for GET, on a new connection', async () => {
  const { paths, onConnection } = forgetful()
  const replica = await startRawReplica(onConnection)
  const ingress = await startIngress([routeTo([replica.target])])
  const answers = [await ask(ingress.port, { path: '/1' }), await ask(ingress.port, { path: '/2' })]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(paths).toEqual(['GET /1', 'GET /2', 'GET /2'])
})

test('a replica that takes connections and breaks them is passed over for GET', async () => {
  const broken = await startRawReplica((socket) => socket.once('data', () => socket.resetAndDestroy()))
  const alive = await startReplica((_request, response) => response.end('alive'))
  const ingress = await startIngress([routeTo([broken.target, alive.target])])
  for (let count = 0; count < 4; count += 1) expect((await ask(ingress.port)).body).toBe('alive')
  expect(broken.requests).toBeGreaterThan(0)
})

test('a POST that may have been received is never sent twice', async () => {
  const { paths, onConnection } = forgetful()
  const replica = await startRawReplica(onConnection)
  const ingress = await startIngress([routeTo([replica.target])])
  await ask(ingress.port, { path: '/1' })
  const answer = await ask(ingress.port, { path: '/2', method: 'POST' })
  expect(answer.status).toBe(502)
  expect(answer.headers['x-berth-error']).toBe('BROKEN_ANSWER')
  expect(paths).toEqual(['GET /1', 'POST /2'])
})

test('a POST avoids connections that have been idle for a while', async () => {
  const { paths, onConnection } = forgetful()
  const replica = await startRawReplica(onConnection)
  const ingress = await startIngress([routeTo([replica.target])])
  await ask(ingress.port, { path: '/1' })
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  expect((await ask(ingress.port, { path: '/2', method: 'POST' })).status).toBe(200)
  expect(paths).toEqual(['GET /1', 'POST /2'])
  expect(replica.requests).toBe(2)
})

test('connections are not reused when the replica is about to close them', async () => {
  const replica = await startReplica((_request, response) => response.end('ok'), { keepAliveTimeout: 1_000 })
  const connections = { count: 0 }
  replica.server.on('connection', () => {
    connections.count += 1
  })
  const ingress = await startIngress([routeTo([replica.target])])
  await ask(ingress.port)
  await ask(ingress.port)
  expect(connections.count).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 800))
  await ask(ingress.port)
  expect(connections.count).toBe(2)
})

test.each([
  ['not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
  ['a header without name', 'HTTP/1.1 200 OK\r\n: x\r\nContent-Length: 0\r\n\r\n'],
  ['a folded header', 'HTTP/1.1 200 OK\r\nA: b\r\n c: d\r\nContent-Length: 0\r\n\r\n'],
  ['a bare line feed in a value', 'HTTP/1.1 200 OK\r\nA: b\nSet-Cookie: c\r\nContent-Length: 0\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  ['a length that is no number', 'HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\na'],
  ['an unknown coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
  ['a protocol switch unasked', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
  ['an endless head', `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(70_000)}`],
])('an answer with %s is a 502', async (_name, bytes) => {
  const replica = await startRawReplica((socket) => socket.once('data', () => socket.end(bytes, 'latin1')))
  const ingress = await startIngress([routeTo([replica.target])])
  const answer = await ask(ingress.port)
  expect(answer.status).toBe(502)
  expect(answer.headers['x-berth-error']).toBe('BROKEN_ANSWER')
  expect(answer.headers['set-cookie']).toBeUndefined()
})

test('a second answer that nobody asked for reaches nobody', async () => {
  const replica = await startRawReplica((socket) =>
    socket.on('data', () => socket.write(`${OK}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`)),
  )
  const ingress = await startIngress([routeTo([replica.target])])
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  for (let count = 0; count < 5; count += 1) expect((await ask(ingress.port, { agent })).body).toBe('ok')
  agent.destroy()
  expect(replica.requests).toBe(5)
})
