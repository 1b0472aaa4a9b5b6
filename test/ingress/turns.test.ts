import { once } from 'node:events'
import http from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ask, eventually, HOST, routeTo, startIngress, startRawReplica, startReplica } from './fixtures.ts'

const CHUNK = '1\r\nx\r\n'

/** Counts something by turn of the event loop. */
function perTurn() {
  const counts = [0]
  let isOver = false
  const next = () => {
    if (counts.at(-1) !== 0) counts.push(0)
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  onTestFinished(() => {
    isOver = true
  })
  return { counts, count: () => counts.push((counts.pop() ?? 0) + 1) }
}

/** How many answers another client gets, one after the other, until the work is done. */
async function answersDuring(port: number, work: Promise<unknown>): Promise<number> {
  let isDone = false
  const done = work.finally(() => {
    isDone = true
  })
  const agent = new http.Agent({ keepAlive: true })
  let answers = 0
  for (; !isDone; answers += 1) expect((await ask(port, { agent })).body).toBe('free')
  agent.destroy()
  await done
  return answers
}

test('of requests that a client sends ahead of their answers, one turn of the event loop begins few', async () => {
  const ingress = await startIngress([])
  const { counts, count } = perTurn()
  const source = vi.spyOn(ingress.source, 'caughtUp').mockImplementation(() => {
    count()
    return null
  })
  onTestFinished(() => source.mockRestore())
  const client = connect(ingress.port, '127.0.0.1')
  client.resume()
  const last = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  client.write(`${'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2_000)}${last}`)
  await once(client, 'close')
  expect(counts.reduce((sum, one) => sum + one)).toBe(2_001)
  expect(Math.max(...counts)).toBeLessThan(80)
})

test('other clients are served between the tiny chunks of one body, which arrives whole', async () => {
  const chunks = 60_000
  let bytes = 0
  const replica = await startReplica((request, response) => {
    if (request.url === '/') return void response.end('free')
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    request.on('end', () => response.end('read'))
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const client = connect(ingress.port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  const answered = once(client, 'data')
  client.write(
    `POST /sink HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNK.repeat(chunks)}0\r\n\r\n`,
  )
  expect(await answersDuring(ingress.port, answered)).toBeGreaterThan(25)
  expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 200/)
  expect(bytes).toBe(chunks)
})

test('other clients are served between the tiny chunks of one answer, which arrives whole', async () => {
  const chunks = 80_000
  const replica = await startRawReplica((socket) => {
    socket.on('data', (request: Buffer) => {
      if (!request.includes('GET /chunks')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfree')
      else socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNK.repeat(chunks)}0\r\n\r\n`)
    })
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const answer = ask(ingress.port, { path: '/chunks' })
  expect(await answersDuring(ingress.port, answer)).toBeGreaterThan(20)
  expect((await answer).body.length).toBe(chunks)
})

test('a body of many lines waits for an app that does not read, and arrives whole when it does', async () => {
  const [chunks, line] = [24_000, `${'x'.repeat(269)}\n`]
  let bytes = 0
  let read = () => {}
  const replica = await startReplica((request, response) => {
    read = () => {
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      request.on('end', () => response.end('read'))
    }
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const client = connect(ingress.port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  client.write(`POST / HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n`)
  const answered = once(client, 'data')
  client.write(`${`438\r\n${line.repeat(4)}\r\n`.repeat(chunks)}0\r\n\r\n`)
  await eventually(() => replica.requests === 1)
  let unsent = -1
  while (unsent !== client.bytesWritten - client.writableLength) {
    unsent = client.bytesWritten - client.writableLength
    await sleep(300)
  }
  expect(client.writableLength).toBeGreaterThan(0)
  read()
  expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 200/)
  expect(bytes).toBe(chunks * line.length * 4)
})

test('lines that a client sends together with its request to switch protocols reach the app in their order', async () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`).join('')
  let received = ''
  const replica = await startReplica(() => {})
  replica.server.on('upgrade', (_request, socket, head: Buffer) => {
    received += head
    socket.on('data', (bytes: Buffer) => {
      received += bytes
    })
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const client = connect(ingress.port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  client.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n${lines}`)
  await eventually(() => received.length >= lines.length)
  expect(received).toBe(lines)
})
