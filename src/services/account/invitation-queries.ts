import { type Caller, permit } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { id } from '../../calls/input.ts'
import { collectedQuery, recordQuery } from '../../calls/query.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { requireAccount } from '../targets/load-account.ts'
import { invitation, type SeenInvitation } from './invitation-fields.ts'

/** Invitations of an account, for callers who may invite. */
const invitations = collection({
  model: 'Invitation',
  async scope(database, caller, { accountId }: { accountId: string }) {
    await requireAccount(database, caller, accountId)
    permit(caller, 'member:manage', { accountId })
    return { accountId }
  },
})

async function findInvitation(database: Database, caller: Caller, invitationId: string) {
  const row = await database.invitation.findUnique({ where: { id: invitationId } })
  if (!row) throw notFound('invitation', invitationId)
  permit(caller, 'member:manage', { accountId: row.accountId })
  const seen: SeenInvitation = { ...row, now: await databaseTime(database) }
  return invitation.answer.record(seen)
}

export const getInvitation = recordQuery({
  name: 'getInvitation',
  path: '/account/invitation',
  permission: 'member:manage',
  about: 'An invitation to an account, without its secret.',
  input: { invitationId: id('invitation') },
  key: { field: 'invitationId', prefix: 'inv' },
  of: invitation,
  find: ({ database, caller }, { invitationId }) => findInvitation(database, caller, invitationId),
})

export const listInvitations = collectedQuery({
  name: 'listInvitations',
  path: '/account/invitations',
  permission: 'member:manage',
  about: 'The invitations of an account, newest first: the open ones, and those that ended lately.',
  input: { accountId: id('account') },
  of: invitation,
  from: invitations,
  wanted: {},
  async records(rows, { database }) {
    const now = await databaseTime(database)
    return rows.map((row) => invitation.answer.record({ ...row, now }))
  },
  cursorOf: ({ invitationId }) => invitationId,
})
