import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addHost } from '../../src/services/host/host-commands.ts'
import { readGraphQL, readRest } from '../parity/read-apis.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'

const OURS = '127.0.0.1'
const records = new Map<string, string>()
let dns: Awaited<ReturnType<typeof startDnsServer>>
let tls: Server
let world: World
let served: Served
let appEnvId: string
let automatic: string

/** A certificate of its own for one name, which no client trusts. */
function selfSigned(name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-certificate-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', `/O=Test Authority/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30']
  try {
    execFileSync('openssl', ['req', '-x509', ...made, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    return { key: readFileSync(key), cert: readFileSync(cert) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

beforeAll(async () => {
  dns = await startDnsServer(records)
  tls = createTlsServer(selfSigned('shop.example.com')).listen(0, OURS)
  // A client that ends the connection after the handshake is an error to some servers.
  tls.on('tlsClientError', () => undefined)
  await once(tls, 'listening')
  const { port } = tls.address() as AddressInfo
  const settings = {
    BERTH_DNS_SERVERS: dns.address,
    BERTH_INGRESS_URL: `https://apps.example.com:${port}`,
    BERTH_LOOKUP_RATE_LIMIT: '20',
  }
  world = await createWorld({ settings })
  served = serveWorld(world)
  appEnvId = (await world.appEnv()).appEnvId
  automatic = (await world.database.host.findFirstOrThrow({ where: { appEnvId } })).host
  records.set(`A ${automatic}`, OURS)
})

afterAll(async () => {
  await served?.close()
  await world?.close()
  await dns?.close()
  tls?.close()
})

const read = async (host: string) => (await readRest(served, world.adminToken, 'getHostDns', { appEnvId, host })).body

test('names the records of both ways, and which of them DNS has', async () => {
  const host = 'shop.example.com'
  await world.perform(addHost, { appEnvId, host })
  const before = await read(host)
  expect(before).toMatchObject({
    host,
    leadsHere: false,
    lastValidationAt: null,
    nextValidationAt: expect.any(String),
    answers: { cname: [], a: [], aaaa: [], txt: [] },
    certificate: { state: 'AWAITS_HOST' },
  })
  const { txtName, txtValue } = (await readRest(served, world.adminToken, 'getHost', { appEnvId, host })).body
  expect(before.records).toEqual([
    { way: 'ALIAS', type: 'CNAME', name: host, value: automatic, isFound: false },
    { way: 'ADDRESSES', type: 'A', name: host, value: OURS, isFound: false },
    { way: 'ADDRESSES', type: 'TXT', name: txtName, value: txtValue, isFound: false },
  ])
  records.set(`A ${host}`, OURS)
  records.set(`TXT ${txtName}`, txtValue)
  const after = await read(host)
  expect(after.records.map(({ type, isFound }: { type: string; isFound: boolean }) => [type, isFound])).toEqual([
    ['CNAME', false],
    ['A', true],
    ['TXT', true],
  ])
  expect(after).toMatchObject({ leadsHere: true, answers: { a: [OURS], txt: [txtValue] } })
})

test('shows the certificate that the installation serves for a valid host, and why clients refuse it', async () => {
  const host = 'shop.example.com'
  await world.database.host.update({ where: { host }, data: { status: 'VALID' } })
  const { certificate } = await read(host)
  expect(certificate).toMatchObject({
    state: 'REFUSED',
    issuer: 'Test Authority',
    reason: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
  const days = (new Date(certificate.expiresAt).getTime() - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(28)
  expect(days).toBeLessThan(31)
})

test('says the same over GraphQL', async () => {
  const field = `hostDns(appEnvId: "${appEnvId}", host: "shop.example.com") {
    host leadsHere records { way type name value isFound } answers { a } certificate { state issuer } }`
  const { body, code } = await readGraphQL(served, world.adminToken, field)
  expect(code).toBeNull()
  const { host, leadsHere, records: wanted } = await read('shop.example.com')
  expect(body).toMatchObject({ host, leadsHere, records: wanted, certificate: { state: 'REFUSED' } })
})

test('a host that came with the environment needs no records', async () => {
  expect(await read(automatic)).toMatchObject({
    isAutoGenerated: true,
    records: [],
    leadsHere: true,
    nextValidationAt: null,
  })
})

test('a server that speaks no TLS has no certificate, one that does not answer is unknown', async () => {
  const plain = createTcpServer((socket) => {
    socket.on('error', () => undefined).resume()
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  }).listen(0, '127.0.0.2')
  await once(plain, 'listening')
  const other = await createWorld({
    settings: {
      BERTH_DNS_SERVERS: dns.address,
      BERTH_INGRESS_URL: `https://apps.example.com:${(plain.address() as AddressInfo).port}`,
    },
  })
  const otherServed = serveWorld(other)
  try {
    const { appEnvId: id } = await other.appEnv()
    const { host: own } = await other.database.host.findFirstOrThrow({ where: { appEnvId: id } })
    records.set(`A ${own}`, '127.0.0.2')
    const ask = async () =>
      (await readRest(otherServed, other.adminToken, 'getHostDns', { appEnvId: id, host: own })).body
    expect((await ask()).certificate).toMatchObject({ state: 'MISSING', reason: expect.stringContaining('handshake') })
    await new Promise((resolve) => plain.close(resolve))
    expect((await ask()).certificate).toMatchObject({
      state: 'UNKNOWN',
      reason: expect.stringContaining('ECONNREFUSED'),
    })
  } finally {
    await otherServed.close()
    await other.close()
  }
})

test('a DNS server that never answers costs seconds, not the request', async () => {
  const silent = await createWorld({ settings: { BERTH_DNS_SERVERS: '192.0.2.1' } })
  const silentServed = serveWorld(silent)
  try {
    const { appEnvId: id } = await silent.appEnv()
    const { host } = await silent.database.host.findFirstOrThrow({ where: { appEnvId: id } })
    const { body } = await readRest(silentServed, silent.adminToken, 'getHostDns', { appEnvId: id, host })
    expect(body).toMatchObject({
      leadsHere: null,
      answers: { cname: null, a: null, aaaa: null },
      certificate: { state: 'NOT_USED' },
    })
  } finally {
    await silentServed.close()
    await silent.close()
  }
})

test('too many reads of an account are refused', async () => {
  const codes = new Set<string | null>()
  for (let count = 0; count < 25; count += 1)
    codes.add((await readRest(served, world.adminToken, 'getHostDns', { appEnvId, host: automatic })).code)
  expect([...codes]).toEqual([null, 'RATE_LIMITED'])
})
