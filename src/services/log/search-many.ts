import { getAppType } from '../../app-types/app-types.ts'
import { engineOf } from '../../app-types/behaviours.ts'
import type { LogFormat } from '../../app-types/engines/engine-logs.ts'
import { type Caller, may, permit } from '../../calls/caller.ts'
import { findRow, findRows } from '../../calls/read.ts'
import { invalidField, notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { observeAppEnv } from '../targets/get-app-env.ts'
import type { ManyPosition } from './log-cursor.ts'
import { conditionOf, kindOf, type LogFilter, timesOf } from './log-filter.ts'
import { type LineRow, type LogRecord, logRecord, MAX_SCANNED } from './log-record.ts'

/** Of one search. */
export const MAX_APP_ENVS = 100
/** Lines that a search reads of each environment at least. */
const MIN_SHARE = 2_500

/** Environments: those named, or all of an app or an account that the caller may watch. */
export interface ManyAddress {
  appEnvIds?: readonly string[] | undefined
  appId?: string | undefined
  accountId?: string | undefined
}

export interface ManyPage {
  /** Newest first; of one nanosecond, in an order that does not change. */
  lines: (LogRecord & { streamId: number })[]
  /** Where to go on; null when nothing can be left. */
  next: ManyPosition | null
}

/**
 * Searches the logs of several environments as one, in the order of time. The lines that are read are shared among them, so that
 * a search of many costs no more than one of one.
 */
export async function searchManyLogs(
  database: Database,
  caller: Caller,
  address: ManyAddress,
  filter: Omit<LogFilter, 'contentId' | 'containerName' | 'jobRunId'>,
  { limit, olderThan }: { limit: number; olderThan?: ManyPosition | undefined },
): Promise<ManyPage> {
  const scopes = await watchedScopes(database, caller, address, filter)
  if (scopes.size === 0) return { lines: [], next: null }
  const condition = conditionOf(filter, [])
  const share = condition ? Math.max(MIN_SHARE, Math.floor(MAX_SCANNED / scopes.size)) : limit + 1
  const streams = Prisma.sql`unnest(${[...scopes.keys()]}::int[],
    ${[...scopes.values()].map(({ lastNumber }) => String(lastNumber))}::bigint[]) AS s (id, last_number)`
  const range = Prisma.sql`
    FROM log_line WHERE log_stream_id = s.id AND number <= s.last_number ${timesOf(filter)}
    ${olderThan ? Prisma.sql`AND at <= ${olderThan.at} AND (at, s.id, number) < (${olderThan.at}, ${olderThan.streamId}, ${olderThan.number})` : Prisma.empty}
    ORDER BY at DESC, number DESC`
  // Where one environment was not read further, no other is shown further: else lines between would be missing.
  const [end = null] = condition
    ? await database.$queryRaw<ManyPosition[]>`
        SELECT l.at, s.id AS "streamId", l.number
        FROM ${streams} CROSS JOIN LATERAL (SELECT at, number ${range} OFFSET ${share - 1} LIMIT 1) AS l
        ORDER BY l.at DESC, s.id DESC, l.number DESC LIMIT 1`
    : []
  const rows = await database.$queryRaw<(LineRow & { streamId: number })[]>`
    SELECT s.id AS "streamId", l.at, l.number, l.container_id AS "containerId", l.is_error AS "isError",
      l.is_partial AS "isPartial", l.message, l.level
    FROM ${streams} CROSS JOIN LATERAL (
      SELECT * FROM (SELECT at, number, container_id, is_error, is_partial, message, level ${range} LIMIT ${share}) AS scanned
      ${condition ? Prisma.sql`WHERE ${condition}` : Prisma.empty}
      ORDER BY at DESC, number DESC LIMIT ${limit + 1}) AS l
    ${end ? Prisma.sql`WHERE (l.at, s.id, l.number) >= (${end.at}, ${end.streamId}, ${end.number})` : Prisma.empty}
    ORDER BY l.at DESC, s.id DESC, l.number DESC LIMIT ${limit + 1}`
  const kept = rows.slice(0, limit)
  const ids = [...new Set(kept.map(({ containerId }) => containerId))]
  const found = await findRows(database, 'Container', { where: { id: { in: ids } } })
  const containers = new Map(found.map((container) => [container.id, container]))
  const lines = kept.flatMap((row) => {
    const scope = scopes.get(row.streamId)
    return scope
      ? [
          Object.assign(logRecord(row, { appEnvId: scope.appEnvId, format: scope.format, containers }), {
            streamId: row.streamId,
          }),
        ]
      : []
  })
  return { lines, next: rows.length > limit ? (kept.at(-1) ?? null) : end }
}

/** The logs of several environments, by their ids. Throws for what the caller may not watch. */
export const watchedScopes = async (
  database: Database,
  caller: Caller,
  address: ManyAddress,
  filter: LogFilter,
): Promise<Map<number, Scope>> => scopesOf(database, await watchedIds(database, caller, address), filter)

async function watchedIds(database: Database, caller: Caller, address: ManyAddress): Promise<string[]> {
  const { appEnvIds, appId, accountId } = address
  if (appEnvIds) {
    for (const appEnvId of appEnvIds) await observeAppEnv(database, caller, { appEnvId })
    return [...appEnvIds]
  }
  const owner = appId ? await accountOfApp(database, appId) : await existingAccount(database, accountId ?? '')
  const appEnvs = await findRows(database, 'AppEnv', {
    where: { deletedAt: null, ...(appId ? { appId } : { accountId: owner }) },
    select: { id: true },
    orderBy: { id: 'asc' },
  })
  const watched = appEnvs.filter(({ id }) => may(caller, 'appEnv:observe', { accountId: owner, appEnvId: id }))
  if (watched.length === 0) permit(caller, 'appEnv:observe', { accountId: owner })
  if (watched.length > MAX_APP_ENVS)
    throw invalidField(
      appId ? 'appId' : 'accountId',
      `has ${watched.length} environments, and a search reads ${MAX_APP_ENVS} at most: name them by appEnvIds`,
    )
  return watched.map(({ id }) => id)
}

async function accountOfApp(database: Database, id: string): Promise<string> {
  const app = await findRow(database, 'App', { where: { id, deletedAt: null }, select: { accountId: true } })
  if (!app) throw notFound('app', id)
  return app.accountId
}

async function existingAccount(database: Database, id: string): Promise<string> {
  const account = await findRow(database, 'Account', { where: { id }, select: { id: true } })
  if (!account) throw notFound('account', id)
  return account.id
}

export interface Scope {
  appEnvId: string
  lastNumber: bigint
  format: LogFormat | null
}

/** The log of each environment, by its id. */
async function scopesOf(database: Database, ids: readonly string[], filter: LogFilter): Promise<Map<number, Scope>> {
  const appEnvs = await database.appEnv.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, app: { select: { type: true, dockerPreset: true } } },
  })
  const streams = await database.logStream.findMany({ where: { appEnvId: { in: [...ids] } } })
  const scopes = appEnvs.flatMap(({ id, app }) => {
    const ownType = getAppType(app.type).logType
    const kind = kindOf(filter, ownType)
    const stream = streams.find((one) => one.appEnvId === id && one.kind === kind)
    const isOfType = kind !== 'CONTAINERS' || filter.type === undefined || filter.type === ownType
    if (!stream || !isOfType) return []
    const format = kind === 'BUILDS' ? null : (engineOf(app)?.logs ?? null)
    return [[stream.id, { appEnvId: id, lastNumber: stream.lastNumber, format }] as const]
  })
  return new Map(scopes)
}
