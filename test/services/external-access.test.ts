import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../../src/services/app/create-app.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { connectionUrlsOf, withAddress } from '../../src/storage/references/connection-urls.ts'
import { createWorld, type World } from '../support/world.ts'

const OFFICE = { enabled: true, allowedCidrs: ['203.0.113.0/24'] }
const HOUR_MS = 3_600_000

let world: World
beforeAll(async () => {
  world = await createWorld({
    settings: { BERTH_TCP_PORTS: '20000-20002', BERTH_DOMAIN: 'example.com', BERTH_ACCOUNT_TCP_PORTS: '3' },
  })
})
afterAll(() => world.close())

let apps = 0

async function serviceApp(accountId = world.accountId, inWorld = world): Promise<string> {
  apps += 1
  const app = { accountId, name: `cache ${apps}`, appType: 'db', dockerPreset: 'REDIS' }
  return (await inWorld.perform(createApp, app)).appId
}

async function serviceOf(accountId = world.accountId, externalAccess?: object): Promise<string> {
  const appId = await serviceApp(accountId)
  const { appEnvId } = await world.appEnv({ accountId, appId, ...(externalAccess ? { externalAccess } : {}) })
  return appEnvId
}

const change = (appEnvId: string, externalAccess: unknown) => world.perform(updateAppEnv, { appEnvId, externalAccess })
const rowOf = (appEnvId: string) => world.database.externalAccess.findUnique({ where: { appEnvId } })
const portOf = async (appEnvId: string) => (await rowOf(appEnvId))?.port ?? null

async function shown(appEnvId: string) {
  const caller = await world.services.authenticate(world.adminToken)
  const { record } = await world.services.appEnvs.record(caller, { appEnvId }, { decrypt: false, requestId: 'req_1' })
  return record.externalAccess
}

async function remove(appEnvId: string) {
  const { operationId } = await world.perform(deleteAppEnv, { appEnvId })
  await world.endOperation(operationId)
}

/** Gives every port back, and ends their reservations. */
async function forgetPorts() {
  await world.database.externalAccess.deleteMany()
  await world.database.releasedPort.deleteMany()
}

async function externalUrlOf(appEnvId: string) {
  const appEnv = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId }, select: withAddress })
  return connectionUrlsOf(world, appEnv).externalUrl
}

test('external access is off until asked for', async () => {
  const appEnvId = await serviceOf()
  expect(await shown(appEnvId)).toBeNull()
  expect(await externalUrlOf(appEnvId)).toBeNull()
  expect(await rowOf(appEnvId)).toBeNull()
})

test('an environment keeps its port until external access is turned off, and gets it again', async () => {
  await forgetPorts()
  const appEnvId = await serviceOf()
  const { cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  await change(appEnvId, OFFICE)
  const { port, ...rest } = (await shown(appEnvId)) ?? {}
  expect(port).toBe(20_000)
  expect(rest).toEqual({ ...OFFICE, host: `${cliEnvName}.example.com`, maxConnections: 100 })
  expect(await externalUrlOf(appEnvId)).toMatch(new RegExp(`^redis://.+@${cliEnvName}\\.example\\.com:20000`))

  await change(appEnvId, { enabled: true, maxConnections: 7 })
  expect(await shown(appEnvId)).toMatchObject({ port, allowedCidrs: OFFICE.allowedCidrs, maxConnections: 7 })
  await change(appEnvId, { enabled: false })
  expect(await shown(appEnvId)).toMatchObject({ enabled: false, host: null, port: null, maxConnections: 7 })
  expect(await externalUrlOf(appEnvId)).toBeNull()

  const other = await serviceOf(await world.account(), OFFICE)
  expect(await portOf(other)).toBe(20_001)
  await change(appEnvId, { enabled: true })
  expect(await portOf(appEnvId)).toBe(port)
  await change(appEnvId, null)
  expect(await shown(appEnvId)).toBeNull()
})

test('a port that is given up goes to its own account only, until the cool-down is over', async () => {
  await forgetPorts()
  const [mine, theirs] = [await world.account(), await world.account()]
  const all = await Promise.all([serviceOf(mine, OFFICE), serviceOf(mine, OFFICE), serviceOf(mine, OFFICE)])
  expect((await Promise.all(all.map(portOf))).sort()).toEqual([20_000, 20_001, 20_002])
  for (const appEnvId of all) await remove(appEnvId)
  const waiting = await serviceOf(theirs)
  const used = { code: 'CONFLICT', reason: 'EXTERNAL_PORTS_USED_UP', message: expect.stringContaining('All 3 ports') }
  await expect(change(waiting, OFFICE)).rejects.toMatchObject(used)
  expect(await rowOf(waiting)).toBeNull()
  expect(await portOf(await serviceOf(mine, OFFICE))).not.toBeNull()

  await world.database.releasedPort.updateMany({ data: { releasedAt: new Date(Date.now() - 721 * HOUR_MS) } })
  await change(waiting, OFFICE)
  expect(await portOf(waiting)).not.toBeNull()
})

test('cycles of create and delete use one port over and over', async () => {
  await forgetPorts()
  const accountId = await world.account()
  const ports = new Set<number | null>()
  const appId = await serviceApp(accountId)
  for (let cycle = 0; cycle < 12; cycle += 1) {
    const { appEnvId } = await world.appEnv({ accountId, appId, externalAccess: OFFICE })
    ports.add(await portOf(appEnvId))
    await remove(appEnvId)
    expect(await rowOf(appEnvId)).toBeNull()
  }
  expect([...ports]).toEqual([20_000])
  expect(await world.database.externalAccess.count()).toBe(0)
  expect(await world.database.releasedPort.count()).toBe(1)
})

test('environments that ask at the same moment never share a port', async () => {
  await forgetPorts()
  const asking = await Promise.all(Array.from({ length: 5 }, async () => serviceOf(await world.account())))
  const answers = await Promise.allSettled(asking.map((appEnvId) => change(appEnvId, OFFICE)))
  expect(answers.filter(({ status }) => status === 'fulfilled').length).toBe(3)
  const held = await world.database.externalAccess.findMany({ where: { port: { not: null } } })
  expect(new Set(held.map(({ port }) => port)).size).toBe(3)
})

test('an account has as many ports as the installation allows it', async () => {
  await forgetPorts()
  const limited = await createWorld({ settings: { BERTH_ACCOUNT_TCP_PORTS: '1' } })
  try {
    const appId = await serviceApp(limited.accountId, limited)
    const { appEnvId: first } = await limited.appEnv({ appId, externalAccess: OFFICE })
    const { appEnvId: second } = await limited.appEnv({ appId, name: 'second' })
    const refused = { reason: 'ACCOUNT_LIMIT', message: expect.stringContaining('BERTH_ACCOUNT_TCP_PORTS') }
    await expect(limited.perform(updateAppEnv, { appEnvId: second, externalAccess: OFFICE })).rejects.toMatchObject(
      refused,
    )
    await limited.perform(updateAppEnv, { appEnvId: first, externalAccess: { ...OFFICE, maxConnections: 1000 } })
  } finally {
    await limited.close()
  }
})

test('a port outside of a changed range is shown as none, and replaced when asked for again', async () => {
  await forgetPorts()
  const appEnvId = await serviceOf(world.accountId, OFFICE)
  await world.database.externalAccess.update({ where: { appEnvId }, data: { port: 30_000 } })
  expect(await shown(appEnvId)).toMatchObject({ enabled: true, host: null, port: null })
  await change(appEnvId, { enabled: true })
  expect(await portOf(appEnvId)).toBe(20_000)
})

test.each([
  [{ enabled: true }, 'externalAccess.allowedCidrs', /must list the addresses that may connect/],
  [{ enabled: true, allowedCidrs: [] }, 'externalAccess.allowedCidrs', /0\.0\.0\.0\/0/],
  [{ enabled: true, allowedCidrs: ['10.0.0.0/33'] }, 'externalAccess.allowedCidrs.0', /CIDR range/],
  [{ enabled: true, allowedCidrs: ['10.0.0.1/8'] }, 'externalAccess.allowedCidrs.0', /bits after the prefix/],
  [{ enabled: true, allowedCidrs: ['::ffff:10.0.0.1'] }, 'externalAccess.allowedCidrs.0', /IPv4/],
  [{ enabled: true, allowedCidrs: ['localhost'] }, 'externalAccess.allowedCidrs.0', /IPv4/],
  [{ enabled: true, allowedCidrs: Array(101).fill('10.0.0.1') }, 'externalAccess.allowedCidrs', /100/],
  [{ ...OFFICE, maxConnections: 0 }, 'externalAccess.maxConnections', /1/],
  [{ ...OFFICE, maxConnections: 1001 }, 'externalAccess.maxConnections', /at most 1000/],
  [{ ...OFFICE, port: 20_001 }, 'externalAccess.port', /is not a field/],
])('what cannot be meant is refused: case %#', async (externalAccess, field, message) => {
  await forgetPorts()
  const appEnvId = await serviceOf()
  await expect(change(appEnvId, externalAccess)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    details: { fields: [{ field: expect.stringContaining(field), message: expect.stringMatching(message) }] },
  })
  expect(await rowOf(appEnvId)).toBeNull()
})

test('apps that are reached by host name have none', async () => {
  const { appEnvId } = await world.appEnv()
  await expect(change(appEnvId, OFFICE)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    details: { fields: [{ field: 'externalAccess', message: expect.stringContaining('is not used by') }] },
  })
})

test('without ports, asking for it is refused with the setting that has none', async () => {
  const closed = await createWorld({ settings: { BERTH_TCP_PORTS: 'off' } })
  try {
    const appId = await serviceApp(closed.accountId, closed)
    await expect(closed.appEnv({ appId, externalAccess: OFFICE })).rejects.toMatchObject({
      code: 'CONFLICT',
      reason: 'EXTERNAL_ACCESS_OFF',
      message: expect.stringContaining('BERTH_TCP_PORTS'),
    })
  } finally {
    await closed.close()
  }
})

test('the audit log and the events say who may connect', async () => {
  await forgetPorts()
  const appEnvId = await serviceOf()
  await change(appEnvId, { enabled: true, allowedCidrs: ['2001:DB8::/32', '2001:db8:0::/32', '0.0.0.0/0'] })
  const allowedCidrs = ['2001:db8::/32', '0.0.0.0/0']
  expect((await shown(appEnvId))?.allowedCidrs).toEqual(allowedCidrs)
  const entry = (await world.auditOf(appEnvId)).at(-1)
  expect(entry?.details).toMatchObject({ externalAccess: { enabled: true, allowedCidrs }, changed: ['externalAccess'] })
  const event = await world.database.event.findFirstOrThrow({ where: { appEnvId, type: 'appEnv.updated' } })
  expect(event.payload).toEqual({ changed: ['externalAccess'] })
})
