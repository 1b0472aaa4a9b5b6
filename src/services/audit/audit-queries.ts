import { z } from 'zod'
import { accountOrCurrent, type Caller, permit, visibleAppEnvIds } from '../../calls/caller.ts'
import { csvText } from '../../calls/csv.ts'
import { exampleId } from '../../calls/examples.ts'
import { id, instant } from '../../calls/input.ts'
import { type ListOrder, listOrder } from '../../calls/order.ts'
import { DEFAULT_LIMIT, listAnswer, listOf, type PageRequest } from '../../calls/page.ts'
import { Csv, paging, recordQuery, restQuery } from '../../calls/query.ts'
import type { RecordOf } from '../../calls/resource.ts'
import { invalidField, notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { INSTALLATION_EVENTS } from '../../storage/events/event.ts'
import { requireAccount } from '../targets/load-account.ts'
import { AUDIT_FILTER, type AuditRow, auditEntry, INSTALLATION_AUDIT } from './audit-entry-fields.ts'

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

const COLUMNS_READ = Prisma.raw(`
  id, sequence, action, actor_type AS "actorType", actor_id AS "actorId", token_id AS "tokenId",
  target_type AS "targetType", target_id AS "targetId", request_id AS "requestId", details, hash,
  created_at AS "createdAt"`)

type AuditRecord = RecordOf<typeof auditEntry.answer>

/**
 * The audit log of an account, or of the installation, newest first. Its order is that of the hash chain, so the cursor
 * is the sequence.
 * Restricted members are shown what was done to their environments and to the account, as in its events.
 */
export async function findAudit(
  database: Database,
  caller: Caller,
  { from, to, action, actorId, targetId, orderBy = 'NEWEST_FIRST', ...whose }: AuditRange,
  request: PageRequest,
) {
  const eventSequenceId = await chainOf(database, caller, whose)
  const { limit = DEFAULT_LIMIT, cursor } = request
  const visible = visibleAppEnvIds(caller, eventSequenceId)
  const rows = await database.$queryRaw<AuditRow[]>`
    SELECT ${COLUMNS_READ} FROM audit_entry
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

/** One entry, by the rules of the list. */
async function findAuditEntry(database: Database, caller: Caller, auditId: string): Promise<AuditRecord> {
  const found = await database.auditEntry.findUnique({ where: { id: auditId }, select: { eventSequenceId: true } })
  const chain = found?.eventSequenceId
  if (chain === undefined) throw notFound('audit entry', auditId)
  permit(caller, 'audit:read', { accountId: chain === INSTALLATION_EVENTS ? null : chain })
  const visible = visibleAppEnvIds(caller, chain)
  const [row] = await database.$queryRaw<AuditRow[]>`
    SELECT ${COLUMNS_READ} FROM audit_entry
    WHERE id = ${auditId} ${visible ? Prisma.sql`AND ${isVisible([...visible])}` : Prisma.empty}`
  if (!row) throw notFound('audit entry', auditId)
  return seenBy(visible, auditEntry.answer.record(row))
}

export const getAuditEntry = recordQuery({
  name: 'getAuditEntry',
  path: '/account/audit-entry',
  permission: 'audit:read',
  about: 'One entry of an audit log, by its id.',
  input: { auditId: id('audit entry') },
  key: { field: 'auditId', prefix: 'aud' },
  of: auditEntry,
  find: ({ database, caller }, { auditId }) => findAuditEntry(database, caller, auditId),
})

/** A change of an app reaches all of its environments: a restricted member sees the ones of their environments only. */
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

/** Entries of an environment's things show only with the environment: once their row is gone, their owner is unknown. */
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

const filterText = (about: string) => z.string().min(1).max(200).optional().describe(about)

const COLUMNS = Object.keys(auditEntry.fields) as (keyof typeof auditEntry.fields)[]

/** GraphQL has pages of them by hand: their cursor is a sequence. */
export const listAudit = restQuery({
  name: 'listAudit',
  path: '/account/audit',
  permission: 'audit:read',
  about:
    'The audit log of an account, newest first; of your current account when accountId is omitted. Restricted members see what was done to their environments and to the account. With `format=csv`, or `Accept: text/csv`, the page as CSV; the header `Link` leads to the next.',
  example: { request: { accountId: exampleId('acc'), limit: 50 } },
  input: {
    accountId: id('account').optional(),
    installation: z.boolean().optional().describe(INSTALLATION_AUDIT),
    from: instant('Earliest time of the items.').optional(),
    to: instant('Latest time of the items.').optional(),
    action: filterText(AUDIT_FILTER.action),
    actorId: filterText(AUDIT_FILTER.actorId),
    targetId: filterText(AUDIT_FILTER.targetId),
    orderBy: listOrder.type.default('NEWEST_FIRST').describe(listOrder.description),
    format: z.enum(['json', 'csv']).default('json').describe('Format of the answer.'),
    ...paging,
  },
  type: listAnswer('entries', auditEntry.answer.type),
  mayBeCsv: true,
  async run({ database, caller }, { format, limit, cursor, ...filter }) {
    const found = await findAudit(database, caller, filter, { limit, cursor })
    if (format === 'csv') return new Csv(csvText(COLUMNS, found.rows.map(auditEntry.answer.of)), found.nextCursor)
    return listOf('entries', found, auditEntry.answer.of)
  },
})
