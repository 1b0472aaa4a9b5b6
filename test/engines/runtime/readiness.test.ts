import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { isReachable, probe } from '../../../src/engines/runtime/readiness.ts'

const servers: Server[] = []

async function listen(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const ask = (port: number, path: string | null, more = {}) =>
  probe({ address: '127.0.0.1', port, path, timeoutMs: 300, ...more })

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

describe('probing over HTTP', () => {
  const app = (listener: RequestListener) => listen(createHttpServer(listener))

  test.each([
    [200, true],
    [204, true],
    [302, true],
    [404, false],
    [503, false],
  ])('takes the status %i as ready: %s', async (status, ready) => {
    const port = await app((_request, response) => response.writeHead(status).end())
    expect(await ask(port, '/healthz')).toEqual({ ready, reason: `GET /healthz answered ${status}` })
  })

  test('sends the given headers', async () => {
    const port = await app((request, response) =>
      response.writeHead(request.headers.host === 'shop.example' ? 200 : 400).end(),
    )
    expect(await ask(port, '/', { headers: { host: 'shop.example' } })).toMatchObject({ ready: true })
  })

  test('does not wait for the body', async () => {
    const port = await app((_request, response) => response.writeHead(200).write('endless'))
    expect(await ask(port, '/')).toMatchObject({ ready: true })
  })

  test('reports that there was no answer in time', async () => {
    const port = await app(() => undefined)
    expect(await ask(port, '/slow')).toEqual({ ready: false, reason: 'GET /slow did not answer within 0.3 s' })
  })

  test('reports that the answer was not HTTP', async () => {
    const port = await listen(createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')))
    expect(await ask(port, '/')).toEqual({ ready: false, reason: 'GET / was answered by something that is not HTTP' })
  })

  test('reports that the connection was closed', async () => {
    const port = await listen(createServer((socket) => socket.destroy()))
    const reason = 'GET /: the connection was closed without an answer'
    expect(await ask(port, '/')).toEqual({ ready: false, reason })
  })
})

test('takes an accepted connection as ready when there is no path', async () => {
  const port = await listen(createServer())
  expect(await ask(port, null)).toEqual({ ready: true, reason: `port ${port} accepts connections` })
})

test.each([[null], ['/']])('reports that the connection was refused (path %s)', async (path) => {
  const port = await listen(createServer())
  await new Promise((resolve) => servers.pop()?.close(resolve))
  expect(await ask(port, path)).toEqual({
    ready: false,
    isRefused: true,
    reason: `connection refused on port ${port}`,
  })
})

test('throws the reason when its caller aborts', async () => {
  const port = await listen(createServer())
  const reason = new Error('superseded')
  await expect(ask(port, '/', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})

/** The machine's kernel connects to no broadcast address, and says at once that there is no way. */
const NOWHERE = '255.255.255.255'

test.each([
  ['its own address leads nowhere', NOWHERE, true, false],
  ['its own address refuses', '127.0.0.1', true, true],
  ['the address is the machine’s, whose firewall may drop other ports', NOWHERE, false, true],
  ['it has no address', null, true, true],
])('tells whether a container’s network answers: %s', async (_what, address, hasOwnAddress, expected) => {
  expect(await isReachable({ address, hasOwnAddress }, new AbortController().signal)).toBe(expected)
})
