import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, text, time } from '../../calls/field.ts'
import { message } from '../../calls/outcome.ts'
import { answer, resource } from '../../calls/resource.ts'
import type { Invitation } from '../../storage/database/generated/prisma/client.ts'
import { member, role } from './member-fields.ts'

export const invitationStatus = enumeration('InvitationStatus', 'Status of an invitation.', {
  PENDING: 'The link works.',
  ACCEPTED: 'The invitation was accepted; the user is a member.',
  REVOKED: 'The invitation was revoked, or its creator lost the right to invite.',
  EXPIRED: 'The invitation was not accepted in time.',
})

/** A row, and the time by the database's clock. */
export type SeenInvitation = Invitation & { now: Date }

const field = fieldsOf<SeenInvitation>()

function statusOf({ acceptedAt, revokedAt, expiresAt, now }: SeenInvitation): keyof typeof invitationStatus.values {
  if (acceptedAt) return 'ACCEPTED'
  if (revokedAt) return 'REVOKED'
  return expiresAt <= now ? 'EXPIRED' : 'PENDING'
}

export const invitation = resource({
  name: 'Invitation',
  id: 'Invitation',
  description: 'An invitation to an account, which the holder of its link can accept. Its secret is never shown.',
  examples: {
    invitationId: exampleId('inv'),
    status: 'PENDING',
    userId: null,
    expiresAt: '2026-11-27T09:30:00.000Z',
  },
  fields: {
    invitationId: field.column('id', text, 'Id of the invitation.', { inGraphQL: { name: 'id' } }),
    accountId: field.column('accountId', text, 'Id of the account that the invitation leads to.'),
    email: field.column('email', text, 'E-mail address of the invited person.'),
    roles: field.column('roles', z.array(role.type), 'Roles that the invitation gives.'),
    appEnvIds: field.from(
      { restricted: true, appEnvIds: true },
      z.array(text).nullable(),
      'Ids of the environments that the new member is restricted to; null for all.',
      ({ restricted, appEnvIds }: SeenInvitation) => (restricted ? appEnvIds : null),
    ),
    status: field.from({}, invitationStatus.type, 'Status of the invitation.', statusOf),
    userId: field.column('userId', text.nullable(), 'Id of the user who accepted the invitation; null before.'),
    expiresAt: field.column('expiresAt', time, 'Time at which the link stops working.'),
    createdAt: field.column('createdAt', time, 'Time at which the invitation was created.'),
  },
})

const secret = fieldsOf<{ invitationUrl: string; secret: string }>()

/** What only the answer to createInvitation shows. */
export const createdInvitation = {
  invitationId: invitation.fields.invitationId,
  expiresAt: invitation.fields.expiresAt,
  invitationUrl: secret.given('invitationUrl', text, 'Link to give to the person. No other answer shows it.', {
    inGraphQL: { nullable: true },
  }),
  secret: secret.given('secret', text, 'Secret at the end of the link, which acceptInvitation takes.', {
    inGraphQL: { nullable: true },
  }),
}

export const acceptedInvitation = {
  accountId: invitation.fields.accountId,
  ...member.fields,
  userId: { ...member.fields.userId, inGraphQL: { nullable: true } },
  token: fieldsOf<{ token: string | null }>().given(
    'token',
    text.nullable(),
    'Token of the new user, to send in the Authorization header. No other answer shows it; null for a caller who had a user already.',
    { inGraphQL: { name: 'secret', isResolvedThere: true } },
  ),
}

export const transferred = {
  message,
  userId: member.fields.userId,
  roles: member.fields.roles,
  kept: fieldsOf<{ kept: z.output<typeof role.type>[] }>().given('kept', z.array(role.type), 'Roles that you keep.'),
}

export const invitationAnswers = {
  created: answer(createdInvitation),
  accepted: answer(acceptedInvitation),
  transferred: answer(transferred),
}
