import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorityOf } from '../../src/calls/giver.ts'
import { appEnvTokenAuthority, excessOf, membershipAuthority, userTokenAuthority } from '../../src/domain/delegation.ts'
import { DomainError } from '../../src/domain/errors.ts'
import type { RoleName, Scope } from '../../src/domain/permissions.ts'
import { addMember, removeMember, updateMember } from '../../src/services/account/member-commands.ts'
import { createToken, revokeToken } from '../../src/services/token/token-commands.ts'
import { requestStorageKey } from '../../src/services/upload/request-storage-key.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let appEnvId: string

beforeAll(async () => {
  world = await createWorld()
  appEnvId = (await world.appEnv({ app: { name: 'Shop' } })).appEnvId
})

afterAll(() => world?.close())

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

/** The code and reason of a refusal, or `accepted`. */
const outcome = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error) => (error instanceof DomainError ? [error.code, error.reason].filter(Boolean).join(' ') : String(error)),
  )

const works = (token: string) => outcome(world.services.authenticate(token))

describe('a token that makes a token', () => {
  test('passes on its own end when none is named, and refuses a later one by name', async () => {
    const expiresAt = inHours(1)
    const short = await world.token({ expiresAt })
    const child = await world.perform(createToken, { kind: 'USER', name: 'child' }, { as: short.token })
    expect(child.expiresAt).toBe(expiresAt)
    const later = { kind: 'USER', name: 'late', expiresAt: inHours(2) }
    const refused = await world.perform(createToken, later, { as: short.token }).catch((error) => error)
    expect(refused).toMatchObject({ code: 'FORBIDDEN', reason: 'LIFETIME_BEYOND_OWN' })
    const message = `must be at most ${expiresAt}, when your own token ends`
    expect(refused.details.fields).toEqual([{ field: 'expiresAt', message }])
  })

  test('of one environment needs the scope to operate it', async () => {
    const input = { kind: 'ENVIRONMENT', name: 'CI', appEnvId }
    const admin = await world.token({ kind: 'SCOPED', scopes: ['svc:admin'] })
    expect(await outcome(world.perform(createToken, input, { as: admin.token }))).toBe('FORBIDDEN SCOPE_BEYOND_OWN')
    const both = await world.token({ kind: 'SCOPED', scopes: ['svc:admin', 'svc:write:deploy'] })
    expect(await outcome(world.perform(createToken, input, { as: both.token }))).toBe('accepted')
  })

  test('takes all that it made with it when it is revoked, and nothing else', async () => {
    const parent = await world.token()
    const child = await world.token({ as: parent.token })
    const grandchild = await world.token({ kind: 'SCOPED', scopes: ['svc:read'], as: child.token })
    const ofAppEnv = await world.token({ kind: 'ENVIRONMENT', appEnvId, as: child.token })
    const sibling = await world.token()
    const { message } = await world.perform(revokeToken, { tokenId: parent.tokenId })
    expect(message).toMatch(/is revoked, and so are 3 token\(s\) that were made with it$/)
    for (const { token } of [parent, child, grandchild, ofAppEnv]) expect(await works(token)).toBe('UNAUTHENTICATED')
    expect(await works(sibling.token)).toBe('accepted')
  })

  test('leaves nothing behind that it makes while it is revoked', async () => {
    const parent = await world.token()
    const child = await world.token({ as: parent.token })
    const makes = Array.from({ length: 20 }, (_, at) =>
      world.perform(createToken, { kind: 'USER', name: `t ${at}` }, { as: child.token }).catch(() => null),
    )
    await world.perform(revokeToken, { tokenId: parent.tokenId })
    for (const made of await Promise.all(makes)) if (made) expect(await works(made.token)).toBe('UNAUTHENTICATED')
  })

  test('ends its upload URL with itself', async () => {
    const uploads = await world.appEnv({
      app: { name: 'Uploads', useImage: false, image: undefined, isCliDeployment: true },
    })
    const short = await world.token({ expiresAt: inHours(0.1) })
    const { storageKey, uploadUrl } = await world.perform(
      requestStorageKey,
      { appEnvId: uploads.appEnvId, fileExtension: '.zip' },
      { as: short.token },
    )
    const { expiresAt } = await world.database.upload.findUniqueOrThrow({ where: { id: storageKey } })
    expect(expiresAt.getTime()).toBeLessThan(Date.now() + 0.2 * 3_600_000)
    await world.perform(revokeToken, { tokenId: short.tokenId })
    const secret = new URL(uploadUrl).searchParams.get('secret') ?? ''
    const upload = world.services.uploads.receive({ storageKey, secret }, (async function* () {})())
    expect(await outcome(upload)).toBe('CONFLICT UPLOAD_EXPIRED')
  })
})

describe('a token that revokes', () => {
  test('cannot end one that may do more than itself', async () => {
    const user = await world.user({ roles: ['ADMIN'] })
    const reader = await world.token({ kind: 'SCOPED', scopes: ['svc:read'], expiresAt: inHours(1), as: user.token })
    const revoke = (tokenId: string) => outcome(world.perform(revokeToken, { tokenId }, { as: reader.token }))
    expect(await revoke(user.tokenId)).toBe('FORBIDDEN SCOPE_BEYOND_OWN')
    expect(await works(user.token)).toBe('accepted')
    expect(await revoke(reader.tokenId)).toBe('accepted')
  })

  test('ends one with the same rights, even when that one lasts longer', async () => {
    const user = await world.user()
    const short = await world.token({ expiresAt: inHours(1), as: user.token })
    expect(await outcome(world.perform(revokeToken, { tokenId: user.tokenId }, { as: short.token }))).toBe('accepted')
  })
})

describe('a member that manages members', () => {
  const update = (userId: string, change: object, as?: string) =>
    outcome(
      world.perform(updateMember, { accountId: world.accountId, userId, ...change }, as === undefined ? {} : { as }),
    )

  test('restricts no ADMIN, and the last whole ADMIN is restricted by nobody', async () => {
    const admin = (await world.database.user.findFirstOrThrow({ where: { isInstallationAdmin: true } })).id
    const manager = await world.user({ roles: ['MANAGE_MEMBERS'] })
    expect(await update(admin, { appEnvIds: [] }, manager.token)).toBe('FORBIDDEN ROLE_BEYOND_OWN')
    const accountId = await world.account('Other')
    const restricted = (userId: string, appEnvIds: string[]) =>
      outcome(world.perform(updateMember, { accountId, userId, appEnvIds }))
    expect(await restricted(admin, [])).toBe('CONFLICT LAST_ADMIN')
    const { userId } = await world.user({ roles: ['ADMIN'], accountId })
    // Both at a time would leave nobody whole.
    const both = await Promise.all([restricted(admin, []), restricted(userId, [])])
    expect(both.sort()).toEqual(['CONFLICT LAST_ADMIN', 'accepted'])
  })

  test('widens no member beyond itself', async () => {
    const manager = await world.user({ roles: ['MANAGE_MEMBERS'] })
    const { userId } = await world.user({ roles: ['TECHNICAL'], appEnvIds: [appEnvId] })
    expect(await update(userId, { appEnvIds: null }, manager.token)).toBe('FORBIDDEN ROLE_BEYOND_OWN')
    const peer = await world.user({ roles: ['TECHNICAL', 'MANAGE_MEMBERS'] })
    expect(await update(userId, { appEnvIds: null }, peer.token)).toBe('accepted')
  })

  test('needs the scopes of what the roles allow, and a token without an end', async () => {
    const add = (roles: RoleName[], as: string) =>
      outcome(
        world.perform(addMember, { accountId: world.accountId, email: `${Math.random()}@example.com`, roles }, { as }),
      )
    const scoped = await world.token({ kind: 'SCOPED', scopes: ['svc:admin'] })
    expect(await add(['ADMIN'], scoped.token)).toBe('FORBIDDEN SCOPE_BEYOND_OWN')
    expect(await add(['AUDIT'], scoped.token)).toBe('accepted')
    const short = await world.token({ expiresAt: inHours(1) })
    expect(await add(['AUDIT'], short.token)).toBe('FORBIDDEN LIFETIME_BEYOND_OWN')
    const { userId } = await world.user({ roles: ['ADMIN'] })
    expect(await update(userId, { roles: ['AUDIT'] }, short.token)).toBe('accepted')
  })

  test('who loses that role in the meantime grants nothing any more', async () => {
    const manager = await world.user({ roles: ['MANAGE_MEMBERS', 'AUDIT'] })
    const caller = await world.services.authenticate(manager.token)
    await update(manager.userId, { roles: ['AUDIT'] })
    const input = { accountId: world.accountId, email: 'late@example.com', roles: ['AUDIT'] }
    const call = world.services.perform(caller, addMember, input, { requestId: 'req_late', api: 'world' })
    expect(await outcome(call)).toBe('FORBIDDEN ROLE_MISSING')
  })
})

test('tokens of a member shrink with the member', async () => {
  const member = await world.user({ roles: ['ADMIN'] })
  const ofAppEnv = await world.token({ kind: 'ENVIRONMENT', appEnvId, as: member.token })
  const another = await world.token({ as: member.token })
  await world.perform(updateMember, { accountId: world.accountId, userId: member.userId, roles: ['AUDIT'] })
  expect((await world.services.authenticate(another.token)).memberships.get(world.accountId)?.roles).toEqual(['AUDIT'])
  expect(await works(ofAppEnv.token)).toBe('UNAUTHENTICATED')
  await world.perform(removeMember, { accountId: world.accountId, userId: member.userId })
  expect((await world.services.authenticate(another.token)).memberships.size).toBe(0)
})

test('the service decides as the rule does, for a sample of givers and grants', async () => {
  const givers: { scopes?: Scope[]; expiresAt?: string }[] = [
    {},
    { expiresAt: inHours(1) },
    { scopes: ['svc:read'] },
    { scopes: ['svc:admin'] },
    { scopes: ['svc:admin', 'svc:write:deploy'], expiresAt: inHours(1) },
  ]
  const tokens: { kind: string; scopes?: Scope[]; expiresAt: string; appEnvId?: string }[] = [0.5, 2].flatMap(
    (hours) => [
      { kind: 'USER', expiresAt: inHours(hours) },
      { kind: 'SCOPED', scopes: ['svc:read'], expiresAt: inHours(hours) },
      { kind: 'SCOPED', scopes: ['svc:read', 'svc:write:deploy'], expiresAt: inHours(hours) },
      { kind: 'ENVIRONMENT', appEnvId, expiresAt: inHours(hours) },
    ],
  )
  let calls = 0
  for (const giver of givers) {
    const { token } = await world.token({ kind: giver.scopes ? 'SCOPED' : 'USER', ...giver })
    const own = authorityOf(await world.services.authenticate(token), world.accountId)
    for (const input of tokens) {
      const end = new Date(input.expiresAt)
      const user = { roles: [], appEnvIds: new Set<string>() }
      const given = input.appEnvId
        ? appEnvTokenAuthority(input.appEnvId, end)
        : userTokenAuthority(user, input.scopes ? new Set(input.scopes) : null, end)
      const answer = await outcome(world.perform(createToken, { name: `t ${calls++}`, ...input }, { as: token }))
      const isAllowed =
        !excessOf(own, given) && !(input.appEnvId && giver.scopes && !giver.scopes.includes('svc:admin'))
      expect([giver, input, answer === 'accepted']).toEqual([giver, input, isAllowed])
    }
    for (const roles of [['AUDIT'], ['TECHNICAL'], ['ADMIN']] as RoleName[][]) {
      const input = { accountId: world.accountId, email: `sample${calls++}@example.com`, roles }
      const answer = await outcome(world.perform(addMember, input, { as: token }))
      const isAllowed =
        !excessOf(own, membershipAuthority(roles, null)) && (giver.scopes ?? ['svc:admin']).includes('svc:admin')
      expect([giver, roles, answer === 'accepted']).toEqual([giver, roles, isAllowed])
    }
  }
  console.log(`delegation through the service: ${calls} calls, each as the rule decides`)
})
