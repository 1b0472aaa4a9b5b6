import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen } from '../../../src/api/server/listen.ts'
import { TrustedProxies } from '../../../src/domain/trusted-proxies.ts'
import { caller, serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_BODY_LIMIT_KB: '4' } })
})

afterAll(() => world.close())

const start = async () => {
  const { api } = serveRest(world)
  const listening = await listen({ api, host: '127.0.0.1', port: 0 })
  const call = caller((path, init) => fetch(listening.url + path, init), world.adminToken)
  return { listening, call }
}

/** Sends raw text, and reads until the server closes. */
const exchange = (port: number, text: string) =>
  new Promise<string>((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })

/** A connection that has been accepted. */
const connected = (port: number) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.on('error', reject)
  })

describe('connections of one address', () => {
  const REQUEST = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const startWith = (proxies: string[]) =>
    listen({
      api: serveRest(world).api,
      host: '127.0.0.1',
      port: 0,
      perClient: { proxies: new TrustedProxies(proxies), max: 3 },
    })

  test('beyond the maximum are refused in words, until others have ended', async () => {
    const listening = await startWith([])
    const held = await Promise.all([1, 2, 3].map(() => connected(listening.port)))
    const refused = await exchange(listening.port, REQUEST)
    expect(refused).toMatch(/^HTTP\/1.1 429 [\s\S]*application\/problem\+json[\s\S]*TOO_MANY_CONNECTIONS/)
    for (const socket of held) socket.destroy()
    await expect.poll(() => exchange(listening.port, REQUEST)).toMatch(/^HTTP\/1.1 200 /)
    await listening.close()
  })

  test('are not counted for a trusted proxy', async () => {
    const listening = await startWith(['127.0.0.1'])
    const held = await Promise.all([1, 2, 3, 4].map(() => connected(listening.port)))
    expect(await exchange(listening.port, REQUEST)).toMatch(/^HTTP\/1.1 200 /)
    for (const socket of held) socket.destroy()
    await listening.close()
  })
})

describe('over real HTTP', () => {
  test('reads, writes, HEAD and refusals work', async () => {
    const { listening, call } = await start()
    const { body } = await call('POST', '/app', { body: { name: 'Real', accountId: world.accountId, port: 80 } })
    expect((await call('GET', '/app', { query: { appId: body.appId } })).body.name).toBe('Real')
    const head = await call('HEAD', '/apps')
    expect([head.status, head.text]).toEqual([200, ''])
    expect((await call('GET', '/apps', { token: null })).status).toBe(401)
    const big = JSON.stringify({ name: 'x'.repeat(5000) })
    expect((await call('POST', '/app', { body: big })).status).toBe(413)
    await listening.close()
  })

  test('a streamed body is cut off at the limit', async () => {
    const { listening } = await start()
    const chunk = `${(1000).toString(16)}\r\n${'x'.repeat(1000)}\r\n`
    const head = `POST /api/public/v1/app HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${world.adminToken}\r\n`
    const text = `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(8)}0\r\n\r\n`
    expect(await exchange(listening.port, text)).toMatch(/^HTTP\/1.1 413 /)
    await listening.close()
  })

  test('headers over 16 KB are refused', async () => {
    const { listening } = await start()
    const text = `GET /livez HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`
    expect(await exchange(listening.port, text)).toMatch(/^HTTP\/1.1 431 /)
    await listening.close()
  })

  test('closing lets a request end, ends waits early and accepts no new requests', async () => {
    const { appEnvId } = await world.appEnv()
    const { listening, call } = await start()
    const waiting = call('POST', '/app-env/deploy-image', {
      body: { appEnvId, image: 'nginx:1' },
      // As long as a request may wait, which is longer than a test may take.
      headers: { Prefer: 'wait=300' },
    })
    await expect.poll(() => world.operationsOf(appEnvId)).toHaveLength(1)
    await listening.close()
    expect((await waiting).status).toBe(200)
    await expect(call('GET', '/apps')).rejects.toThrow()
  })

  test('a port in use is an error', async () => {
    const { listening } = await start()
    const { api } = serveRest(world)
    await expect(listen({ api, host: '127.0.0.1', port: listening.port })).rejects.toThrow('EADDRINUSE')
    await listening.close()
  })
})
