import { afterAll, beforeAll, expect, test } from 'vitest'
import { addHost, removeHost } from '../../src/services/host/host-commands.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let dns: Awaited<ReturnType<typeof startDnsServer>>
const records = new Map<string, string>()

beforeAll(async () => {
  dns = await startDnsServer(records)
  world = await createWorld({ settings: { BERTH_DNS_SERVERS: dns.address } })
})
afterAll(async () => {
  await world?.close()
  await dns?.close()
})

const environment = async () => {
  const accountId = await world.account()
  return String((await world.appEnv({ accountId, app: { accountId } })).appEnvId)
}
const claim = (appEnvId: string, host: string) => world.perform(addHost, { appEnvId, host })
const refusal = (appEnvId: string, host: string) =>
  claim(appEnvId, host).then(
    () => null,
    (error: { reason?: string; message: string }) => error,
  )
/** What the account of an environment learned of its host when another account took it. */
const losses = async (appEnvId: string) => {
  const events = await world.database.event.findMany({ where: { type: 'host.changed', appEnvId } })
  return events.map(({ payload }) => payload as Record<string, unknown>).filter(({ what }) => what === 'lost')
}
const hostOf = (host: string) => world.database.host.findUniqueOrThrow({ where: { host } })

test('an unproved claim gives way at once to one that DNS proves, by what the refusal names', async () => {
  const [squatter, owner] = [await environment(), await environment()]
  for (const kind of ['CNAME', 'TXT']) {
    const host = `${kind.toLowerCase()}.example.com`
    await claim(squatter, host)
    const refused = await refusal(owner, host)
    expect(refused?.reason).toBe('HOST_TAKEN')
    const [, cname, txtName, txtValue] =
      /CNAME to (\S+), or TXT at (\S+) with (\S+),/.exec(refused?.message ?? '') ?? []
    if (kind === 'CNAME') records.set(`CNAME ${host}`, cname ?? '')
    else records.set(`TXT ${txtName}`, txtValue ?? '')
    expect(await claim(owner, host)).toMatchObject({ host })
    expect((await hostOf(host)).appEnvId).toBe(owner)
    expect(await losses(squatter)).toContainEqual(
      expect.objectContaining({ host, status: 'INVALID', reason: expect.stringContaining('has proved by DNS') }),
    )
    expect(await losses(owner)).toEqual([])
    // The claim before was not proved, and does not come back.
    expect((await refusal(squatter, host))?.reason).toBe('HOST_TAKEN')
  }
})

test('the records of one account prove nothing for another', async () => {
  const [squatter, other, owner] = [await environment(), await environment(), await environment()]
  const host = 'third.example.com'
  await claim(squatter, host)
  const [, txtName, txtValue] = /TXT at (\S+) with (\S+),/.exec((await refusal(owner, host))?.message ?? '') ?? []
  records.set(`TXT ${txtName}`, txtValue ?? '')
  expect((await refusal(other, host))?.reason).toBe('HOST_TAKEN')
  expect(await claim(owner, host)).toMatchObject({ host })
})

test('a host that was proved gives way to nothing', async () => {
  const [first, second] = [await environment(), await environment()]
  const host = 'proved.example.com'
  await claim(first, host)
  await world.database.host.update({ where: { host }, data: { status: 'INVALID', wasValid: true } })
  const [, cname] = /CNAME to (\S+),/.exec((await refusal(second, host))?.message ?? '') ?? []
  records.set(`CNAME ${host}`, cname ?? '')
  expect((await refusal(second, host))?.reason).toBe('HOST_TAKEN')
})

test('a claim lasts while no other account wants the name, and an hour if one does', async () => {
  const [first, second] = [await environment(), await environment()]
  const host = 'waiting.example.com'
  await claim(first, host)
  const age = (minutes: number) =>
    world.database.$executeRaw`
      UPDATE host SET created_at = now() - make_interval(mins => ${minutes}::int) WHERE host = ${host}`
  await age(59)
  expect((await refusal(second, host))?.reason).toBe('HOST_TAKEN')
  await age(61)
  expect(await claim(second, host)).toMatchObject({ host })
  expect(await losses(first)).toEqual([
    expect.objectContaining({ host, reason: expect.stringContaining('not proved by DNS in time') }),
  ])
  const { accountId } = await world.database.appEnv.findUniqueOrThrow({ where: { id: first } })
  const [last] = await world.database.event.findMany({
    where: { type: 'host.changed', eventSequenceId: accountId },
    orderBy: { sequence: 'desc' },
    take: 1,
  })
  expect(last?.payload).toMatchObject({ what: 'lost' })
  await world.perform(removeHost, { appEnvId: second, host })
  expect(await claim(first, host)).toMatchObject({ host })
})
