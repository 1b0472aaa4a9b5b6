import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { freePort } from '../support/free-ports.ts'
import { eventually, startRawReplica } from './fixtures.ts'
import { connectTo, startTcpIngress, tcpRouteTo } from './tcp-fixtures.ts'

const MB = 1_048_576

async function through(onConnection: (socket: Socket) => void, settings: NodeJS.ProcessEnv = {}) {
  const port = await freePort()
  const { target } = await startRawReplica(onConnection)
  const started = await startTcpIngress([port], [tcpRouteTo(port, [target])], settings)
  return { port, ...started }
}

test('a client that has finished sending still gets its answer', async () => {
  const { port } = await through((socket) => {
    socket.resume()
    socket.once('end', () => setTimeout(() => socket.end('answer'), 50))
  })
  const client = connectTo(port)
  client.socket.end('question')
  await eventually(() => client.ending() !== null)
  expect([client.text(), client.ending()]).toEqual(['answer', 'ended'])
})

test('a server that has finished sending still gets the rest', async () => {
  let received = ''
  let isEnded = false
  const { port } = await through((socket) => {
    socket.end('greeting')
    socket.on('data', (chunk) => {
      received += chunk.toString()
    })
    socket.once('end', () => {
      isEnded = true
    })
  })
  const client = connectTo(port)
  await eventually(() => client.ending() === 'ended')
  expect(client.text()).toBe('greeting')
  client.socket.write('one')
  await eventually(() => received === 'one')
  client.socket.end('two')
  await eventually(() => isEnded)
  expect(received).toBe('onetwo')
})

test('a reset of one side resets the other', async () => {
  const sockets: Socket[] = []
  const { port } = await through((socket) => {
    sockets.push(socket)
    socket.resume()
  })
  const client = connectTo(port)
  await eventually(() => sockets.length === 1)
  sockets[0]?.resetAndDestroy()
  await eventually(() => client.ending() === 'reset')

  const other = connectTo(port)
  await eventually(() => sockets.length === 2)
  let isReset = false
  sockets[1]?.once('error', () => {
    isReset = true
  })
  other.socket.resetAndDestroy()
  await eventually(() => isReset)
})

test('bytes arrive unchanged both ways, and are counted', async () => {
  const { port, metric } = await through((socket) => socket.pipe(socket))
  const sent = randomBytes(8 * MB)
  const client = connectTo(port)
  const hash = createHash('sha256')
  let received = 0
  client.socket.removeAllListeners('data')
  client.socket.on('data', (chunk: Buffer) => {
    received += chunk.length
    hash.update(chunk)
  })
  client.socket.end(sent)
  await eventually(() => client.ending() !== null, 60_000)
  expect(received).toBe(sent.length)
  expect(hash.digest('hex')).toBe(createHash('sha256').update(sent).digest('hex'))
  const env = `app_env="env_${port}"`
  expect(await metric(`berth_ingress_tcp_bytes_total{${env},direction="in"}`)).toBe(sent.length)
  expect(await metric(`berth_ingress_tcp_bytes_total{${env},direction="out"}`)).toBe(sent.length)
  expect(await metric(`berth_ingress_tcp_connections_total{${env}}`)).toBe(1)
})

test('a client that reads slowly slows the server down, and fills no memory', async () => {
  const chunk = Buffer.alloc(64 * 1024)
  let written = 0
  const { port } = await through((socket) => {
    const send = () => {
      while (written < 512 * MB && !socket.destroyed) {
        written += chunk.length
        if (!socket.write(chunk)) return socket.once('drain', send)
      }
      return socket.end()
    }
    send()
  })
  const client = connectTo(port)
  await once(client.socket, 'data')
  client.socket.pause()
  const stalled = async () => {
    for (let last = -1; last !== written; await sleep(200)) last = written
  }
  await stalled()
  // What the kernel keeps for four sockets, and one chunk each.
  expect(written).toBeLessThan(64 * MB)
  const before = written
  client.socket.resume()
  await eventually(() => written > before + 16 * MB)
  client.socket.destroy()
})

test('a server that reads slowly slows the client down', async () => {
  const sockets: Socket[] = []
  const { port } = await through((socket) => {
    sockets.push(socket)
    socket.pause()
  })
  const { socket } = connectTo(port)
  const chunk = Buffer.alloc(64 * 1024)
  let written = 0
  const send = () => {
    while (written < 512 * MB && socket.write(chunk)) written += chunk.length
  }
  socket.on('drain', send)
  send()
  for (let last = -1; last !== written; await sleep(200)) last = written
  expect(written).toBeLessThan(64 * MB)
  const before = written
  sockets[0]?.resume()
  await eventually(() => written > before + 16 * MB)
  socket.destroy()
})

test('idle connections stay open unless there is an idle timeout', async () => {
  const endless = await through((socket) => socket.pipe(socket))
  const limited = await through((socket) => socket.pipe(socket), { BERTH_TCP_IDLE_SECONDS: '1' })
  const [staying, leaving] = [connectTo(endless.port), connectTo(limited.port)]
  await eventually(() => leaving.ending() === 'reset')
  staying.socket.write('x')
  await eventually(() => staying.text() === 'x')
})
