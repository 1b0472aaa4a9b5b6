import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { ask, eventually, HOST, routeTo, startIngress, startRawReplica, startReplica, talk } from './fixtures.ts'

const MB = 1_048_576

test('events arrive as they are sent, the head before the first of them', async () => {
  const arrived = [1, 2, 3].map(() => Promise.withResolvers<void>())
  const replica = await startReplica(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    // Each is sent when what came before it has arrived: an ingress that holds anything back holds up everything.
    for (const [index, { promise }] of arrived.entries()) {
      await promise
      response.write(`data: ${index + 1}\n\n`)
    }
    response.end()
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const request = http.get({ host: '127.0.0.1', port: ingress.port, headers: { host: HOST }, agent: false })
  const [response] = await once(request, 'response')
  arrived[0]?.resolve()
  const chunks: string[] = []
  for await (const chunk of response) {
    chunks.push(String(chunk))
    arrived[chunks.length]?.resolve()
  }
  expect(chunks).toEqual(['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n'])
})

/** Of buffers that something still holds, and not of those that only wait for the garbage collector. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().arrayBuffers
}

test('64 MB go up and down unchanged, and neither side is read faster than the other takes', async () => {
  // More than the kernel's buffers of two connections take.
  const payload = randomBytes(64 * MB)
  const digest = createHash('sha256').update(payload).digest('hex')
  let read = () => {}
  const replica = await startReplica(async (request, response) => {
    await new Promise<void>((resolve) => {
      read = resolve
    })
    const hash = createHash('sha256')
    for await (const chunk of request) hash.update(chunk)
    response.writeHead(200, { digest: hash.digest('hex') })
    response.write(payload.subarray(0, 1))
    response.end(payload.subarray(1))
  })
  const ingress = await startIngress([routeTo([replica.target])])
  for (const headers of [{ 'content-length': payload.length }, { 'transfer-encoding': 'chunked' }]) {
    const before = heldBytes()
    const request = http.request({
      host: '127.0.0.1',
      port: ingress.port,
      method: 'PUT',
      headers: { host: HOST, ...headers },
      agent: false,
    })
    request.end(payload)
    await sleep(200)
    // Polled, because the collector frees buffers on a thread of its own, which a busy machine starts late.
    await eventually(() => heldBytes() - before < 2 * MB)
    read()
    const [response] = await once(request, 'response')
    await sleep(200)
    await eventually(() => heldBytes() - before < 2 * MB)
    const hash = createHash('sha256')
    for await (const chunk of response) hash.update(chunk)
    expect([response.headers.digest, hash.digest('hex')]).toEqual([digest, digest])
  }
})

test('an app may answer while the request is still being sent, and the connection goes on', async () => {
  const replica = await startReplica((_request, response) => response.writeHead(403).end('no'))
  const ingress = await startIngress([routeTo([replica.target])])
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const answer = await ask(ingress.port, { method: 'POST', body: randomBytes(2 * MB), agent })
  expect(answer).toMatchObject({ status: 403, body: 'no' })
  expect((await ask(ingress.port, { agent })).status).toBe(403)
  agent.destroy()
})

test('a body beyond the limit is a 413: at once when its length is given, else cut off when it passes the limit', async () => {
  let received = 0
  const replica = await startReplica((request) => {
    request.on('error', () => {})
    request.on('data', (chunk) => {
      received += chunk.length
    })
  })
  const ingress = await startIngress([routeTo([replica.target])], { BERTH_INGRESS_BODY_LIMIT_MB: '1' })
  const declared = await ask(ingress.port, { method: 'POST', body: randomBytes(2 * MB) })
  expect([declared.status, declared.headers['x-berth-error']]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  expect(replica.requests).toBe(0)
  const headers = { 'transfer-encoding': 'chunked' }
  const chunked = await ask(ingress.port, { method: 'POST', headers, body: randomBytes(3 * MB) })
  expect(chunked.status).toBe(413)
  expect(received).toBeLessThanOrEqual(MB)
})

test("100-continue is the app's to give", async () => {
  const replica = await startReplica(() => {})
  replica.server.on('checkContinue', (request: http.IncomingMessage, response: http.ServerResponse) => {
    if (request.url === '/no') return void response.writeHead(401).end()
    response.writeContinue()
    request.pipe(response)
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const expecting = (path: string) => {
    const headers = { host: HOST, expect: '100-continue', 'content-length': 5 }
    const request = http.request({ host: '127.0.0.1', port: ingress.port, method: 'POST', path, headers, agent: false })
    request.flushHeaders()
    return request
  }
  const accepted = expecting('/yes')
  await once(accepted, 'continue')
  accepted.end('hello')
  const [answer] = await once(accepted, 'response')
  expect(await answer.toArray().then(String)).toBe('hello')

  const refused = expecting('/no')
  refused.on('continue', () => expect.unreachable())
  const [refusal] = await once(refused, 'response')
  expect(refusal.statusCode).toBe(401)
})

test('early hints are passed on', async () => {
  const replica = await startReplica((_request, response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' })
    response.end('ok')
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const request = http.get({ host: '127.0.0.1', port: ingress.port, headers: { host: HOST }, agent: false })
  const [[information], [response]] = await Promise.all([once(request, 'information'), once(request, 'response')])
  expect(information).toMatchObject({ statusCode: 103, headers: { link: '</style.css>; rel=preload; as=style' } })
  expect(response.statusCode).toBe(200)
})

test('answers without body, HEAD, 204 and 304, keep their headers and the connection', async () => {
  const replica = await startReplica(({ method, url }, response) => {
    if (url === '/204') response.writeHead(204).end()
    else if (url === '/304') response.writeHead(304, { etag: '"1"' }).end()
    else response.writeHead(200, { 'content-length': 5 }).end(method === 'HEAD' ? '' : 'hello')
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const head = await ask(ingress.port, { method: 'HEAD', agent })
  expect(head).toMatchObject({ status: 200, headers: { 'content-length': '5' }, body: '' })
  expect(await ask(ingress.port, { path: '/204', agent })).toMatchObject({ status: 204, body: '' })
  expect(await ask(ingress.port, { path: '/304', agent })).toMatchObject({ status: 304, headers: { etag: '"1"' } })
  expect(await ask(ingress.port, { agent })).toMatchObject({ status: 200, body: 'hello' })
  agent.destroy()
})

test('trailers go both ways, without those that may not be any', async () => {
  const replica = await startReplica((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { trailer: 'x-sum' })
      response.write(JSON.stringify(request.trailers))
      response.addTrailers({ 'x-sum': '42', 'set-cookie': 'a=1' })
      response.end()
    })
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const headers = { host: HOST, 'transfer-encoding': 'chunked', trailer: 'x-check' }
  const request = http.request({ host: '127.0.0.1', port: ingress.port, method: 'POST', headers, agent: false })
  request.write('body')
  request.addTrailers({ 'x-check': 'yes', 'x-forwarded-for': '6.6.6.6' })
  request.end()
  const [response] = await once(request, 'response')
  expect(JSON.parse(String(await response.toArray()))).toEqual({ 'x-check': 'yes' })
  expect(response.trailers).toEqual({ 'x-sum': '42' })
})

test('an answer that ends with its connection is passed on whole', async () => {
  const replica = await startRawReplica((socket) =>
    socket.once('data', () => {
      socket.write('HTTP/1.0 200 OK\r\n\r\nold ')
      setTimeout(() => socket.end('school'), 50)
    }),
  )
  const ingress = await startIngress([routeTo([replica.target])])
  expect(await ask(ingress.port)).toMatchObject({ status: 200, body: 'old school' })
})

test("an app that breaks off its answer breaks off the client's, so that nobody takes a part for the whole", async () => {
  for (const head of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
    const replica = await startRawReplica((socket) =>
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n5\r\nhello\r\n`)
        setTimeout(() => socket.destroy(), 50)
      }),
    )
    const ingress = await startIngress([routeTo([replica.target])])
    await expect(ask(ingress.port)).rejects.toThrow(/aborted|socket hang up/)
  }
})

test('a client that leaves ends the request at the app', async () => {
  let left = 0
  const replica = await startReplica((request, response) => {
    response.once('close', () => {
      left += 1
    })
    if (request.url === '/begun') response.write('begun')
  })
  const ingress = await startIngress([routeTo([replica.target])])
  for (const path of ['/waiting', '/begun']) {
    const client = connect(ingress.port, '127.0.0.1')
    client.write(`GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
    await sleep(100)
    client.destroy()
  }
  await eventually(() => left === 2)
  expect(await ingress.registry.metrics()).toContain('berth_ingress_requests_total{status="aborted"} 2')
})

test('an app that does not begin to answer in time is a 504', async () => {
  const replica = await startReplica(() => {})
  const ingress = await startIngress([routeTo([replica.target])], { BERTH_INGRESS_HEADERS_TIMEOUT_SECONDS: '1' })
  const answer = await ask(ingress.port, { method: 'POST', body: 'x' })
  expect(answer.status).toBe(504)
  expect(answer.headers['x-berth-error']).toBe('ANSWER_TIMEOUT')
})

test('a client whose body stops coming is a 408', async () => {
  const replica = await startReplica((request) => void request.resume())
  const ingress = await startIngress([routeTo([replica.target])], { BERTH_INGRESS_HEADERS_TIMEOUT_SECONDS: '1' })
  const answer = await talk(ingress.port, `POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 9\r\n\r\npart`, 3_000)
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
})

test('a connection that is silent for too long is closed', async () => {
  const replica = await startReplica((_request, response) => void response.write('begun'))
  const ingress = await startIngress([routeTo([replica.target])], {
    BERTH_INGRESS_IDLE_SECONDS: '1',
    BERTH_INGRESS_HEADERS_TIMEOUT_SECONDS: '1',
  })
  const startedAt = performance.now()
  await expect(ask(ingress.port)).rejects.toThrow()
  expect(performance.now() - startedAt).toBeGreaterThan(900)
})

test('no more connections than allowed are accepted', async () => {
  const replica = await startReplica((_request, response) => response.end('ok'))
  const ingress = await startIngress([routeTo([replica.target])], { BERTH_INGRESS_MAX_CONNECTIONS: '1' })
  const first = connect(ingress.port, '127.0.0.1')
  await once(first, 'connect')
  await sleep(50)
  await expect(ask(ingress.port)).rejects.toThrow(/ECONNRESET|hang up/)
  first.destroy()
  await sleep(50)
  expect((await ask(ingress.port)).body).toBe('ok')
})
