import { z } from 'zod'
import { command } from '../../calls/command.ts'
import { requireNotAbove, requireWithin } from '../../calls/giver.ts'
import { id } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { excessOfRights, isWholeAdmin, membershipAuthority } from '../../domain/delegation.ts'
import { conflict } from '../../domain/errors.ts'
import { lockAccount } from '../targets/load-account.ts'
import { member } from './member-fields.ts'
import {
  appEnvIds,
  authorityOfMember,
  email,
  endMembership,
  giverOf,
  memberOf,
  newUser,
  requireAnotherAdmin,
  requireAppEnvs,
  requireNoMember,
  restriction,
  roles,
  setOf,
} from './membership.ts'
import { revokeGivenBy } from './revoke-given-by.ts'

export const addMember = command({
  name: 'addMember',
  rest: { method: 'POST', path: '/account/member', answer: member.answer },
  versioned: true,
  about: 'Add a member to an account. A user who is new to the installation is created.',
  example: { request: { email: 'ada@example.com', roles: ['TECHNICAL'] } },
  input: z.strictObject({ accountId: id('account'), email, roles, appEnvIds: appEnvIds.default(null) }),
  permission: 'member:manage',
  target: ({ tx }, { accountId }) => lockAccount(tx, accountId),
  async execute(context, input, { account }) {
    const { tx } = context
    const giver = await giverOf(context, account.id)
    requireWithin(giver, membershipAuthority(input.roles, setOf(input.appEnvIds)), 'membership')
    await requireAppEnvs(tx, account.id, input.appEnvIds)
    const address = input.email.toLowerCase()
    const known = await tx.user.findUnique({ where: { email: address } })
    const user = known ?? (await tx.user.create({ data: newUser(address, account.id) }))
    const key = { accountId: account.id, userId: user.id }
    await requireNoMember(tx, key, address)
    if (known?.isInvited) {
      const why = 'was created by an invitation, so the address is not verified'
      throw conflict(
        'INVITE_INSTEAD',
        `The user of ${address} ${why}: create an invitation, and send the user its link`,
      )
    }
    await tx.membership.create({ data: { ...key, roles: input.roles, ...restriction(input.appEnvIds) } })
    context.announce({ type: 'member.changed', payload: { userId: user.id, roles: input.roles } })
    context.auditDetails({ userId: user.id, email: address, roles: input.roles, appEnvIds: input.appEnvIds })
    return { userId: user.id, email: address, roles: input.roles, appEnvIds: input.appEnvIds }
  },
})

export const updateMember = command({
  name: 'updateMember',
  rest: { method: 'PATCH', path: '/account/member', answer: member.answer },
  versioned: true,
  about: 'Change the roles or the restriction of a member.',
  example: { request: { roles: ['TECHNICAL', 'BILLING'] }, answer: { roles: ['TECHNICAL', 'BILLING'] } },
  input: z.strictObject({
    accountId: id('account'),
    userId: id('user'),
    roles: roles.optional(),
    appEnvIds: appEnvIds.optional(),
  }),
  permission: 'member:manage',
  target: ({ tx }, { accountId }) => lockAccount(tx, accountId),
  async execute(context, input, { account }) {
    const { tx } = context
    const giver = await giverOf(context, account.id)
    const member = await memberOf(tx, account.id, input.userId)
    const before = authorityOfMember(member)
    const restricted = input.appEnvIds === undefined ? before.appEnvIds : setOf(input.appEnvIds)
    const after = membershipAuthority(input.roles ?? member.roles, restricted)
    requireNotAbove(giver, before)
    // A smaller grant than before gives nothing, so it may outlive the caller's token.
    if (excessOfRights(before, after)) requireWithin(giver, after, 'membership')
    if (isWholeAdmin(before) && !isWholeAdmin(after)) await requireAnotherAdmin(tx, account.id, member.userId)
    await requireAppEnvs(tx, account.id, input.appEnvIds ?? null)
    const updated = await tx.membership.update({
      where: { accountId_userId: { accountId: account.id, userId: input.userId } },
      data: {
        ...(input.roles ? { roles: input.roles } : {}),
        ...(input.appEnvIds === undefined ? {} : restriction(input.appEnvIds)),
      },
      include: { user: true },
    })
    await revokeGivenBy(tx, account.id, updated)
    context.announce({ type: 'member.changed', payload: { userId: updated.userId, roles: updated.roles } })
    context.auditDetails({ userId: updated.userId, roles: updated.roles, appEnvIds: input.appEnvIds })
    return {
      userId: updated.userId,
      email: updated.user.email,
      roles: updated.roles,
      appEnvIds: updated.restricted ? updated.appEnvIds : null,
    }
  },
})

export const removeMember = command({
  name: 'removeMember',
  rest: { method: 'DELETE', path: '/account/member', answer: messageAnswer },
  versioned: true,
  about: 'Remove a member from an account. At least one ADMIN stays.',
  example: { answer: { message: 'The member is removed from the account' } },
  dangerous: true,
  input: z.strictObject({ accountId: id('account'), userId: id('user') }),
  permission: 'member:manage',
  target: ({ tx }, { accountId }) => lockAccount(tx, accountId),
  async execute(context, input, { account }) {
    const { tx } = context
    const giver = await giverOf(context, account.id)
    const member = await memberOf(tx, account.id, input.userId)
    requireNotAbove(giver, authorityOfMember(member))
    await endMembership(context, member)
    return { message: 'The member is removed from the account' }
  },
})
