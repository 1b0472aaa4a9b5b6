import { afterAll, beforeAll, expect, test } from 'vitest'
import { readGraphQL, readRest } from '../parity/read-apis.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let ada: { userId: string; token: string }

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  ada = await world.user({ accountId: await world.account() })
  const first = await world.user({ accountId: await world.account() })
  await world.database.membership.updateMany({ where: { userId: first.userId }, data: { userId: ada.userId } })
  await world.database.user.update({
    where: { id: ada.userId },
    data: { username: 'Ada 100%', email: 'ada@example.com' },
  })
})

afterAll(async () => {
  await served?.close()
  await world?.close()
})

const list = async (query: Record<string, string> = {}, token = world.adminToken) =>
  readRest(served, token, 'listUsers', query)

test('the admin sees every user, with the accounts and the last use', async () => {
  // The token of ada is used, and is no sign-in.
  await readRest(served, ada.token, 'listAccounts')
  const { body } = await list({ search: 'ADA@' })
  expect(body.users).toEqual([
    {
      userId: ada.userId,
      username: 'Ada 100%',
      email: 'ada@example.com',
      isInstallationAdmin: false,
      accountCount: 2,
      createdAt: expect.any(String),
      lastSignInAt: null,
      lastUsedAt: expect.any(String),
    },
  ])
  expect((await list({ search: '100%' })).body.users).toHaveLength(1)
  expect((await list({ search: '1%0' })).body.users).toHaveLength(0)
  expect((await list({ isInstallationAdmin: 'true' })).body.users).toHaveLength(1)
  expect((await list({ count: 'true', limit: '1' })).body).toMatchObject({
    totalCount: 3,
    nextCursor: expect.any(String),
  })
})

test('a session is a sign-in', async () => {
  const from = { requestId: 'req_1', address: '192.0.2.1', userAgent: 'test', replaced: null }
  await world.services.sessions.beginByToken(await world.services.authenticate(ada.token), from)
  const { body } = await readGraphQL(
    served,
    world.adminToken,
    'users(search: "ada@") { nodes { id lastSignInAt } totalCount }',
  )
  expect(body).toEqual({ nodes: [{ id: ada.userId, lastSignInAt: expect.any(String) }], totalCount: 1 })
})

test('no other user sees them, not even the admin of an account', async () => {
  const { code, body } = await list({}, ada.token)
  expect([code, body.reason]).toEqual(['FORBIDDEN', 'INSTALLATION_ADMIN_REQUIRED'])
})
