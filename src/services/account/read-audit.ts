import type { Database } from '../../database/client.ts'
import { invalidField } from '../../domain/errors.ts'
import { accountOrCurrent, type Caller, permit } from '../caller.ts'
import { DEFAULT_LIMIT, type PageRequest } from '../page.ts'
import { requireAccount } from './read-accounts.ts'

export interface AuditRange {
  accountId?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** The account's audit log, oldest first. Its order is that of the hash chain, so the cursor is the sequence. */
export async function listAudit(
  database: Database,
  caller: Caller,
  { accountId, from, to }: AuditRange,
  request: PageRequest,
) {
  const ledgerId = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
  permit(caller, 'audit:read', { accountId: ledgerId })
  const { limit = DEFAULT_LIMIT, cursor } = request
  const createdAt = { ...(from ? { gte: new Date(from) } : {}), ...(to ? { lte: new Date(to) } : {}) }
  const rows = await database.auditEntry.findMany({
    where: { ledgerId, createdAt, ...(cursor === undefined ? {} : { sequence: { gt: sequenceOf(cursor) } }) },
    orderBy: { sequence: 'asc' },
    take: limit + 1,
  })
  const kept = rows.slice(0, limit)
  const last = kept.at(-1)
  return { rows: kept.map(auditRecord), nextCursor: last && rows.length > limit ? String(last.sequence) : null }
}

function sequenceOf(cursor: string): bigint {
  if (!/^\d{1,18}$/.test(cursor)) throw invalidField('cursor', 'must be the nextCursor of an earlier answer')
  return BigInt(cursor)
}

type AuditRow = Awaited<ReturnType<Database['auditEntry']['findMany']>>[number]

/** An entry as both doors show it. The hash covers the one before, so that a reader can check the chain. */
export const auditRecord = (entry: AuditRow) => ({
  auditId: entry.id,
  sequence: Number(entry.sequence),
  action: entry.action,
  actorType: entry.actorType,
  actorId: entry.actorId,
  tokenId: entry.tokenId,
  targetType: entry.targetType,
  targetId: entry.targetId,
  requestId: entry.requestId,
  details: entry.details,
  hash: entry.hash,
  createdAt: entry.createdAt.toISOString(),
})
