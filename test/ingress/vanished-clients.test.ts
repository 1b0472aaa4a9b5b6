import { execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { eventually, HOST, routeTo, startIngress, startReplica } from './fixtures.ts'

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' })

function canMakeNetworks(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  try {
    ip('netns', 'list')
    return true
  } catch {
    return false
  }
}

/** A machine beside this one, as far as the network goes. */
function joinMachine() {
  const id = randomInt(0x10_000).toString(16)
  const [name, here, there] = [`berth-${id}`, `bt${id}h`, `bt${id}t`]
  const net = `10.${randomInt(200, 250)}.${randomInt(1, 250)}`
  ip('netns', 'add', name)
  onTestFinished(() => void ip('netns', 'del', name))
  ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', name)
  ip('addr', 'add', `${net}.1/24`, 'dev', here)
  ip('link', 'set', here, 'up')
  ip('-n', name, 'addr', 'add', `${net}.2/24`, 'dev', there)
  ip('-n', name, 'link', 'set', there, 'up')
  return {
    address: `${net}.1`,
    /** Runs a script of Node.js there. */
    run(script: string, ...args: string[]) {
      const child = spawn('ip', ['netns', 'exec', name, process.execPath, '-e', script, ...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      return child
    },
    /** It has no address any more: what is sent there is answered by nobody, and nothing says so. */
    vanish: () => ip('-n', name, 'addr', 'flush', 'dev', there),
  }
}

const CLIENT = `
const [address, port, head] = process.argv.slice(1)
const socket = require('node:net').connect({ host: address, port: Number(port) }, () => socket.write(head))
socket.once('data', () => console.log('connected'))
socket.resume()`

const UPGRADE = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`

// Longer than any test takes: only TCP can notice.
const NEVER = '86400'

const isShown = canMakeNetworks()
if (!isShown)
  console.warn('Skipped: a client that vanishes is shown in a network namespace, which needs Linux, root and ip(8)')

test.skipIf(!isShown)(
  'a client that vanished without a word is noticed: on a silent tunnel, on one that the app writes to, and on a stream',
  async () => {
    const open = new Map<string, Socket>()
    const replica = await startReplica((request, response) => {
      // An event stream, to which something is written now and then.
      open.set('stream', request.socket)
      request.socket.once('close', () => open.delete('stream'))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': begin\n\n')
      const timer = setInterval(() => response.write(': go on\n\n'), 100)
      response.once('close', () => clearInterval(timer))
    })
    replica.server.on('upgrade', (request: { url: string }, socket: Socket) => {
      const name = request.url.slice(1)
      open.set(name, socket)
      socket.on('error', () => {})
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
      const timer = name === 'talking' ? setInterval(() => socket.write('news'), 100) : undefined
      socket.once('close', () => {
        clearInterval(timer)
        open.delete(name)
      })
    })
    const machine = joinMachine()
    const ingress = await startIngress([routeTo([replica.target])], {
      HOST: '0.0.0.0',
      BERTH_INGRESS_KEEPALIVE_SECONDS: '1',
      BERTH_INGRESS_TUNNEL_IDLE_SECONDS: NEVER,
      BERTH_INGRESS_IDLE_SECONDS: NEVER,
    })
    const heads = [UPGRADE('/silent'), UPGRADE('/talking'), `GET /stream HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`]
    const clients = heads.map((head) => machine.run(CLIENT, machine.address, `${ingress.port}`, head))
    await Promise.all(clients.map(({ stdout }) => once(stdout, 'data')))
    expect([...open.keys()].toSorted()).toEqual(['silent', 'stream', 'talking'])
    machine.vanish()
    await eventually(() => open.size === 0, 200_000)
  },
)
