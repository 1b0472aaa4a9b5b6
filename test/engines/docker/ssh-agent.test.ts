import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import ssh2, { type Connection } from 'ssh2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SshAgent } from '../../../src/engines/docker/ssh-agent.ts'

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok'
const machineKey = ssh2.utils.generateKeyPairSync('ed25519')
const ownKey = ssh2.utils.generateKeyPairSync('ed25519')
const connections: Connection[] = []
const server = new ssh2.Server({ hostKeys: [machineKey.private] }, (connection) => {
  connections.push(connection)
  connection.on('error', () => {})
  connection.on('authentication', (attempt) => attempt.accept())
  connection.on('openssh.streamlocal', (accept) => {
    const channel = accept()
    channel.once('data', () => channel.end(ANSWER))
  })
})
let agent: SshAgent

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const parsed = ssh2.utils.parseKey(machineKey.public)
  if (parsed instanceof Error) throw parsed
  const hostKeys = [parsed.getPublicSSH().toString('base64')]
  const keys = { ssh: () => ({ privateKey: Buffer.from(ownKey.private), hostKeys }), tls: notUsed }
  agent = new SshAgent({ kind: 'ssh', user: 'berth', host: '127.0.0.1', port, path: '/run/docker.sock' }, keys)
})

afterAll(() => {
  agent?.destroy()
  for (const connection of connections) connection.end()
  server.close()
})

function notUsed(): never {
  throw new Error('This engine is not reached with TLS')
}

const ping = (by = agent) =>
  new Promise<string>((resolve) => {
    const request = get({ host: 'engine', agent: by, path: '/_ping' }, (response) => {
      response.resume().once('end', () => resolve(`answered ${response.statusCode}`))
    })
    request.once('error', (error) => resolve(`failed: ${error.message}`))
  })

test('whatever the machine ends in the middle of a call, the next one connects again', async ({ signal }) => {
  expect(await ping()).toBe('answered 200')
  connections[0]?.end()
  const pings: Promise<string>[] = []
  // A call in each turn of the event loop, so that some meet a connection that the machine has half closed.
  while (connections.length < 2 && !signal.aborted) {
    pings.push(ping())
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(new Set(await Promise.all(pings))).toContain('answered 200')
  expect(await ping()).toBe('answered 200')
  expect(connections).toHaveLength(2)
})

test('a missing key is named, each time', async () => {
  const lacking = () => {
    throw new Error('ssh_key cannot be read: ENOENT')
  }
  const address = { kind: 'ssh', user: 'berth', host: '127.0.0.1', port: 1, path: '/run/docker.sock' } as const
  const other = new SshAgent(address, { ssh: lacking, tls: notUsed })
  for (let call = 0; call < 2; call += 1) expect(await ping(other)).toBe('failed: ssh_key cannot be read: ENOENT')
})
