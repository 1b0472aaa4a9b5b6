import type { Database } from '../../database/client.ts'
import { Prisma } from '../../database/generated/prisma/client.ts'
import { invalidField } from '../../domain/errors.ts'
import { INSTALLATION_EVENTS } from '../../events/event.ts'
import { type AuditRow, auditEntry } from '../../resources/audit-entry.ts'
import type { ListOrder } from '../../resources/order.ts'
import type { RecordOf } from '../../resources/resource.ts'
import { accountOrCurrent, type Caller, permit, visibleAppEnvIds } from '../kernel/caller.ts'
import { DEFAULT_LIMIT, type PageRequest } from '../kernel/page.ts'
import { requireAccount } from '../targets/load-account.ts'

export interface AuditRange {
  accountId?: string | undefined
  /** Entries about the installation itself, such as new accounts, in place of an account's. */
  installation?: boolean | undefined
  from?: string | undefined
  to?: string | undefined
  action?: string | undefined
  actorId?: string | undefined
  targetId?: string | undefined
  orderBy?: ListOrder | undefined
}

type AuditRecord = RecordOf<typeof auditEntry.answer>

/**
 * The audit log of an account, or of the installation, newest first. Its order is that of the hash chain, so the cursor
 * is the sequence.
 * Restricted members are shown what was done to their environments and to the account, as in its events.
 */
export async function listAudit(
  database: Database,
  caller: Caller,
  { from, to, action, actorId, targetId, orderBy = 'NEWEST_FIRST', ...whose }: AuditRange,
  request: PageRequest,
) {
  const eventSequenceId = await chainOf(database, caller, whose)
  const { limit = DEFAULT_LIMIT, cursor } = request
  const visible = visibleAppEnvIds(caller, eventSequenceId)
  const rows = await database.$queryRaw<AuditRow[]>`
    SELECT id, sequence, action, actor_type AS "actorType", actor_id AS "actorId", token_id AS "tokenId",
      target_type AS "targetType", target_id AS "targetId", request_id AS "requestId", details, hash,
      created_at AS "createdAt"
    FROM audit_entry
    WHERE event_sequence_id = ${eventSequenceId} ${cursor === undefined ? Prisma.empty : beyond(cursor, orderBy)}
      ${from ? Prisma.sql`AND created_at >= ${new Date(from)}` : Prisma.empty}
      ${to ? Prisma.sql`AND created_at <= ${new Date(to)}` : Prisma.empty}
      ${action === undefined ? Prisma.empty : Prisma.sql`AND action = ${action}`}
      ${actorId === undefined ? Prisma.empty : Prisma.sql`AND actor_id = ${actorId}`}
      ${targetId === undefined ? Prisma.empty : Prisma.sql`AND target_id = ${targetId}`}
      ${visible ? Prisma.sql`AND ${isVisible([...visible])}` : Prisma.empty}
    ORDER BY sequence ${orderBy === 'OLDEST_FIRST' ? Prisma.sql`ASC` : Prisma.sql`DESC`} LIMIT ${limit + 1}`
  const kept = rows.slice(0, limit)
  const last = kept.at(-1)
  return {
    rows: kept.map((row) => seenBy(visible, auditEntry.answer.record(row))),
    nextCursor: last && rows.length > limit ? String(last.sequence) : null,
  }
}

/** A change of an app reaches all of its environments: a restricted member is told what it was to theirs. */
function seenBy(visible: ReadonlySet<string> | null, entry: AuditRecord): AuditRecord {
  if (!visible) return entry
  return { ...entry, changes: entry.changes.filter(({ appEnvId }) => appEnvId === null || visible.has(appEnvId)) }
}

async function chainOf(database: Database, caller: Caller, { accountId, installation }: AuditRange): Promise<string> {
  if (installation) {
    if (accountId) throw invalidField('installation', 'must not be true together with accountId')
    permit(caller, 'audit:read', { accountId: null })
    return INSTALLATION_EVENTS
  }
  const id = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
  permit(caller, 'audit:read', { accountId: id })
  return id
}

/** Entries of an environment's things show only with the environment: once their row is gone, nobody knows whose they were. */
const isVisible = (appEnvIds: string[]) => Prisma.sql`(
  target_type NOT IN ('appEnv', 'operation', 'token')
  OR target_id = ANY(${appEnvIds})
  OR target_id IN (SELECT id FROM operation WHERE app_env_id = ANY(${appEnvIds}))
  OR target_id IN (SELECT id FROM token WHERE app_env_id = ANY(${appEnvIds})))`

const beyond = (cursor: string, orderBy: ListOrder) =>
  orderBy === 'OLDEST_FIRST'
    ? Prisma.sql`AND sequence > ${sequenceOf(cursor)}`
    : Prisma.sql`AND sequence < ${sequenceOf(cursor)}`

function sequenceOf(cursor: string): bigint {
  if (!/^\d{1,18}$/.test(cursor)) throw invalidField('cursor', 'must be the nextCursor of an earlier answer')
  return BigInt(cursor)
}
