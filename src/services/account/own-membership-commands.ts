import { z } from 'zod'
import { userOf } from '../../calls/caller.ts'
import { command } from '../../calls/command.ts'
import { requireWithin } from '../../calls/giver.ts'
import { id } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { isWholeAdmin, membershipAuthority } from '../../domain/delegation.ts'
import { conflict, invalidField } from '../../domain/errors.ts'
import { lockAccount } from '../targets/load-account.ts'
import { invitationAnswers } from './invitation-fields.ts'
import { authorityOfMember, endMembership, giverOf, memberOf, roles } from './membership.ts'
import { revokeGivenBy } from './revoke-given-by.ts'

export const leaveAccount = command({
  name: 'leaveAccount',
  rest: { method: 'POST', path: '/account/leave', answer: messageAnswer },
  versioned: true,
  about: 'Leave an account that you are a member of. Its last unrestricted ADMIN cannot leave.',
  example: { answer: { message: 'You have left the account "Bakery"' } },
  dangerous: true,
  input: z.strictObject({ accountId: id('account') }),
  permission: 'account:leave',
  target: ({ tx }, { accountId }) => lockAccount(tx, accountId),
  async execute(context, _input, { account }) {
    await endMembership(context, await memberOf(context.tx, account.id, userOf(context.caller)))
    return { message: `You have left the account "${account.name}"` }
  },
})

export const transferAccount = command({
  name: 'transferAccount',
  rest: { method: 'POST', path: '/account/transfer', answer: invitationAnswers.transferred },
  versioned: true,
  about:
    'Transfer an account: another member becomes ADMIN of all of it, and you cease to be one, both at once. You stay a member, or leave afterwards.',
  example: { answer: { message: 'The account "Bakery" is transferred', roles: ['ADMIN'], kept: ['TECHNICAL'] } },
  dangerous: true,
  input: z.strictObject({
    accountId: id('account'),
    userId: id('user who becomes ADMIN; a member of the account'),
    roles: roles
      .refine((kept) => !kept.includes('ADMIN'), 'must not name ADMIN, which is what is given away')
      .optional()
      .describe('Roles that you keep; those besides ADMIN when omitted, or TECHNICAL if there are none.'),
  }),
  permission: 'account:transfer',
  target: ({ tx }, { accountId }) => lockAccount(tx, accountId),
  async execute(context, input, { account }) {
    const { tx, caller, announce, auditDetails } = context
    const from = userOf(caller)
    if (input.userId === from) throw invalidField('userId', 'must be another member than you')
    const giver = await giverOf(context, account.id, 'account:transfer')
    requireWithin(giver, membershipAuthority(['ADMIN'], null), 'membership')
    const own = await memberOf(tx, account.id, from)
    const heir = await memberOf(tx, account.id, input.userId)
    if (!isWholeAdmin(authorityOfMember(own)))
      throw conflict('NOT_AN_ADMIN', 'You are no ADMIN of the account, and so have nothing to transfer')
    const kept = input.roles ?? own.roles.filter((role) => role !== 'ADMIN')
    const after = kept.length > 0 ? kept : ['TECHNICAL' as const]
    const keyOf = (userId: string) => ({ accountId_userId: { accountId: account.id, userId } })
    const given = [...new Set(['ADMIN' as const, ...heir.roles])]
    const whole = { roles: given, restricted: false, appEnvIds: [] }
    await tx.membership.update({ where: keyOf(heir.userId), data: whole })
    const left = await tx.membership.update({ where: keyOf(from), data: { roles: after } })
    await revokeGivenBy(tx, account.id, left)
    announce({ type: 'member.changed', payload: { userId: heir.userId, roles: given } })
    announce({ type: 'member.changed', payload: { userId: from, roles: after } })
    auditDetails({ userId: heir.userId, roles: given, kept: after })
    return { message: `The account "${account.name}" is transferred`, userId: heir.userId, roles: given, kept: after }
  },
})
