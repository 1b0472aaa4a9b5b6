import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DomainError } from '../../src/domain/errors.ts'
import { acceptInvitation } from '../../src/services/account/accept-invitation.ts'
import { createInvitation, revokeInvitation } from '../../src/services/account/invitation-commands.ts'
import { getInvitation } from '../../src/services/account/invitation-queries.ts'
import { addMember, removeMember, updateMember } from '../../src/services/account/member-commands.ts'
import { leaveAccount, transferAccount } from '../../src/services/account/own-membership-commands.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { revokeToken } from '../../src/services/token/token-commands.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world?.close())

/** The code and reason of a refusal, or `accepted`. */
const outcome = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error) => (error instanceof DomainError ? [error.code, error.reason].filter(Boolean).join(' ') : String(error)),
  )

let invited = 0

function invite(fields: object = {}, as?: string) {
  invited += 1
  const input = { accountId: world.accountId, email: `Guest${invited}@Example.com`, roles: ['AUDIT'], ...fields }
  return world.perform(createInvitation, input, as === undefined ? {} : { as })
}

const accept = (secret: string) => world.perform(acceptInvitation, {}, { as: secret })
const statusOf = async (invitationId: string) => {
  const caller = await world.services.authenticate(world.adminToken)
  return (await world.services.find(getInvitation, { caller, requestId: 'req_1' }, { invitationId })).status
}

describe('an invitation', () => {
  test('makes a user, a membership and a token of somebody new, once', async () => {
    const { appEnvId } = await world.appEnv()
    const { invitationId, secret, invitationUrl } = await invite({ roles: ['TECHNICAL'], appEnvIds: [appEnvId] })
    expect(invitationUrl).toMatch(new RegExp(`/invitation#${secret}$`))
    const { userId, email, roles, appEnvIds, token } = await accept(secret)
    expect({ email, roles, appEnvIds }).toEqual({
      email: `guest${invited}@example.com`,
      roles: ['TECHNICAL'],
      appEnvIds: [appEnvId],
    })
    const member = await world.services.authenticate(token)
    expect(member).toMatchObject({ kind: 'USER', userId, expiresAt: null, currentAccountId: world.accountId })
    expect(member.memberships.get(world.accountId)).toEqual({ roles: ['TECHNICAL'], appEnvIds: new Set([appEnvId]) })
    expect(await outcome(accept(secret))).toBe('CONFLICT INVITATION_USED')
    expect(await statusOf(invitationId)).toBe('ACCEPTED')
  })

  test('is accepted once by many at a time', async () => {
    const { secret } = await invite()
    const user = await world.user({ accountId: await world.account() })
    const byUser = () => world.perform(acceptInvitation, { secret }, { as: user.token })
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, at) => outcome(at % 2 === 0 ? accept(secret) : byUser())),
    )
    expect(outcomes.filter((one) => one === 'accepted')).toHaveLength(1)
    expect(new Set(outcomes)).toEqual(new Set(['accepted', 'CONFLICT INVITATION_USED']))
  })

  test('repeats its answer under an idempotency key, token included', async () => {
    const { secret } = await invite()
    const first = await world.perform(acceptInvitation, {}, { as: secret, idempotencyKey: 'lost' })
    expect(await world.perform(acceptInvitation, {}, { as: secret, idempotencyKey: 'lost' })).toEqual(first)
  })

  test('keeps only a hash of its secret', async () => {
    const { invitationId, secret } = await invite()
    const row = await world.database.invitation.findUniqueOrThrow({ where: { id: invitationId } })
    const [{ audit } = { audit: '' }] = await world.database.$queryRaw<{ audit: string }[]>`
      SELECT json_agg(e)::text || (SELECT json_agg(v)::text FROM event v) AS audit FROM audit_entry e`
    expect(JSON.stringify(row)).not.toContain(secret)
    expect(audit).toContain(invitationId)
    expect(audit).not.toContain(secret)
  })

  test('is void once its maker’s token is revoked', async () => {
    const { token, tokenId } = await world.token()
    const { invitationId, secret } = await invite({}, token)
    await world.perform(revokeToken, { tokenId })
    expect(await statusOf(invitationId)).toBe('REVOKED')
    expect(await outcome(accept(secret))).toBe('CONFLICT INVITATION_REVOKED')
  })

  test('never gives more than its maker has left', async () => {
    const { appEnvId } = await world.appEnv()
    const change = (userId: string, fields: object) =>
      world.perform(updateMember, { accountId: world.accountId, userId, ...fields })
    for (const lose of [
      (userId: string) => change(userId, { roles: ['MANAGE_MEMBERS'] }),
      (userId: string) => change(userId, { roles: ['TECHNICAL'] }),
      (userId: string) => change(userId, { appEnvIds: [appEnvId] }),
      (userId: string) => world.perform(removeMember, { accountId: world.accountId, userId }),
    ]) {
      const maker = await world.user({ roles: ['TECHNICAL', 'MANAGE_MEMBERS'] })
      const { invitationId, secret } = await invite({ roles: ['TECHNICAL'] }, maker.token)
      const kept = await invite({ roles: ['TECHNICAL'] })
      await lose(maker.userId)
      expect(await statusOf(invitationId)).toBe('REVOKED')
      // The rule holds by itself, whatever the row says.
      await world.database.$executeRaw`UPDATE invitation SET revoked_at = NULL WHERE id = ${invitationId}`
      expect(await outcome(accept(secret))).toBe('CONFLICT INVITATION_REVOKED')
      expect(await statusOf(kept.invitationId)).toBe('PENDING')
    }
  })

  test('loses an environment that is deleted, and never becomes one to all', async () => {
    const { appEnvId } = await world.appEnv()
    const { secret } = await invite({ appEnvIds: [appEnvId] })
    await world.perform(deleteAppEnv, { appEnvId })
    expect((await accept(secret)).appEnvIds).toEqual([])
  })

  test('does not let an account claim an address for others', async () => {
    const accountId = await world.account()
    const { secret } = await invite({ accountId, email: 'boss@example.com' })
    await accept(secret)
    const add = { accountId: world.accountId, email: 'boss@example.com', roles: ['ADMIN'] }
    expect(await outcome(world.perform(addMember, add))).toBe('CONFLICT INVITE_INSTEAD')
  })

  test('is limited in number', async () => {
    const accountId = await world.account()
    const row = { accountId, email: 'a@example.com', roles: ['AUDIT' as const] }
    const { tokenId } = await world.token()
    const expiresAt = new Date(Date.now() + 3_600_000)
    const many = Array.from({ length: 100 }, (_, at) => ({
      ...row,
      id: `inv_${at}`,
      hash: `h${at}`,
      tokenId,
      expiresAt,
    }))
    await world.database.invitation.createMany({ data: many })
    expect(await outcome(invite({ accountId }))).toBe('CONFLICT TOO_MANY_INVITATIONS')
    await world.perform(revokeInvitation, { invitationId: 'inv_0' })
    expect(await outcome(invite({ accountId }))).toBe('accepted')
  })
})

const ROUNDS = 12

/** Which members are ADMIN of all of the account. */
async function wholeAdmins(accountId: string): Promise<string[]> {
  const admins = await world.database.membership.findMany({
    where: { accountId, restricted: false, roles: { has: 'ADMIN' } },
  })
  return admins.map(({ userId }) => userId)
}

test('an account keeps an ADMIN, whatever its members do at once', async () => {
  const seen = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const accountId = await world.account()
    const [ann, bob, cid] = [
      await world.user({ accountId, roles: ['ADMIN'] }),
      await world.user({ accountId, roles: ['ADMIN'] }),
      await world.user({ accountId }),
    ]
    await world.perform(leaveAccount, { accountId })
    const leave = (who: typeof ann) => world.perform(leaveAccount, { accountId }, { as: who.token })
    const transfer = (from: typeof ann, to: typeof ann) =>
      world.perform(transferAccount, { accountId, userId: to.userId }, { as: from.token })
    const change = (by: typeof ann, whom: typeof ann, fields: object) =>
      world.perform(updateMember, { accountId, userId: whom.userId, ...fields }, { as: by.token })
    const calls = [
      () => leave(ann),
      () => leave(bob),
      () => transfer(ann, cid),
      () => leave(cid),
      () => change(ann, bob, { roles: ['AUDIT'] }),
      () => change(bob, ann, { appEnvIds: [] }),
      () => transfer(bob, ann),
      () => world.perform(removeMember, { accountId, userId: ann.userId }, { as: bob.token }),
    ]
    // Each round begins with another one.
    const turned = [...calls.slice(round % calls.length), ...calls.slice(0, round % calls.length)]
    const outcomes = await Promise.all(turned.map((call) => outcome(call())))
    for (const one of outcomes) seen.add(one)
    expect(outcomes).toContain('accepted')
    expect((await wholeAdmins(accountId)).length, outcomes.join('; ')).toBeGreaterThan(0)
  }
  expect([...seen]).toContain('CONFLICT LAST_ADMIN')
  expect([...seen].filter((one) => !/^(accepted|CONFLICT|FORBIDDEN|NOT_FOUND)/.test(one))).toEqual([])
})
