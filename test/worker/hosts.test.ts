import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHealthServer } from '../../src/api/server/health-server.ts'
import { readRoutes } from '../../src/ingress/routes/route-query.ts'
import { addHost, removeHost, validateHost } from '../../src/services/host/host-commands.ts'
import { nextHostState } from '../../src/worker/housekeeping/validate-hosts.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'

let harbour: Harbour
let dns: Awaited<ReturnType<typeof startDnsServer>>
const records = new Map<string, string>()

beforeAll(async () => {
  dns = await startDnsServer(records)
  harbour = await createHarbour({ BERTH_DNS_SERVERS: dns.address })
  harbour.startWorker()
})

afterAll(async () => {
  await harbour?.close()
  await dns.close()
})

const hostOf = (id: string) => harbour.database.host.findUniqueOrThrow({ where: { id } })
const becomes = (id: string, status: string) =>
  eventually(
    () => hostOf(id),
    (seen) => seen.status === status,
  )
const elsewhere = async () => (await harbour.appEnv({ accountId: await harbour.account() })).appEnvId

async function isRouted(host: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: harbour.url })
  await client.connect()
  try {
    return (await readRoutes(client, null)).table?.find(host) != null
  } finally {
    await client.end()
  }
}

test('a custom host is routed once a CNAME or a TXT record proves it, and not before', async () => {
  const { appEnvId } = await harbour.appEnv()
  const added = await harbour.perform(addHost, { appEnvId, host: 'Shop.Example.COM.' })
  expect(added).toMatchObject({ host: 'shop.example.com', status: 'VALIDATING', txtName: '_berth.shop.example.com' })
  const invalid = await becomes(added.hostId, 'INVALID')
  expect(invalid.reason).toMatch(/^Neither a CNAME record to .* nor the TXT record at _berth\.shop\.example\.com/)
  expect(await isRouted('shop.example.com')).toBe(false)

  records.set('CNAME shop.example.com', added.cname ?? '')
  await harbour.perform(validateHost, { appEnvId, hostId: added.hostId })
  await becomes(added.hostId, 'VALID')
  expect(await isRouted('shop.example.com')).toBe(true)

  const other = await harbour.perform(addHost, { appEnvId, host: 'example.org' })
  records.set('TXT _berth.example.org', other.txtValue ?? '')
  await harbour.perform(validateHost, { appEnvId, host: 'example.org' })
  await becomes(other.hostId, 'VALID')
  const types = (await harbour.eventsOf(appEnvId)).map((event) => event.type)
  expect(types.filter((type) => type === 'host.changed').length).toBeGreaterThanOrEqual(5)
})

test('a host in use belongs to its account, and for a while after it was removed', async () => {
  const { appEnvId } = await harbour.appEnv()
  const { hostId, txtValue } = await harbour.perform(addHost, { appEnvId, host: 'mine.example.com' })
  const other = await elsewhere()
  const claim = () => harbour.perform(addHost, { appEnvId: other, host: 'mine.example.com' })
  await expect(claim()).rejects.toMatchObject({ code: 'CONFLICT', reason: 'HOST_TAKEN' })
  records.set('TXT _berth.mine.example.com', txtValue ?? '')
  await harbour.perform(validateHost, { appEnvId, hostId })
  await becomes(hostId, 'VALID')
  await harbour.perform(removeHost, { appEnvId, hostId })
  expect(await isRouted('mine.example.com')).toBe(false)
  await expect(claim()).rejects.toMatchObject({ code: 'CONFLICT', reason: 'HOST_COOLING_DOWN' })

  const again = await harbour.perform(addHost, { appEnvId, host: 'mine.example.com' })
  await harbour.perform(removeHost, { appEnvId, hostId: again.hostId })
  const longAgo = new Date(Date.now() - 721 * 3_600_000)
  await harbour.database.releasedHost.updateMany({ data: { releasedAt: longAgo } })
  const taken = await claim()
  // The record of the account before proves nothing for this one.
  expect(taken.txtValue).not.toBe(txtValue)
  await becomes(taken.hostId, 'INVALID')
})

test('a claim that was never proved gives way to another account’s after an hour', async () => {
  const { appEnvId } = await harbour.appEnv()
  const { hostId } = await harbour.perform(addHost, { appEnvId, host: 'squatted.example.com' })
  const other = await elsewhere()
  const claim = () => harbour.perform(addHost, { appEnvId: other, host: 'squatted.example.com' })
  const age = (hours: number) => harbour.database.$executeRaw`
    UPDATE host SET created_at = now() - make_interval(hours => ${hours}) WHERE id = ${hostId}`
  await harbour.database.$executeRaw`
    UPDATE host SET created_at = now() - interval '59 minutes' WHERE id = ${hostId}`
  await expect(claim()).rejects.toMatchObject({ reason: 'HOST_TAKEN' })
  await age(2)
  expect(await claim()).toMatchObject({ host: 'squatted.example.com', status: 'VALIDATING' })
  expect(await harbour.database.host.findUnique({ where: { id: hostId } })).toBeNull()
})

test.each(['localhost', '127.0.0.1', 'x.berth.localhost', 'a b.com', 'com', '*.example.com', '-a.example.com'])(
  'the host %s is refused',
  async (host) => {
    const { appEnvId } = await harbour.appEnv()
    await expect(harbour.perform(addHost, { appEnvId, host })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  },
)

test('a valid host survives two bad answers and any number of none', () => {
  const valid = { status: 'VALID' as const, failures: 1, reason: null, wasValid: true }
  const now = new Date()
  const absent = { isProved: false as const, reason: 'nothing' }
  expect(nextHostState(valid, absent, now)).toMatchObject({ status: 'VALID', failures: 2 })
  expect(nextHostState({ ...valid, failures: 2 }, absent, now)).toMatchObject({ status: 'INVALID', failures: 3 })
  expect(nextHostState({ ...valid, failures: 2 }, null, now)).toMatchObject({ status: 'VALID', failures: 2 })
})

test('Caddy learns which hosts are routed from the internal listener', async () => {
  const server = createHealthServer({}, (host) => host === 'shop.example.com')
  const ask = async (domain: string) =>
    (await server.fetch(new Request(`http://127.0.0.1/tls/ask?domain=${domain}`))).status
  expect([await ask('shop.example.com'), await ask('Shop.example.com'), await ask('other.example.com')]).toEqual([
    200, 200, 404,
  ])
})
