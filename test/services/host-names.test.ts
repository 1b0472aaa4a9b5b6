import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
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
