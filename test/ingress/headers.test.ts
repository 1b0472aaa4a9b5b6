import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { TrustedProxies } from '../../src/domain/trusted-proxies.ts'
import { ask, HOST, routeTo, startIngress, startReplica, talk } from './fixtures.ts'

const SPOOFED = {
  'x-forwarded-for': '6.6.6.6',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-prefix': '/evil',
  x_forwarded_for: '6.6.6.6',
  forwarded: 'for=6.6.6.6',
  'x-real-ip': '6.6.6.6',
}

/** An ingress in front of a replica that remembers the last request it got. */
async function startObserved(
  environment: NodeJS.ProcessEnv = {},
  answerHeaders: Record<string, string | string[]> = {},
) {
  const seen: { request?: IncomingMessage } = {}
  const replica = await startReplica((request, response) => {
    seen.request = request
    response.writeHead(200, answerHeaders).end('ok')
  })
  const ingress = await startIngress([routeTo([replica.target])], environment)
  const headersSeen = () => seen.request?.headers ?? {}
  return { ingress, headersSeen }
}

test('the app learns who asks, and claims from outside are dropped', async () => {
  const { ingress, headersSeen } = await startObserved()
  await ask(ingress.port, { headers: SPOOFED, host: `${HOST}:8080` })
  expect(headersSeen()).toMatchObject({
    host: `${HOST}:8080`,
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': `${HOST}:8080`,
  })
  for (const name of ['x-forwarded-prefix', 'x_forwarded_for', 'forwarded', 'x-real-ip']) {
    expect(headersSeen()).not.toHaveProperty(name)
  }
})

test('a trusted proxy is believed, and joins the chain itself', async () => {
  const { ingress, headersSeen } = await startObserved({ BERTH_TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.1' })
  await ask(ingress.port, { headers: { ...SPOOFED, 'x-forwarded-for': '8.8.8.8, 10.1.1.1' } })
  expect(headersSeen()).toMatchObject({
    'x-forwarded-for': '8.8.8.8, 10.1.1.1, 127.0.0.1',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
  })
  expect(headersSeen()).not.toHaveProperty('forwarded')
})

test.each([
  ['10.1.2.3', true],
  ['11.1.2.3', false],
  ['192.168.1.7', true],
  ['192.168.1.8', false],
  ['fd00::17', true],
  ['fe80::1', false],
])('%s is trusted: %s', (address, expected) => {
  expect(new TrustedProxies(['10.0.0.0/8', '192.168.1.7', 'fd00::/8']).includes(address)).toBe(expected)
})

test('a usable request id is kept, any other is replaced, and the answer carries it', async () => {
  const { ingress, headersSeen } = await startObserved({}, { 'X-Request-Id': 'of-the-app' })
  const kept = await ask(ingress.port, { headers: { 'x-request-id': 'abc.DEF_1-2' } })
  expect([headersSeen()['x-request-id'], kept.headers['x-request-id']]).toEqual(['abc.DEF_1-2', 'abc.DEF_1-2'])
  for (const unusable of ['', 'a b', '<b>', 'x'.repeat(129)]) {
    const answer = await ask(ingress.port, { headers: { 'x-request-id': unusable } })
    expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f-]{18}-[0-9a-z]+$/)
    expect(headersSeen()['x-request-id']).toBe(answer.headers['x-request-id'])
  }
})

test('hop-by-hop headers and those that Connection names go no further, in either direction', async () => {
  const { ingress, headersSeen } = await startObserved(
    {},
    {
      Connection: 'close, X-Internal',
      'X-Internal': '1',
      'Keep-Alive': 'timeout=5',
      'Proxy-Connection': 'x',
      'X-Berth-Error': 'FAKE',
      'Set-Cookie': ['a=1', 'b=2'],
      'X-Own': 'kept',
    },
  )
  const answer = await ask(ingress.port, {
    headers: {
      connection: 'keep-alive, X-Secret',
      'x-secret': '1',
      te: 'trailers',
      'proxy-authorization': 'Basic x',
      'proxy-connection': 'x',
      'x-own': 'kept',
      cookie: 'a=1',
    },
  })
  for (const name of ['connection', 'x-secret', 'te', 'proxy-authorization', 'proxy-connection']) {
    expect(headersSeen()).not.toHaveProperty(name)
  }
  expect(headersSeen()).toMatchObject({ 'x-own': 'kept', cookie: 'a=1' })
  for (const name of ['x-internal', 'proxy-connection', 'x-berth-error'])
    expect(answer.headers).not.toHaveProperty(name)
  expect(answer.headers).toMatchObject({ 'x-own': 'kept', 'set-cookie': ['a=1', 'b=2'] })
})

/** What servers and programs believe of a proxy, and no client of the ingress may say. */
const BELIEVED = [
  'Proxy',
  'PROXY',
  'proxy',
  'True-Client-IP',
  'X-Client-IP',
  'X-Cluster-Client-IP',
  'X-Original-URL',
  'X_Original_URL',
  'X-Rewrite-URL',
  'X-Real-IP',
  'Forwarded',
  'X-Forwarded-Prefix',
  'Proxy-Authorization',
  'Proxy-Connection',
]
const WAYS: Readonly<Record<string, string>> = {
  'HTTP/1.1': `GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n`,
  'HTTP/1.0': `GET / HTTP/1.0\r\nHost: ${HOST}\r\n`,
  'an upgrade': `GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`,
  'a body': `POST / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\nContent-Length: 0\r\n`,
}

test.each(Object.keys(WAYS))('what only a proxy may claim does not reach an app, by %s', async (way) => {
  let seen: IncomingMessage | null = null
  const replica = await startReplica((request, response) => {
    seen = request
    response.end('ok')
  })
  replica.server.on('upgrade', (request, socket) => {
    seen = request
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const reached: string[] = []
  for (const name of BELIEVED) {
    seen = null
    await talk(ingress.port, `${WAYS[way]}${name}: http://evil.example:80\r\nX-Own: kept\r\n\r\n`, 10_000)
    const headers = (seen as IncomingMessage | null)?.headers ?? {}
    expect(headers['x-own']).toBe('kept')
    if (name.toLowerCase() in headers) reached.push(name)
  }
  expect(reached).toEqual([])
})

test('a client cannot have the headers of the ingress removed by naming them in Connection', async () => {
  const { ingress, headersSeen } = await startObserved()
  await ask(ingress.port, { headers: { connection: 'x-forwarded-for, host, x-request-id' } })
  expect(headersSeen()).toMatchObject({
    host: HOST,
    'x-forwarded-for': '127.0.0.1',
    'x-request-id': expect.any(String),
  })
})

test('HTTP/2 on a plain connection is not passed on', async () => {
  const { ingress, headersSeen } = await startObserved()
  const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'
  const answer = await talk(ingress.port, `GET / HTTP/1.1\r\nHost: ${HOST}\r\n${upgrade}\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(headersSeen()).not.toHaveProperty('upgrade')
  expect(headersSeen()).not.toHaveProperty('http2-settings')
})

test('bytes beyond ASCII in headers and paths arrive as they were sent', async () => {
  const { ingress, headersSeen } = await startObserved({}, { 'X-City': Buffer.from('Zürich').toString('latin1') })
  const city = Buffer.from('Zürich').toString('latin1')
  const answer = await talk(ingress.port, `GET /%C3%BC HTTP/1.1\r\nHost: ${HOST}\r\nX-City: ${city}\r\n\r\n`)
  expect(headersSeen()['x-city']).toBe(city)
  expect(answer).toContain(`X-City: ${city}\r\n`)
})
