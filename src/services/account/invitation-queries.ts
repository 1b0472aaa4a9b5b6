import type { Database } from '../../database/client.ts'
import { databaseTime } from '../../database/time.ts'
import { notFound } from '../../domain/errors.ts'
import { invitation, type SeenInvitation } from '../../resources/invitation.ts'
import { ORDER } from '../../resources/order.ts'
import { type Caller, permit } from '../kernel/caller.ts'
import { type PageRequest, page } from '../kernel/page.ts'
import { requireAccount } from '../targets/load-account.ts'

/** Invitations of an account, the newest first, for whoever may invite. */
export async function listInvitations(
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

export async function getInvitation(database: Database, caller: Caller, invitationId: string) {
  const row = await database.invitation.findUnique({ where: { id: invitationId } })
  if (!row) throw notFound('invitation', invitationId)
  permit(caller, 'member:manage', { accountId: row.accountId })
  const seen: SeenInvitation = { ...row, now: await databaseTime(database) }
  return invitation.answer.record(seen)
}
