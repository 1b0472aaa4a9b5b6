import { notFound } from '../../domain/errors.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Invitation } from '../../storage/database/generated/prisma/client.ts'
import { type AccountTarget, lockAccount } from './load-account.ts'

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
