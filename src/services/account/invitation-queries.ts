import { type Caller, permit } from '../../calls/caller.ts'
import { id } from '../../calls/input.ts'
import { ORDER } from '../../calls/order.ts'
import { type PageRequest, page } from '../../calls/page.ts'
import { recordListQuery, recordQuery } from '../../calls/query.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { requireAccount } from '../targets/load-account.ts'
import { invitation, type SeenInvitation } from './invitation-fields.ts'

/** Invitations of an account, newest first, for callers who may invite. */
async function findInvitations(
  database: Database,
  caller: Caller,
  { accountId }: { accountId: string },
  request: PageRequest,
) {
  await requireAccount(database, caller, accountId)
  permit(caller, 'member:manage', { accountId })
  const now = await databaseTime(database)
  const { rows, nextCursor } = await page(
    request,
    ({ take, after }) =>
      database.invitation.findMany({ where: { AND: [{ accountId }, after] }, take, orderBy: ORDER.invitation }),
    ORDER.invitation,
  )
  return { rows: rows.map((row) => invitation.answer.record({ ...row, now })), nextCursor }
}

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

export const listInvitations = recordListQuery({
  name: 'listInvitations',
  path: '/account/invitations',
  permission: 'member:manage',
  about: 'The invitations of an account, newest first: the open ones, and those that ended lately.',
  input: { accountId: id('account') },
  of: invitation,
  list: ({ database, caller }, filter, page) => findInvitations(database, caller, filter, page),
  cursorOf: ({ invitationId }) => invitationId,
})
