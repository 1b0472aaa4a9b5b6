import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let call: ReturnType<typeof serveRest>['call']

beforeAll(async () => {
  world = await createWorld()
  call = serveRest(world).call
})

afterAll(() => world.close())

describe('an account', () => {
  test('is created, read, made current and deleted', async () => {
    const { accountId } = (await call('POST', '/account', { body: { name: 'Acme Inc' } })).body
    const record = {
      accountId,
      name: 'Acme Inc',
      slug: 'acme-inc',
      isVerified: true,
      allowAutoScaling: true,
      allowFunctions: true,
      isCurrent: false,
      plan: 'standard',
      entitlements: [],
    }
    expect((await call('GET', '/account', { query: { accountId } })).body).toEqual(record)
    expect((await call('GET', '/accounts')).body.accounts).toContainEqual(record)
    expect((await call('PUT', '/account/current', { body: { accountId } })).body.accountId).toBe(accountId)
    expect((await call('GET', '/account')).body).toMatchObject({ accountId, isCurrent: true })
    await call('PUT', '/account/current', { body: { accountId: world.accountId } })
    expect((await call('DELETE', '/account', { query: { accountId } })).body).toEqual({ message: expect.any(String) })
  })

  test('has members, and always one ADMIN', async () => {
    const accountId = await world.account()
    const email = 'Ann@Example.com'
    const added = await call('POST', '/account/member', { body: { accountId, email, roles: ['TECHNICAL'] } })
    expect(added.body).toEqual({
      userId: expect.stringMatching(/^usr_/),
      email: 'ann@example.com',
      roles: ['TECHNICAL'],
      appEnvIds: null,
    })
    const { userId } = added.body
    const changed = await call('PATCH', '/account/member', { body: { accountId, userId, roles: ['BILLING', 'AUDIT'] } })
    expect(changed.body.roles).toEqual(['BILLING', 'AUDIT'])
    expect((await call('GET', '/account/member', { query: { accountId, userId } })).body.email).toBe('ann@example.com')
    expect((await call('GET', '/account/members', { query: { accountId } })).body.members).toHaveLength(2)
    const first = await call('GET', '/account/members', { query: { accountId, limit: '1' } })
    expect(first.body.members).toEqual([changed.body])
    const rest = await call('GET', '/account/members', { query: { accountId, cursor: first.body.nextCursor } })
    expect(rest.body.members).toHaveLength(1)
    expect(rest.body).not.toHaveProperty('nextCursor')
    expect((await call('DELETE', '/account/member', { query: { accountId, userId } })).status).toBe(200)
    const { userId: admin } = (await call('GET', '/user/token')).body
    const last = await call('DELETE', '/account/member', { query: { accountId, userId: admin } })
    expect(last.body).toMatchObject({ status: 409, reason: 'LAST_ADMIN' })
  })

  test('has an audit log that can be read page by page and checked', async () => {
    const accountId = await world.account()
    const appId = await world.app({ accountId })
    await call('PATCH', '/app', { body: { appId, port: 81 } })
    const first = await call('GET', '/account/audit', { query: { accountId, limit: '1' } })
    expect(first.body.entries).toMatchObject([
      { sequence: 2, action: 'updateApp', targetId: appId, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
    const rest = await call('GET', '/account/audit', { query: { accountId, cursor: first.body.nextCursor } })
    expect(rest.body.entries).toMatchObject([{ sequence: 1, action: 'createApp' }])
    expect(rest.body).not.toHaveProperty('nextCursor')
    const none = await call('GET', '/account/audit', { query: { accountId, from: '2999-01-01T00:00:00Z' } })
    expect(none.body.entries).toEqual([])
    const { token } = await world.user({ accountId, roles: ['TECHNICAL'] })
    expect((await call('GET', '/account/audit', { token, query: { accountId } })).body).toMatchObject({
      status: 403,
      reason: 'ROLE_MISSING',
    })
    expect((await call('GET', '/account/audit', { query: { accountId, cursor: 'x' } })).status).toBe(400)
  })
})

test('regions list what they support', async () => {
  const { body } = await call('GET', '/regions')
  expect(body.regions).toEqual([
    {
      region: 'local',
      name: 'This machine',
      functionsSupported: true,
      sandboxAddonReady: false,
      publicGatewayReady: false,
      domain: world.config.BERTH_DOMAIN,
      engineReachable: null,
    },
  ])
})

describe('a token', () => {
  test('shows its secret once, works, and stops when it is revoked', async () => {
    const created = await call('POST', '/token', { body: { kind: 'USER', name: 'laptop' } })
    const { tokenId, token } = created.body
    expect(token).toMatch(/^berth_u_[0-9a-f]{48}$/)
    expect((await call('GET', '/apps', { token })).status).toBe(200)
    expect((await call('GET', '/apps', { token: `Bearer ${token}` })).status).toBe(200)
    const read = await call('GET', '/token', { query: { tokenId } })
    expect([read.text.includes(token), read.body.name]).toEqual([false, 'laptop'])
    expect((await call('GET', '/tokens')).text).not.toContain(token)
    expect((await call('DELETE', '/token', { query: { tokenId } })).status).toBe(200)
    expect((await call('GET', '/apps', { token })).body).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
  })

  test('returns its owner to a client, without its secret', async () => {
    const { userId, email, token } = await world.user()
    const { body } = await call('GET', '/user/token', { token })
    expect(body).toMatchObject({ token: null, userId, email, username: email.split('@')[0], kind: 'USER' })
  })

  test('with scopes does only what they allow', async () => {
    const { token } = await world.token({ kind: 'SCOPED', scopes: ['svc:read'] })
    expect((await call('GET', '/apps', { token })).status).toBe(200)
    const body = { name: 'Scoped', accountId: world.accountId, port: 80 }
    expect((await call('POST', '/app', { token, body })).body).toMatchObject({ status: 403, reason: 'SCOPE_MISSING' })
  })

  test('is refused once it has expired', async () => {
    const { tokenId, token } = await world.token({ expiresAt: '2999-01-01T00:00:00Z' })
    await world.database.token.update({ where: { id: tokenId }, data: { expiresAt: new Date(Date.now() - 1000) } })
    expect((await call('GET', '/apps', { token })).status).toBe(401)
  })
})
