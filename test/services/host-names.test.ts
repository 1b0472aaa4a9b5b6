import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { addHost } from '../../src/services/host/host-commands.ts'
import { openInstallation } from '../../src/services/installation.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function hostOf(account: string, app: string, name = 'prod') {
  const accountId = await accountOf(account)
  const existing = await world.database.app.findFirst({ where: { accountId, name: app, deletedAt: null } })
  const appId = existing?.id ?? (await world.app({ accountId, name: app }))
  const { appEnvId } = await world.appEnv({ accountId, appId, name })
  const host = await world.database.host.findFirstOrThrow({ where: { appEnvId } })
  return { appEnvId, host: host.host }
}

async function accountOf(name: string): Promise<string> {
  return (await world.database.account.findFirst({ where: { name } }))?.id ?? (await world.account(name))
}

const remove = async (appEnvId: string) => {
  const { operationId } = await world.perform(deleteAppEnv, { appEnvId })
  await world.endOperation(operationId)
}

test('an account cannot have names that read as those of another', async () => {
  const first = await hostOf('a', 'b-c')
  const second = await hostOf('a-b', 'c')
  expect([first.host, second.host]).toEqual(['a-b-c-prod.berth.localhost', 'ab-c-prod.berth.localhost'])
})

test('a host that was given up goes to its own account only, until the cool-down is over', async () => {
  const accountId = await accountOf('x')
  const first = await hostOf('x', 'y-z')
  await remove(first.appEnvId)
  // As accounts could be named before: both may say x-y-z-prod.
  const other = await accountOf('other')
  await world.database.account.update({ where: { id: other }, data: { slug: 'x-y' } })
  const second = await hostOf('other', 'z')
  expect(second.host).toBe('x-y-z-prod-2.berth.localhost')

  const again = await hostOf('x', 'y-z')
  expect(again.host).toBe(first.host)
  await remove(again.appEnvId)
  const released = { where: { accountId }, data: { releasedAt: new Date(Date.now() - 721 * 3_600_000) } }
  await world.database.releasedHost.updateMany(released)
  await remove(second.appEnvId)
  expect((await hostOf('other', 'z')).host).toBe(first.host)
})

test('a custom host that is below the domain from before it was the domain keeps its name', async () => {
  const { appEnvId } = await hostOf('keeper', 'k')
  const host = 'taker-t-prod.berth.localhost'
  await world.database.host.create({ data: { id: 'host_custom', appEnvId, host } })
  expect((await hostOf('taker', 't')).host).toBe('taker-t-prod-2.berth.localhost')
})

test('the database refuses another spelling of a host', async () => {
  const { appEnvId, host } = await hostOf('speller', 's')
  for (const spelling of [host.toUpperCase(), `${host}.`, `.${host}`])
    await expect(world.database.host.create({ data: { id: 'host_odd', appEnvId, host: spelling } })).rejects.toThrow(
      /host_is_canonical/,
    )
})

describe('with further base domains', () => {
  const settings = { BERTH_EXTRA_DOMAINS: '127.0.0.1.sslip.io,apps.example.net' }
  const names = (name: string) =>
    ['berth.localhost', '127.0.0.1.sslip.io', 'apps.example.net'].map((domain) => `${name}.${domain}`)
  let extended: World
  const hostsOf = async (appEnvId: string) =>
    (await extended.database.host.findMany({ where: { appEnvId }, orderBy: { id: 'asc' } })).map(({ host }) => host)

  beforeAll(async () => {
    extended = await createWorld({ settings })
  })
  afterAll(() => extended.close())

  test('an environment has a name below each, the usual one first', async () => {
    const appId = await extended.app({ name: 'shop' })
    const { appEnvId } = await extended.appEnv({ appId, name: 'prod' })
    expect(await hostsOf(appEnvId)).toEqual(names('default-shop-prod'))
  })

  test('a name that is taken or cooling down below one of them is taken below all', async () => {
    const appId = await extended.app({ name: 'blog' })
    const { appEnvId: other } = await extended.appEnv({ appId, name: 'other' })
    const host = 'default-blog-prod.apps.example.net'
    await extended.database.host.create({ data: { id: 'host_earlier', appEnvId: other, host } })
    const { appEnvId } = await extended.appEnv({ appId, name: 'prod' })
    expect(await hostsOf(appEnvId)).toEqual(names('default-blog-prod-2'))
    const released = { host: 'default-blog-test.127.0.0.1.sslip.io', accountId: 'acc_gone' }
    await extended.database.releasedHost.create({ data: released })
    const { appEnvId: test } = await extended.appEnv({ appId, name: 'test' })
    expect(await hostsOf(test)).toEqual(names('default-blog-test-2'))
  })

  test('nobody can claim a name below them, and deleting an environment reserves them all', async () => {
    const appId = await extended.app({ name: 'mine' })
    const { appEnvId } = await extended.appEnv({ appId, name: 'prod' })
    const claim = extended.perform(addHost, { appEnvId, host: 'anything.127.0.0.1.sslip.io' })
    await expect(claim).rejects.toThrow('host: is a name that Berth gives to environments by itself')
    const { operationId } = await extended.perform(deleteAppEnv, { appEnvId })
    await extended.endOperation(operationId)
    const released = await extended.database.releasedHost.findMany({
      where: { host: { in: names('default-mine-prod') } },
    })
    expect(released).toHaveLength(3)
  })

  test('environments from before the setting get theirs at the next start, unless the name is another’s', async () => {
    const { appEnvId: kept } = await hostOf('former', 'k')
    const { appEnvId: barred } = await hostOf('former', 'b')
    await world.database.host.create({
      data: { id: 'host_claimed', appEnvId: kept, host: 'former-b-prod.apps.example.net' },
    })
    const released = { host: 'former-b-prod.127.0.0.1.sslip.io', accountId: 'acc_gone' }
    await world.database.releasedHost.create({ data: released })
    const start = () => openInstallation(world.database, world.vault, readConfig(settings), world.adminToken)
    await start()
    await start()
    const found = (appEnvId: string) =>
      world.database.host.findMany({ where: { appEnvId, isAutoGenerated: true }, orderBy: { id: 'asc' } })
    expect((await found(kept)).map(({ host }) => host)).toEqual(names('former-k-prod'))
    expect((await found(barred)).map(({ host }) => host)).toEqual(['former-b-prod.berth.localhost'])
  })
})
