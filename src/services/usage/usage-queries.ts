import { z } from 'zod'
import { accountOrCurrent, type Caller, permit } from '../../calls/caller.ts'
import { csvText } from '../../calls/csv.ts'
import { exampleId } from '../../calls/examples.ts'
import { labelList, labelOf } from '../../calls/filters.ts'
import { id, instant } from '../../calls/input.ts'
import { DEFAULT_LIMIT, type Page, type PageRequest } from '../../calls/page.ts'
import { Csv, paging, recordListQuery, recordQuery, restQuery } from '../../calls/query.ts'
import type { Config } from '../../config/config.ts'
import { invalidField, notFound } from '../../domain/errors.ts'
import { MAX_LABEL_KEY_LENGTH } from '../../domain/labels.ts'
import { monthOf } from '../../domain/month.ts'
import {
  forecastOf,
  lineOf,
  money,
  type PricedUsage,
  type StatementLine,
  sumOf,
  totalsOf,
  type UsageLine,
} from '../../domain/usage-price.ts'
import type { Database } from '../../storage/database/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { readUsage, type UsageRange } from '../../storage/usage/usage-lines.ts'
import { requireAccount } from '../targets/load-account.ts'
import {
  type BudgetRecord,
  type BuildTotals,
  budget as budgetNoun,
  type LabelTotals,
  type StatementRecord,
  statementLine,
  type UsageRecord,
  usage,
  usageLine,
  usageStatement,
} from './usage-fields.ts'

interface Dependencies {
  database: Database
  config: Config
}

export interface UsageFilter {
  accountId?: string | undefined
  from?: string | undefined
  to?: string | undefined
  /** Only environments with all of these labels, `key=value`, of their own or of their app. */
  labels?: readonly string[] | undefined
  /** Totals by the values of this label. */
  labelKey?: string | undefined
}

const DAY_MS = 86_400_000
const MAX_DAYS = 366
/** Of a label. */
const MAX_VALUES = 1_000
const RECENT_DAYS = 7

/** Totals of a time, by default of the present month until now, and what the month will have cost. */
export async function readTotals(
  { database, config }: Dependencies,
  caller: Caller,
  filter: UsageFilter,
): Promise<UsageRecord> {
  const range = await rangeOf(database, caller, filter)
  const used = await usedBy(database, range, filter)
  const { BERTH_CURRENCY: currency } = config
  const { labelKey } = filter
  return {
    accountId: range.accountId,
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    currency,
    total: money(sumOf(used), currency),
    forecast: money(await forecast(database, range, filter), currency),
    totals: totalsOf(used),
    builds: await buildTotals(database, range, filter),
    ...(labelKey === undefined ? {} : { byLabel: await totalsByLabel(database, used, labelKey, currency) }),
  }
}

/** By day, environment and kind, in this order; all of them where no limit is asked for. */
export async function listUsageLines(
  { database }: Dependencies,
  caller: Caller,
  filter: UsageFilter,
  { limit = Number.POSITIVE_INFINITY, cursor }: PageRequest,
): Promise<Page<UsageLine>> {
  if (cursor !== undefined && !/^\d{4}-\d\d-\d\d\.[a-z0-9_]+\.[A-Z_]+$/.test(cursor)) throw unknownCursor()
  const range = await rangeOf(database, caller, filter)
  const lines = (await usedBy(database, range, filter)).map(lineOf)
  lines.sort((one, other) => (cursorOfLine(one) < cursorOfLine(other) ? -1 : 1))
  const left = cursor === undefined ? lines : lines.filter((line) => cursorOfLine(line) > cursor)
  return pageOf(left, limit, cursorOfLine)
}

export const cursorOfLine = ({ day, appEnvId, kind }: UsageLine): string => `${day}.${appEnvId}.${kind}`

/** The closed months of an account, the newest first. */
async function findStatements(
  database: Database,
  caller: Caller,
  { accountId }: { accountId?: string | undefined },
  { limit = DEFAULT_LIMIT, cursor }: PageRequest,
): Promise<Page<StatementRecord>> {
  if (cursor !== undefined && !/^\d{4}-\d\d$/.test(cursor)) throw unknownCursor()
  const rows = await database.usageStatement.findMany({
    where: {
      accountId: await permittedAccount(database, caller, accountId),
      ...(cursor === undefined ? {} : { month: { lt: cursor } }),
    },
    orderBy: { month: 'desc' },
    take: limit + 1,
  })
  const statements = rows.map(({ lines, ...row }) => ({
    ...row,
    lines: (lines as unknown as StatementLine[]).map(statementLine.answer.of),
  }))
  return pageOf<StatementRecord>(statements, limit, ({ month }) => month)
}

/** Throws NOT_FOUND for an account without a budget. */
async function findBudget(
  { database, config }: Dependencies,
  caller: Caller,
  wanted: { accountId?: string | undefined },
): Promise<BudgetRecord> {
  const accountId = await permittedAccount(database, caller, wanted.accountId)
  const budget = await database.budget.findUnique({ where: { accountId } })
  if (!budget) throw notFound('budget of the account', accountId)
  const { name: month, from, to } = monthOf(await databaseTime(database))
  const used = await readUsage(database, { accountId, from, to })
  const alerts = await database.budgetAlert.findMany({ where: { accountId, month }, orderBy: { percent: 'asc' } })
  const { BERTH_CURRENCY: currency } = config
  return {
    accountId,
    amount: money(budget.amountMicros, currency),
    currency,
    spent: money(sumOf(used), currency),
    alerts: alerts.map(({ percent }) => percent),
  }
}

function pageOf<Row>(rows: readonly Row[], limit: number, cursorOf: (row: Row) => string): Page<Row> {
  const kept = rows.slice(0, limit)
  const last = kept.at(-1)
  return { rows: kept, nextCursor: last && rows.length > limit ? cursorOf(last) : null }
}

const unknownCursor = () => invalidField('cursor', 'must be the nextCursor of an earlier answer')

async function permittedAccount(database: Database, caller: Caller, accountId: string | undefined): Promise<string> {
  const id = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
  permit(caller, 'account:read', { accountId: id })
  return id
}

async function rangeOf(database: Database, caller: Caller, { accountId, from, to }: UsageFilter) {
  const now = await databaseTime(database)
  const until = to ? new Date(to) : now
  const since = from ? new Date(from) : monthOf(until).from
  const id = await permittedAccount(database, caller, accountId)
  if (since >= until) throw invalidField('from', 'must be before to')
  if (until.getTime() - since.getTime() > MAX_DAYS * DAY_MS)
    throw invalidField('from', `must be at most ${MAX_DAYS} days before to`)
  return { accountId: id, from: since, to: until, now }
}

/** What was used in this time, of the environments that the filter leaves. */
async function usedBy(database: Database, range: UsageRange, { labels }: UsageFilter): Promise<PricedUsage[]> {
  const used = await readUsage(database, range)
  if (!labels) return used
  const wanted = new Set(await labelledAppEnvs(database, range.accountId, labels))
  return used.filter(({ appEnvId }) => wanted.has(appEnvId))
}

/** Environments of which each label is their own or their app’s: one of their own comes before one of their app. */
async function labelledAppEnvs(database: Database, accountId: string, labels: readonly string[]): Promise<string[]> {
  const found = await database.$queryRaw<{ id: string }[]>`
    SELECT e.id FROM app_env e WHERE e.account_id = ${accountId} AND NOT EXISTS (
      SELECT FROM jsonb_to_recordset(${JSON.stringify(labels.map(labelOf))}::jsonb) AS asked (key text, value text)
      WHERE asked.value IS DISTINCT FROM coalesce(
        (SELECT value FROM app_env_label l WHERE l.app_env_id = e.id AND l.key = asked.key),
        (SELECT value FROM app_label l WHERE l.app_id = e.app_id AND l.key = asked.key)))`
  return found.map(({ id }) => id)
}

/** By the same rule. Environments without the label come last. */
async function totalsByLabel(
  database: Database,
  used: readonly PricedUsage[],
  labelKey: string,
  currency: string,
): Promise<LabelTotals[]> {
  const ids = [...new Set(used.map(({ appEnvId }) => appEnvId))]
  const found = await database.$queryRaw<{ id: string; value: string | null }[]>`
    SELECT e.id, coalesce(
      (SELECT value FROM app_env_label l WHERE l.app_env_id = e.id AND l.key = ${labelKey}),
      (SELECT value FROM app_label l WHERE l.app_id = e.app_id AND l.key = ${labelKey})) AS value
    FROM app_env e WHERE e.id = ANY(${ids}::text[])`
  const valueById = new Map(found.map(({ id, value }) => [id, value]))
  const groups = Map.groupBy(used, ({ appEnvId }) => valueById.get(appEnvId) ?? null)
  const values = [...groups.keys()].filter((value) => value !== null).sort()
  if (values.length > MAX_VALUES)
    throw invalidField(
      'labelKey',
      `names a label with ${values.length} values; usage is divided by ${MAX_VALUES} at most`,
    )
  return [...values, ...(groups.has(null) ? [null] : [])].map((value) => {
    const of = groups.get(value) ?? []
    return { value, total: money(sumOf(of), currency), totals: totalsOf(of) }
  })
}

/** Of versions that were asked for in this time, whether or not they were deployed, or their environment is still there. */
async function buildTotals(
  database: Database,
  { accountId, from, to }: { accountId: string; from: Date; to: Date },
  { labels }: UsageFilter,
): Promise<BuildTotals> {
  const appEnvIds = labels ? await labelledAppEnvs(database, accountId, labels) : []
  const [sums] = await database.$queryRaw<BuildTotals[]>`
    SELECT coalesce(sum((build_use->>'cpuSeconds')::numeric), 0)::float8 AS "cpuSeconds",
      coalesce(sum((build_use->>'writtenMb')::numeric), 0)::float8 AS "writtenMb",
      (SELECT ceil(coalesce(sum(size_bytes), 0) / 1048576.0) FROM build_cache WHERE account_id = ${accountId})::int AS "cacheMb"
    FROM content
    WHERE account_id = ${accountId} AND build_use IS NOT NULL
      AND created_at >= ${from}::timestamptz AND created_at < ${to}::timestamptz
      AND (${labels === undefined} OR app_env_id = ANY(${appEnvIds}::text[]))`
  return sums ?? { cpuSeconds: 0, writtenMb: 0, cacheMb: 0 }
}

async function forecast(
  database: Database,
  { accountId, now }: { accountId: string; now: Date },
  filter: UsageFilter,
): Promise<bigint> {
  const month = monthOf(now)
  const account = await database.account.findUniqueOrThrow({ where: { id: accountId }, select: { createdAt: true } })
  const recent = new Date(Math.max(now.getTime() - RECENT_DAYS * DAY_MS, account.createdAt.getTime()))
  const costOf = async (from: Date) => sumOf(await usedBy(database, { accountId, from, to: now }, filter))
  return forecastOf({
    micros: await costOf(month.from),
    recentMicros: await costOf(recent),
    recentMs: BigInt(Math.max(0, now.getTime() - recent.getTime())),
    restMs: BigInt(month.to.getTime() - now.getTime()),
  })
}

const ofAccount = { accountId: id('account').optional() }

const COLUMNS = Object.keys(usageLine.fields) as (keyof UsageLine)[]

export const byLabels = {
  labels: labelList()
    .optional()
    .describe('Labels, as key=value: only environments with all of them, of their own or of their app.'),
  labelKey: z
    .string()
    .min(1)
    .max(MAX_LABEL_KEY_LENGTH)
    .optional()
    .describe('Key of a label: totals by its values besides, of environments or of their apps.'),
}

/** In GraphQL, totals and lines are two fields. */
export const getUsage = restQuery({
  name: 'getUsage',
  path: '/account/usage',
  permission: 'account:read',
  about:
    'What an account used, by environment, kind and day, with prices, totals and a forecast; of your current account when accountId is omitted. With `format=csv`, or `Accept: text/csv`, all lines as CSV.',
  example: {
    request: { accountId: exampleId('acc'), from: '2026-11-01T00:00:00Z', limit: 100 },
    answer: { forecast: '8.64', total: '6.91' },
  },
  input: {
    ...ofAccount,
    from: instant('Time from which on usage is counted; the beginning of the month when omitted.').optional(),
    to: instant('Time until which usage is counted; now when omitted.').optional(),
    ...byLabels,
    format: z.enum(['json', 'csv']).default('json').describe('Format of the answer. CSV has no pages.'),
    ...paging,
  },
  type: z.object({
    ...usage.answer.type.shape,
    lines: z.array(usageLine.answer.type).describe('Lines of the page, by day.'),
    nextCursor: z.string().optional().describe('Cursor of the next page; only present when there is one.'),
  }),
  mayBeCsv: true,
  async run(context, { format, limit, cursor, ...filter }) {
    const { caller } = context
    if (format === 'csv') return new Csv(csvText(COLUMNS, (await listUsageLines(context, caller, filter, {})).rows))
    const { rows: lines, nextCursor } = await listUsageLines(context, caller, filter, { limit, cursor })
    const totals = await readTotals(context, caller, filter)
    return { ...totals, lines, ...(nextCursor === null ? {} : { nextCursor }) }
  },
})

export const listStatements = recordListQuery({
  name: 'listStatements',
  path: '/account/statements',
  permission: 'account:read',
  about:
    'The statements of an account for months that are over, newest first; of your current account when accountId is omitted.',
  example: { request: { accountId: exampleId('acc'), limit: 12 } },
  input: ofAccount,
  of: usageStatement,
  list: ({ database, caller }, filter, page) => findStatements(database, caller, filter, page),
  cursorOf: ({ month }) => month,
})

export const getBudget = recordQuery({
  name: 'getBudget',
  path: '/account/budget',
  permission: 'account:read',
  about: 'The budget of an account, and how much of it is spent; of your current account when accountId is omitted.',
  example: { request: { accountId: exampleId('acc') } },
  input: ofAccount,
  of: budgetNoun,
  find: (context, filter) => findBudget(context, context.caller, filter),
})
