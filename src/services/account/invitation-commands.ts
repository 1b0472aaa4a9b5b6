import { z } from 'zod'
import { type CommandContext, command, originOf } from '../../calls/command.ts'
import { requireNotAbove, requireWithin } from '../../calls/giver.ts'
import { id, instant } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { membershipAuthority } from '../../domain/delegation.ts'
import { conflict, invalidField, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Invitation } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { hashOfSecret, newSecret } from '../../storage/secrets/token-secret.ts'
import { type AccountTarget, lockAccount } from '../targets/load-account.ts'
import { invitationAnswers } from './invitation-fields.ts'
import { appEnvIds, email, giverOf, requireAppEnvs, restriction, roles, setOf } from './membership.ts'

export type InvitationTarget = AccountTarget & { invitation: Invitation }

/** Locks the account too: whatever becomes of a membership is decided under that lock. */
export async function lockInvitation(
  tx: Transaction,
  where: { id: string } | { hash: string },
): Promise<InvitationTarget> {
  const found = await tx.invitation.findUnique({ where })
  const shown = 'id' in where ? where.id : 'with this secret'
  if (!found) throw notFound('invitation', shown)
  const target = await lockAccount(tx, found.accountId)
  const invitation = await tx.invitation.findUnique({ where: { id: found.id } })
  if (!invitation) throw notFound('invitation', shown)
  return { ...target, invitation }
}

const DEFAULT_DAYS = 7
const MAX_DAYS = 30
const MAX_OPEN = 100
const DAY_MS = 86_400_000

/** The page that reads the secret, which is behind the # and so in no log of a server. */
export const INVITATION_PATH = '/invitation'

export const createInvitation = command({
  name: 'createInvitation',
  rest: { method: 'POST', path: '/account/invitation', answer: invitationAnswers.created },
  versioned: true,
  about:
    'Invite a user to an account by a link that works once. The invitation cannot give more rights than you have, and becomes void when you lose them. The link is returned only in this answer.',
  example: {
    request: { email: 'ada@example.com', roles: ['TECHNICAL'] },
    answer: { invitationUrl: 'https://berth.example.com/invitation#berth_i_<secret>' },
  },
  input: z.strictObject({
    accountId: id('account'),
    email: email.describe('E-mail address of the invited person; a new user gets it. Berth sends no mail.'),
    roles,
    appEnvIds: appEnvIds.default(null),
    expiresAt: instant(
      `Time at which the link stops working: ${DEFAULT_DAYS} days from now when omitted, ${MAX_DAYS} at most.`,
    ).optional(),
  }),
  permission: 'member:manage',
  target: ({ tx }, { accountId }) => lockAccount(tx, accountId),
  async execute(context, input, { account }) {
    const { tx, announce, auditDetails, created } = context
    const giver = await giverOf(context, account.id)
    requireWithin(giver, membershipAuthority(input.roles, setOf(input.appEnvIds)), 'membership')
    await requireAppEnvs(tx, account.id, input.appEnvIds)
    const expiresAt = await endOf(context, input.expiresAt)
    await makeRoom(context, account.id)
    const secret = newSecret('INVITATION')
    const data = {
      id: newId('inv'),
      accountId: account.id,
      email: input.email.toLowerCase(),
      roles: input.roles,
      expiresAt,
      ...restriction(input.appEnvIds),
      hash: hashOfSecret(secret),
      tokenId: context.caller.tokenId,
    }
    await tx.invitation.create({ data })
    const invitationUrl = `${originOf(context)}${INVITATION_PATH}#${secret}`
    announce({ type: 'invitation.changed', payload: { invitationId: data.id, status: 'PENDING' } })
    auditDetails({
      invitationId: data.id,
      email: data.email,
      roles: input.roles,
      appEnvIds: input.appEnvIds,
      expiresAt,
    })
    created(data.id, secret, invitationUrl)
    return { invitationId: data.id, expiresAt: expiresAt.toISOString(), invitationUrl, secret }
  },
})

export const revokeInvitation = command({
  name: 'revokeInvitation',
  rest: { method: 'DELETE', path: '/account/invitation', answer: messageAnswer },
  versioned: true,
  about: 'Revoke an invitation that has not been accepted: its link stops working at once.',
  example: { answer: { message: 'The invitation of ada@example.com is revoked' } },
  dangerous: true,
  input: z.strictObject({ invitationId: id('invitation') }),
  permission: 'member:manage',
  target: ({ tx }, { invitationId }) => lockInvitation(tx, { id: invitationId }),
  async execute(context, _input, { account, invitation }) {
    requireNotAbove(await giverOf(context, account.id), authorityOfInvitation(invitation))
    if (invitation.acceptedAt)
      throw conflict('INVITATION_USED', `The invitation of ${invitation.email} was accepted: remove the member instead`)
    const { tx, announce, auditDetails } = context
    await tx.invitation.update({ where: { id: invitation.id }, data: { revokedAt: await databaseTime(tx) } })
    announce({ type: 'invitation.changed', payload: { invitationId: invitation.id, status: 'REVOKED' } })
    auditDetails({ invitationId: invitation.id, email: invitation.email })
    return { message: `The invitation of ${invitation.email} is revoked` }
  },
})

export const authorityOfInvitation = ({ roles, restricted, appEnvIds }: Invitation) =>
  membershipAuthority(roles, restricted ? new Set(appEnvIds) : null)

async function endOf({ tx }: CommandContext, wanted: string | undefined): Promise<Date> {
  const now = (await databaseTime(tx)).getTime()
  if (wanted === undefined) return new Date(now + DEFAULT_DAYS * DAY_MS)
  const expiresAt = new Date(wanted)
  if (expiresAt.getTime() <= now) throw invalidField('expiresAt', 'must be in the future')
  if (expiresAt.getTime() <= now + MAX_DAYS * DAY_MS) return expiresAt
  throw invalidField('expiresAt', `must be at most ${MAX_DAYS} days from now`)
}

/** Ended invitations are shown for a while, and then go, when the next one is made. */
async function makeRoom({ tx }: CommandContext, accountId: string): Promise<void> {
  const now = await databaseTime(tx)
  const old = new Date(now.getTime() - MAX_DAYS * DAY_MS)
  await tx.invitation.deleteMany({
    where: { accountId, OR: [{ expiresAt: { lt: old } }, { acceptedAt: { lt: old } }, { revokedAt: { lt: old } }] },
  })
  const open = { accountId, acceptedAt: null, revokedAt: null, expiresAt: { gt: now } }
  if ((await tx.invitation.count({ where: open })) < MAX_OPEN) return
  throw conflict('TOO_MANY_INVITATIONS', `The account has ${MAX_OPEN} open invitations: revoke some first`)
}
