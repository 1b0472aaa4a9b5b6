import type { Database } from '../../database/client.ts'
import type { AuditEntry, Prisma } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import { requireAccount } from '../account/read-accounts.ts'
import { accountOrCurrent, type Caller, permit, visibleAppEnvIds } from '../caller.ts'

/** What was done in one account, for whoever may know. A restricted member reads of their environments only. */
export async function auditScope(
  database: Database,
  caller: Caller,
  accountId?: string | null,
): Promise<Prisma.AuditEntryWhereInput> {
  const ledgerId = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
  permit(caller, 'audit:read', { accountId: ledgerId })
  const visible = visibleAppEnvIds(caller, ledgerId)
  return visible ? { ledgerId, targetType: 'appEnv', targetId: { in: [...visible] } } : { ledgerId }
}

export async function getAuditEntry(database: Database, caller: Caller, entryId: string, query: object = {}): Promise<AuditEntry> {
  const found = await database.auditEntry.findUnique({ where: { id: entryId }, select: { ledgerId: true } })
  const isAccount = found && (await database.account.count({ where: { id: found.ledgerId } })) > 0
  if (!found) throw notFound('audit entry', entryId)
  if (!isAccount) permit(caller, 'installation:manage', { accountId: null })
  const scope = isAccount ? await auditScope(database, caller, found.ledgerId) : {}
  const entry = await database.auditEntry.findFirst({ ...query, where: { AND: [scope, { id: entryId }] } })
  if (!entry) throw notFound('audit entry', entryId)
  return entry
}
