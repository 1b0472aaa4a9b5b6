import { once } from 'node:events'
import { connect as connectTo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { ClientConnection, type ClientRequest } from '../../src/ingress/http1/client-connection.ts'
import { ConnectionBudget } from '../../src/ingress/upstreams/connection-budget.ts'
import { ReplicaPool } from '../../src/ingress/upstreams/replica-pool.ts'
import { FakeClient, turns } from './fake-client.ts'
import { eventually, HOST, routeTo, startIngress, startRawReplica, startReplica, talk } from './fixtures.ts'

const IDLE_MS = 300_000
const HEAD = `Host: ${HOST}\r\n`

/** A connection, what it has been asked, and what it has written. */
function connect() {
  const client = new FakeClient()
  const requests: ClientRequest[] = []
  const onRequest = (request: ClientRequest) => void requests.push(request)
  const connection = new ClientConnection(client as unknown as Socket, IDLE_MS, { onRequest, onClose: () => {} })
  const send = async (text: string) => {
    client.push(Buffer.from(text, 'latin1'))
    await turns()
  }
  const answer = ({ answer }: ClientRequest) => {
    answer.begin({ status: 200, reason: 'OK', headers: ['Content-Length', '2'], length: 'given', hasDate: true })
    answer.end('ok')
  }
  const sweepAfter = async (seconds: number) => {
    connection.sweep(performance.now() + seconds * 1000)
    await turns()
  }
  return { client, requests, connection, send, answer, sweepAfter }
}

const GET = `GET / HTTP/1.1\r\n${HEAD}\r\n`

test('a head is read wherever it is cut, and one request after the other', async () => {
  const { client, requests, send, answer } = connect()
  for (const character of `\r\n${GET}`) await send(character)
  expect(requests).toHaveLength(1)
  await send(GET + GET)
  expect(requests).toHaveLength(1)
  for (const count of [2, 3]) {
    answer(requests.at(-1) as ClientRequest)
    await turns()
    expect(requests).toHaveLength(count)
  }
  expect(client.written).toMatch(/^(HTTP\/1\.1 200 OK\r\n[\s\S]*?\r\n\r\nok){2}$/)
})

test('a head that does not come whole is a 408 after 15 seconds', async () => {
  const { client, send, sweepAfter } = connect()
  await send('GET / HTTP/1.1\r\nHost')
  await sweepAfter(14)
  expect(client.written).toBe('')
  await sweepAfter(16)
  expect(client.written).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*Connection: close/)
  expect([client.writableEnded, client.destroyed]).toEqual([true, false])
  // The client has a while to read it, and to close as well.
  await sweepAfter(17)
  await sweepAfter(23)
  expect(client.destroyed).toBe(true)
})

test('a connection without a request is closed without a word: after 15 seconds, or 75 when it has had one', async () => {
  const silent = connect()
  await silent.sweepAfter(16)
  expect([silent.client.destroyed, silent.client.written]).toEqual([true, ''])
  const blank = connect()
  await blank.send('\r\n')
  await blank.sweepAfter(16)
  expect([blank.client.destroyed, blank.client.written]).toEqual([true, ''])
  const kept = connect()
  await kept.send(GET)
  kept.answer(kept.requests[0] as ClientRequest)
  // Some clients send an empty line too many, which is no beginning of a request.
  await kept.send('\r\n')
  await kept.sweepAfter(74)
  expect(kept.client.destroyed).toBe(false)
  await kept.sweepAfter(76)
  expect([kept.client.destroyed, kept.client.written.includes('HTTP/1.1 408')]).toEqual([true, false])
})

test('the rest of a body that nobody wants is read for five seconds and up to 16 MB', async () => {
  const post = (bytes: number) => `POST / HTTP/1.1\r\n${HEAD}Content-Length: ${bytes}\r\n\r\n`
  const refused = async (bytes: number) => {
    const one = connect()
    await one.send(post(bytes))
    const [request] = one.requests as [ClientRequest]
    one.connection.discard(request.body as NonNullable<typeof request.body>)
    one.answer(request)
    await turns()
    return one
  }
  const short = await refused(5)
  await short.send(`hello${GET}`)
  expect(short.requests).toHaveLength(2)
  const slow = await refused(5)
  await slow.send('hell')
  await slow.sweepAfter(0)
  await slow.sweepAfter(6)
  expect(slow.client.destroyed).toBe(true)
  const long = await refused(100_000_000)
  for (let megabytes = 0; megabytes < 17; megabytes += 1) await long.send('x'.repeat(1_048_576))
  expect(long.client.destroyed).toBe(true)
})

test('a client that takes nothing of its answer is left, whatever it sends meanwhile', async () => {
  const { client, requests, connection, send, answer } = connect()
  client.takesNothing = true
  await send(GET)
  answer(requests[0] as ClientRequest)
  for (const seconds of [0, 299, 301]) {
    expect(client.destroyed).toBe(false)
    await send('\r\n')
    connection.sweep(performance.now() + seconds * 1000)
    await turns()
  }
  expect(client.destroyed).toBe(true)
})

test('while a body is not wanted, no more of it is read than came at once', async () => {
  const { client, requests, send } = connect()
  await send(`POST / HTTP/1.1\r\n${HEAD}Content-Length: 10\r\n\r\n`)
  await send('01234')
  expect(client.isPaused()).toBe(true)
  let body = ''
  requests[0]?.body?.readBy({
    onBody: (bytes) => {
      body += bytes
    },
    onBodyEnd: () => {
      body += '.'
    },
  })
  await turns()
  expect([client.isPaused(), body]).toEqual([false, '01234'])
  await send('56789')
  expect(body).toBe('0123456789.')
})

test.each([
  ['extensions of chunks', `${`1;${'x'.repeat(9_000)}\r\na\r\n`.repeat(4)}0\r\n\r\n`],
  ['trailers', `0\r\n${`X: ${'x'.repeat(9_000)}\r\n`.repeat(4)}\r\n`],
])('a body with too many %s is refused', async (_what, body) => {
  const replica = await startReplica((request, response) => {
    request.resume()
    request.on('end', () => response.end('read'))
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const head = `POST / HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`
  expect(await talk(ingress.port, `${head}${body}`)).toMatch(/^HTTP\/1\.1 400 /)
})

test('HTTP/1.0 connections are kept on request, when the answer says where it ends', async () => {
  const replica = await startRawReplica((socket) => {
    socket.on('data', (request) => {
      if (request.includes('/length')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      else socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n')
    })
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const ask = (path: string, connection: string) => `GET ${path} HTTP/1.0\r\n${HEAD}Connection: ${connection}\r\n\r\n`
  const kept = await talk(ingress.port, ask('/length', 'keep-alive') + ask('/length', 'close'))
  expect(kept.match(/Connection: [\w-]+/g)).toEqual(['Connection: keep-alive', 'Connection: close'])
  const unknown = await talk(ingress.port, ask('/chunks', 'keep-alive') + ask('/length', 'close'))
  expect(unknown).toMatch(/Connection: close\r\n\r\nok$/)
  expect(unknown).not.toMatch(/transfer-encoding/i)
})

test('an answer without a date gets one, and one with a date keeps it', async () => {
  const replica = await startRawReplica((socket) => {
    socket.on('data', (request) => {
      const date = request.includes('/dated') ? 'Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n' : ''
      socket.write(`HTTP/1.1 200 OK\r\n${date}Content-Length: 0\r\n\r\n`)
    })
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const datesOf = async (path: string) =>
    (await talk(ingress.port, `GET ${path} HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`)).match(/^Date: .*$/gim) ?? []
  expect(await datesOf('/dated')).toEqual(['Date: Thu, 01 Jan 1970 00:00:00 GMT'])
  const [date = '', ...others] = await datesOf('/')
  expect(Math.abs(Date.parse(date.slice('Date: '.length)) - Date.now())).toBeLessThan(60_000)
  expect(others).toEqual([])
})

test('names that nobody else sends do not end the use of those that everybody does', async () => {
  const replica = await startReplica((request, response) => response.end(request.headers['x-own']))
  const ingress = await startIngress([routeTo([replica.target])])
  const own = Array.from({ length: 200 }, (_, line) => (batch: number) => `X-${batch}-${line}: a\r\n`)
  const ask = (lines: string) => talk(ingress.port, `GET / HTTP/1.1\r\n${HEAD}${lines}Connection: close\r\n\r\n`)
  for (let batch = 0; batch < 6; batch += 1)
    expect(await ask(own.map((line) => line(batch)).join(''))).toMatch(/^HTTP\/1\.1 200 /)
  expect(await ask('X-Own: kept\r\nUpgrade: none\r\nX_Forwarded_For: 1.2.3.4\r\n')).toMatch(/\r\n\r\nkept$/)
})

test('a client that sends on reads why it was refused', async () => {
  const ingress = await startIngress([])
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const client = connectTo(ingress.port, '127.0.0.1')
    client.on('error', () => {})
    client.write(`POST / HTTP/1.1\r\nContent-Length: 4000000\r\n\r\n${'x'.repeat(4_000_000)}`)
    // Its own end of the line is slower than the refusal.
    await sleep(20)
    const text = String(Buffer.concat(await client.toArray()))
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  }
})

test('a client that reads slowly gets all of its answer, although the ingress closes', async () => {
  const bytes = 3_000_000
  const replica = await startReplica((_request, response) => response.end('x'.repeat(bytes)))
  const ingress = await startIngress([routeTo([replica.target])])
  const client = connectTo(ingress.port, '127.0.0.1')
  client.write(GET)
  client.pause()
  await eventually(() => replica.requests === 1)
  await sleep(100)
  const closed = ingress.close(60)
  await sleep(100)
  let read = 0
  client.on('data', (piece: Buffer) => {
    read += piece.length
  })
  client.resume()
  await once(client, 'end')
  expect(read).toBeGreaterThan(bytes)
  await closed
})

test('an answer to HTTP/1.0 that breaks off is no whole one', async () => {
  const replica = await startRawReplica((socket) => {
    socket.on('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n')
      setTimeout(() => socket.destroy(), 50)
    })
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const client = connectTo(ingress.port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  client.resume()
  client.write(`GET / HTTP/1.0\r\n${HEAD}\r\n`)
  await expect(once(client, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('what the ingress says of a client comes first, and before more headers than apps take', async () => {
  let heard = ''
  const replica = await startRawReplica((socket) => {
    socket.on('data', (bytes) => {
      heard += bytes
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    })
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const ask = (headers: number) =>
    talk(ingress.port, `GET / HTTP/1.1\r\n${HEAD}${'a:\r\n'.repeat(headers)}Connection: close\r\n\r\n`)
  expect(await ask(254)).toMatch(/^HTTP\/1\.1 200 /)
  expect(
    heard
      .split('\r\n')
      .slice(2, 6)
      .map((line) => line.split(':')[0]),
  ).toEqual(['X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Request-Id'])
  expect(await ask(255)).toMatch(/^HTTP\/1\.1 431 /)
})

test('a client that nobody knows is not read', async () => {
  const ingress = await startIngress([])
  const client = new FakeClient()
  ingress.server.emit('connection', client)
  client.push(GET)
  await turns()
  expect([client.destroyed, client.written]).toEqual([true, ''])
})

test('an app has the time to answer that it is given, however long the connection is silent', async () => {
  const replica = await startReplica((_request, response) => setTimeout(() => response.end('late'), 2_500))
  const settings = { BERTH_INGRESS_IDLE_SECONDS: '1', BERTH_INGRESS_HEADERS_TIMEOUT_SECONDS: '5' }
  const ingress = await startIngress([routeTo([replica.target])], settings)
  expect(await talk(ingress.port, `GET / HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`, 5_000)).toMatch(/late$/)
})

test('a connection that the app has closed serves nobody', async () => {
  const { target } = await startReplica((_request, response) => response.end())
  const budget = new ConnectionBudget({ perReplica: 10, total: 10 })
  const pool = new ReplicaPool(target, budget)
  const first = pool.take(0, Number.POSITIVE_INFINITY)
  pool.release(first, true, 0)
  expect(pool.take(0, Number.POSITIVE_INFINITY)).toBe(first)
  pool.release(first, true, 0)
  first.socket.destroy()
  expect(pool.take(0, Number.POSITIVE_INFINITY)).not.toBe(first)
  pool.retire()
})
