import { z } from 'zod'
import { may } from '../../calls/caller.ts'
import { type CommandContext, command } from '../../calls/command.ts'
import { authorityOf, lockMakerOf } from '../../calls/giver.ts'
import { excessOf } from '../../domain/delegation.ts'
import { conflict, invalidField } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Invitation, User } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { hashOfSecret, newSecret } from '../../storage/secrets/token-secret.ts'
import { authorityOfInvitation, type InvitationTarget, lockInvitation } from './invitation-commands.ts'
import { invitationAnswers } from './invitation-fields.ts'
import { newUser, requireNoMember, restriction } from './membership.ts'

/**
 * A caller without a user sends the secret as a token, and gets a user and a token. A caller with a user sends their own
 * token, and the secret as a field: the membership becomes theirs, whatever address the invitation names.
 */
export const acceptInvitation = command({
  name: 'acceptInvitation',
  rest: { method: 'POST', path: '/account/invitation/accept', answer: invitationAnswers.accepted },
  versioned: true,
  about:
    'Accept an invitation. With the invitation’s secret in the header Authorization, you get a user and a token of your own, which is returned only in this answer. If you have a user, call with your own token, and send the secret as a field.',
  example: { request: { secret: 'berth_i_<secret>' }, answer: { token: null } },
  input: z.strictObject({
    secret: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Secret of the invitation, from behind the # of its link; left out where it is the token of the call.'),
  }),
  permission: 'invitation:accept',
  async target({ tx, caller }, { secret }): Promise<InvitationTarget> {
    if (caller.kind === 'INVITATION') {
      if (secret) throw invalidField('secret', 'is for callers with a token of their own')
      return lockInvitation(tx, { id: caller.tokenId })
    }
    if (!secret) throw invalidField('secret', 'is required when the token of the call is your own')
    return lockInvitation(tx, { hash: hashOfSecret(secret) })
  },
  async execute(context, _input, { account, invitation }) {
    const { tx } = context
    await requireOpen(context, invitation)
    const { user, token } = await memberFor(context, invitation)
    const key = { accountId: account.id, userId: user.id }
    await requireNoMember(tx, key, user.email)
    const appEnvIds = invitation.restricted ? invitation.appEnvIds : null
    await tx.membership.create({ data: { ...key, roles: invitation.roles, ...restriction(appEnvIds) } })
    if (!user.currentAccountId) await tx.user.update({ where: { id: user.id }, data: { currentAccountId: account.id } })
    const acceptedAt = await databaseTime(tx)
    await tx.invitation.update({ where: { id: invitation.id }, data: { acceptedAt, userId: user.id } })
    announceMember(context, invitation, user)
    const accepted = { accountId: account.id, userId: user.id, email: user.email, roles: invitation.roles, appEnvIds }
    return { ...accepted, token }
  },
})

function announceMember({ announce, auditDetails }: CommandContext, invitation: Invitation, user: User): void {
  const { id: invitationId, roles, restricted, appEnvIds } = invitation
  announce({ type: 'member.changed', payload: { userId: user.id, roles } })
  announce({ type: 'invitation.changed', payload: { invitationId, status: 'ACCEPTED' } })
  const granted = { roles, appEnvIds: restricted ? appEnvIds : null }
  auditDetails({ invitationId, userId: user.id, email: user.email, ...granted })
}

/** Throws unless the invitation can be accepted, and its creator could make it now. */
async function requireOpen({ tx }: CommandContext, invitation: Invitation): Promise<void> {
  const { accountId, acceptedAt, revokedAt, expiresAt, tokenId } = invitation
  if (acceptedAt) throw conflict('INVITATION_USED', 'The invitation was accepted already; it works once')
  const inviter = await lockMakerOf(tx, tokenId)
  if (revokedAt) throw conflict('INVITATION_REVOKED', 'The invitation was revoked; ask for another one')
  if (expiresAt <= (await databaseTime(tx)))
    throw conflict('INVITATION_EXPIRED', `The invitation expired at ${expiresAt.toISOString()}; ask for another one`)
  const mayGive =
    inviter &&
    may(inviter, 'member:manage', { accountId }) &&
    excessOf(authorityOf(inviter, accountId), authorityOfInvitation(invitation)) === null
  if (!mayGive)
    throw conflict(
      'INVITATION_REVOKED',
      'The creator of the invitation may no longer give these rights; ask for another one',
    )
}

/** The user who becomes a member: the caller, or a new one with a token. */
async function memberFor({ tx, caller, created, announce }: CommandContext, { email, accountId }: Invitation) {
  if (caller.userId) return { user: await tx.user.findUniqueOrThrow({ where: { id: caller.userId } }), token: null }
  if (await tx.user.findUnique({ where: { email } })) {
    const how = 'Call with a token of theirs in the header Authorization, and the secret as a field'
    throw conflict('USER_EXISTS', `${email} is a user already. ${how}`)
  }
  const user = await tx.user.create({ data: { ...newUser(email, accountId), isInvited: true } })
  const secret = newSecret('USER')
  const data = {
    id: newId('tok'),
    kind: 'USER' as const,
    name: 'First token',
    hash: hashOfSecret(secret),
    userId: user.id,
  }
  await tx.token.create({ data })
  announce({ type: 'token.created', payload: { tokenId: data.id, kind: data.kind, name: data.name } })
  created(user.id, data.id, secret)
  return { user, token: secret }
}
