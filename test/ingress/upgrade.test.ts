import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { ask, deadTarget, eventually, HOST, type Replica, routeTo, startIngress, startReplica } from './fixtures.ts'

const MB = 1_048_576
const SWITCH = `GET /raw HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`

/** A replica that switches any upgrade to a raw protocol of the test's. */
async function startSwitching(onSwitch: (socket: Socket) => void): Promise<Replica> {
  const replica = await startReplica((_request, response) => response.end('http'))
  replica.server.on('upgrade', (_request, socket: Socket, head: Buffer) => {
    socket.on('error', () => {})
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\nX-Own: 1\r\n\r\n')
    if (head.length > 0) socket.unshift(head)
    onSwitch(socket)
  })
  return replica
}

function visit(port: number, bytes: string): Socket {
  const client = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
  client.on('error', () => {})
  onTestFinished(() => void client.destroy())
  client.write(bytes)
  return client
}

test('a WebSocket echoes 1 MB both ways, and the replica sees who asks', async () => {
  const replica = await startReplica(() => {})
  const sockets = new WebSocketServer({ server: replica.server as never })
  onTestFinished(() => sockets.close())
  let forwardedFor: unknown
  sockets.on('connection', (socket, request) => {
    forwardedFor = request.headers['x-forwarded-for']
    socket.on('message', (message, isBinary) => socket.send(message, { binary: isBinary }))
  })
  const ingress = await startIngress([routeTo([await deadTarget(), replica.target])])
  const headers = { host: HOST, 'x-forwarded-for': '6.6.6.6' }
  const socket = new WebSocket(`ws://127.0.0.1:${ingress.port}/ws`, ['chat'], { headers })
  await once(socket, 'open')
  expect(socket.protocol).toBe('chat')
  const payload = randomBytes(MB)
  socket.send(payload)
  const [echo] = await once(socket, 'message')
  expect(payload.equals(echo)).toBe(true)
  expect(forwardedFor).toBe('127.0.0.1')
  socket.close(1000, 'done')
  const [code, reason] = await once(socket, 'close')
  expect([code, String(reason)]).toEqual([1000, 'done'])
  await eventually(() => sockets.clients.size === 0)
})

test('bytes that follow the request at once are not lost', async () => {
  const replica = await startSwitching((socket) => socket.pipe(socket))
  const ingress = await startIngress([routeTo([replica.target])])
  const client = visit(ingress.port, `${SWITCH}early `)
  client.end('late')
  const text = String(Buffer.concat(await client.toArray()))
  expect(text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n/)
  expect(text).toContain('X-Own: 1')
  expect(text.endsWith('\r\n\r\nearly late')).toBe(true)
})

test('each direction ends by itself', async () => {
  const replica = await startSwitching(async (socket) => {
    const received = Buffer.concat(await socket.toArray())
    await sleep(50)
    socket.end(`got ${received.length}`)
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const client = visit(ingress.port, SWITCH)
  await once(client, 'readable')
  client.end(Buffer.alloc(2 * MB))
  const text = String(Buffer.concat(await client.toArray()))
  expect(text.endsWith(`got ${2 * MB}`)).toBe(true)
})

test('a slow reader on either side slows the other down, and nothing is lost', async () => {
  const payload = randomBytes(16 * MB)
  const digest = createHash('sha256').update(payload).digest('hex')
  const replica = await startSwitching(async (socket) => {
    await sleep(300)
    const hash = createHash('sha256')
    for await (const chunk of socket) hash.update(chunk)
    socket.write(hash.digest('hex'))
    socket.end(payload)
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const client = visit(ingress.port, SWITCH)
  const [head] = await once(client, 'data')
  client.pause()
  expect(String(head)).toMatch(/^HTTP\/1\.1 101 /)
  const before = process.memoryUsage().arrayBuffers
  client.end(payload)
  await sleep(200)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * MB)
  await sleep(600)
  const received = Buffer.concat(await client.toArray())
  expect(received.subarray(0, 64).toString()).toBe(digest)
  expect(received.subarray(64).equals(payload)).toBe(true)
})

test.each(['client', 'app'] as const)('when the %s breaks, the other side learns of it', async (who) => {
  let app: Socket | undefined
  const replica = await startSwitching((socket) => {
    app = socket
    socket.resume()
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const client = visit(ingress.port, SWITCH)
  await once(client, 'data')
  const [broken, other] = who === 'client' ? [client, app] : [app, client]
  other?.resume()
  const received = new Promise((resolve) => other?.once('close', resolve))
  broken?.resetAndDestroy()
  await received
})

test('an app may decline to switch', async () => {
  const replica = await startReplica((_request, response) => response.writeHead(401, { 'content-length': 2 }).end('no'))
  const ingress = await startIngress([routeTo([replica.target])])
  const text = String(Buffer.concat(await visit(ingress.port, SWITCH).toArray()))
  expect(text).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/)
  expect(text).toContain('Connection: close')
  expect(text.endsWith('no')).toBe(true)
})

test('a request to switch gets the same problems as any other', async () => {
  const ingress = await startIngress([routeTo([await deadTarget()])])
  const refused = String(Buffer.concat(await visit(ingress.port, SWITCH).toArray()))
  expect(refused).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/)
  expect(refused).toContain('X-Berth-Error: REPLICAS_REFUSED')
  const unknown = SWITCH.replace(HOST, 'unknown.example')
  expect(String(Buffer.concat(await visit(ingress.port, unknown).toArray()))).toMatch(/^HTTP\/1\.1 404 /)
})

test('a tunnel that is silent for too long is closed, and one that is used is not', async () => {
  const replica = await startSwitching((socket) => socket.pipe(socket))
  const ingress = await startIngress([routeTo([replica.target])], { BERTH_INGRESS_TUNNEL_IDLE_SECONDS: '1' })
  const client = visit(ingress.port, SWITCH)
  const closed = once(client, 'close')
  client.resume()
  const startedAt = performance.now()
  for (let count = 0; count < 4; count += 1) {
    await sleep(400)
    client.write('x')
  }
  client.once('end', () => client.end())
  await closed
  expect(performance.now() - startedAt).toBeGreaterThan(2_300)
})

test("a tunnel counts as one of the replica's requests", async () => {
  const busy = await startSwitching((socket) => socket.resume())
  const ingress = await startIngress([routeTo([busy.target])])
  const client = visit(ingress.port, SWITCH)
  await once(client, 'data')
  const idle = await startReplica((_request, response) => response.end('http'))
  ingress.route([busy.target, idle.target])
  for (let count = 0; count < 4; count += 1) await ask(ingress.port)
  expect([busy.requests, idle.requests]).toEqual([0, 4])
})
