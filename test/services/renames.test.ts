import { afterAll, beforeAll, expect, test } from 'vitest'
import { renameAccount } from '../../src/services/account/account-commands.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.close())

test('a renamed app keeps its slug, its hosts and its CLI names, and nothing becomes pending', async () => {
  const { appId, appEnvId } = await world.appEnv({ app: { name: 'Shop' } })
  await world.deploy(appEnvId)
  const hosts = () => world.database.host.findMany({ where: { appEnvId } })
  const before = { hosts: await hosts(), appEnv: await world.database.appEnv.findUnique({ where: { id: appEnvId } }) }
  const renamed = await world.perform(updateApp, { appId, name: 'Boutique', applyImmediately: true })
  expect(renamed).toMatchObject({ name: 'Boutique', environmentsAffected: 0, operationIds: [] })
  expect(await world.database.app.findUnique({ where: { id: appId } })).toMatchObject({
    slug: 'shop',
    name: 'Boutique',
  })
  expect(await hosts()).toEqual(before.hosts)
  expect(await world.database.appEnv.findUnique({ where: { id: appEnvId } })).toEqual(before.appEnv)
  const [entry] = (await world.auditOf(appId)).slice(-1)
  expect(entry?.details).toMatchObject({ changed: ['name'] })
})

test('an admin of an account renames it; its slug stays', async () => {
  const accountId = await world.account('Bakery')
  const admin = await world.user({ accountId, roles: ['ADMIN'] })
  const call = { accountId, name: 'Patisserie' }
  expect(await world.perform(renameAccount, call, { as: admin.token })).toMatchObject({ ...call, slug: 'bakery' })
  const account = await world.database.account.findUniqueOrThrow({ where: { id: accountId } })
  expect(account).toMatchObject({ name: 'Patisserie', slug: 'bakery', version: 2 })
  // The same name again is no change.
  await world.perform(renameAccount, call, { as: admin.token })
  const events = await world.database.event.findMany({ where: { eventSequenceId: accountId, type: 'account.updated' } })
  expect(events.map(({ payload }) => payload)).toEqual([call])
  const technical = await world.user({ accountId, roles: ['TECHNICAL'] })
  await expect(world.perform(renameAccount, call, { as: technical.token })).rejects.toMatchObject({ code: 'FORBIDDEN' })
})
