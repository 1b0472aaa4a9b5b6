import { z } from 'zod'
import type { Caller } from '../../calls/caller.ts'
import { commaSeparated } from '../../calls/comma-separated.ts'
import { appEnvFilter, id, instant } from '../../calls/input.ts'
import { restQuery } from '../../calls/query.ts'
import { invalidField } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import type { LogPosition } from './log-cursor.ts'
import { liveCursor, liveNumber, logCursor, logPosition, manyCursor, manyPosition } from './log-cursor.ts'
import { LOG_TYPES, type LogFilter, type LogScope, logScope, timesOf } from './log-filter.ts'
import { logLevel, logLine, logStream } from './log-line-fields.ts'
import { type LineRow, type LogRecord, logRecord, MAX_SCANNED, parsedRecord } from './log-record.ts'
import { MAX_APP_ENVS, type ManyAddress, searchManyLogs } from './search-many.ts'

export interface LogPageRequest {
  limit: number
  /** Only what comes before this, and the newest of it. */
  olderThan?: LogPosition | undefined
  /** Only what comes after this; the oldest of it, unless `olderThan` is given too. */
  newerThan?: LogPosition | undefined
}

export interface LogPage {
  /** Newest first. */
  lines: LogRecord[]
  /** Where to go on in the direction of reading; null when nothing can be left. */
  next: LogPosition | null
}

/** Searches an environment's log, whether or not the containers are there still. */
export async function searchLogs(
  database: Database,
  caller: Caller,
  address: AppEnvAddress,
  filter: LogFilter,
  request: LogPageRequest,
): Promise<LogPage> {
  const scope = await logScope(database, caller, address, filter)
  if (scope.logStreamId === null) return { lines: [], next: null }
  const isForward = request.newerThan !== undefined && request.olderThan === undefined
  const order = isForward ? Prisma.sql`ORDER BY at, number` : Prisma.sql`ORDER BY at DESC, number DESC`
  const { olderThan, newerThan, limit } = request
  const range = Prisma.sql`
    FROM log_line WHERE log_stream_id = ${scope.logStreamId} AND number <= ${scope.lastNumber} ${timesOf(filter)}
      ${olderThan ? Prisma.sql`AND (at, number) < (${olderThan.at}, ${olderThan.number})` : Prisma.empty}
      ${newerThan ? Prisma.sql`AND (at, number) > (${newerThan.at}, ${newerThan.number})` : Prisma.empty}`
  const rows = await database.$queryRaw<LineRow[]>`
    SELECT at, number, container_id AS "containerId", is_error AS "isError", is_partial AS "isPartial", message, level
    FROM (SELECT at, number, container_id, is_error, is_partial, message, level ${range} ${order} LIMIT ${MAX_SCANNED}) AS scanned
    ${scope.condition ? Prisma.sql`WHERE ${scope.condition}` : Prisma.empty}
    ${order} LIMIT ${limit + 1}`
  const kept = rows.slice(0, limit)
  const next = rows.length > limit ? (kept.at(-1) ?? null) : await endOfScan(database, scope, range, order)
  const lines = kept.map((row) => logRecord(row, scope))
  return { lines: isForward ? lines.reverse() : lines, next }
}

/**
 * The lines before and after a position, as many of either, newest first: whatever the filter finds, what surrounds it is
 * shown whole. Of the filter, only what says which output is meant counts.
 */
export async function linesAround(
  database: Database,
  caller: Caller,
  address: AppEnvAddress,
  { type, contentId, containerName, jobRunId }: LogFilter,
  { around: { at, number }, limit }: { around: LogPosition; limit: number },
): Promise<LogPage> {
  const output = { type, contentId, containerName, jobRunId }
  const after = Math.floor((limit - 1) / 2)
  const upTo = { limit: limit - after, olderThan: { at, number: number + 1n } }
  const { lines, next } = await searchLogs(database, caller, address, output, upTo)
  if (after === 0) return { lines, next }
  const newer = await searchLogs(database, caller, address, output, { limit: after, newerThan: { at, number } })
  return { lines: [...newer.lines, ...lines], next }
}

/** The last line that the search read; null when it read them all. */
async function endOfScan(database: Database, scope: LogScope, range: Prisma.Sql, order: Prisma.Sql) {
  if (!scope.condition) return null
  const [last] = await database.$queryRaw<LogPosition[]>`
    SELECT at, number ${range} ${order} OFFSET ${MAX_SCANNED - 1} LIMIT 1`
  return last ?? null
}

export interface LiveLines {
  appEnvId: string
  /** Oldest first. */
  lines: LogRecord[]
  /** Number of the last line that was sent or skipped. */
  upTo: bigint
  /** Whether that is all there was when it was read. */
  isCaughtUp: boolean
}

/** What was written after a number, in the order of writing; without one, the newest lines. */
export async function followLogs(
  database: Database,
  caller: Caller,
  address: AppEnvAddress,
  filter: LogFilter,
  { limit, after }: { limit: number; after: bigint | null },
): Promise<LiveLines> {
  const scope = await logScope(database, caller, address, filter)
  const { appEnvId, logStreamId, lastNumber } = scope
  if (logStreamId === null) return { appEnvId, lines: [], upTo: after ?? lastNumber, isCaughtUp: true }
  const isBehind = after !== null && after < lastNumber
  // Bounded like a search; the first answer shows the newest lines, any other goes on from where the last one ended.
  const until = isBehind && lastNumber - after > MAX_SCANNED ? after + BigInt(MAX_SCANNED) : lastNumber
  const since = after ?? lastNumber - BigInt(MAX_SCANNED)
  const rows = await database.$queryRaw<LineRow[]>`
    SELECT at, number, container_id AS "containerId", is_error AS "isError", is_partial AS "isPartial", message, level
    FROM log_line WHERE log_stream_id = ${logStreamId} AND number > ${since} AND number <= ${until} ${timesOf(filter)}
      ${scope.condition ? Prisma.sql`AND ${scope.condition}` : Prisma.empty}
    ORDER BY number ${after === null ? Prisma.sql`DESC` : Prisma.sql`ASC`} LIMIT ${limit}`
  if (after === null) rows.reverse()
  const isCut = after !== null && rows.length === limit
  const upTo = isCut ? (rows.at(-1)?.number ?? until) : until
  return {
    appEnvId,
    lines: rows.map((row) => logRecord(row, scope)),
    upTo: after !== null && upTo < after ? after : upTo,
    isCaughtUp: upTo >= lastNumber,
  }
}

/** In place of one environment. */
const severalAppEnvs = {
  appEnvIds: commaSeparated(
    z.string().min(1).max(100),
    MAX_APP_ENVS,
    'Ids of app environments, in place of one: their lines in the order of time.',
  ).optional(),
  appId: id('app').optional().describe('Id of an app: the lines of all its environments that you may see.'),
  accountId: id('account').optional().describe('Id of an account: the lines of all its environments that you may see.'),
}

/** Null for one environment. Throws INVALID_INPUT for what is about one environment only, and for two ways to name them. */
export function manyAddress(
  { appEnvIds, appId, accountId }: ManyAddress,
  ofOne: Readonly<Record<string, unknown>>,
): ManyAddress | null {
  const given = Object.entries({ appEnvIds, appId, accountId }).filter(([, value]) => value !== undefined)
  const [first, second] = given
  if (!first) return null
  if (second) throw invalidField(second[0], `cannot be sent together with ${first[0]}`)
  for (const [name, value] of Object.entries(ofOne))
    if (value) throw invalidField(name, `cannot be sent together with ${first[0]}: it is about one environment`)
  return { appEnvIds, appId, accountId }
}

/** What filters lines, or says where to begin, has no meaning around a line. */
export function refuseBesideAround(others: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(others))
    if (value) throw invalidField(name, 'cannot be sent together with around, which shows all lines before and after')
}

/** GraphQL has pages of them by hand, in both directions, and a subscription. */
export const listLogs = restQuery({
  name: 'listLogs',
  path: '/logs',
  permission: 'appEnv:observe',
  about:
    'Lines that the containers of an environment wrote, or with type=BUILD its builds, newest first; kept when the containers are gone. With appEnvIds, appId or accountId, of several environments in the order of time. With isLive, oldest first: the newest lines at first, then whatever was written since the cursor, with a nextCursor each time.',
  example: { request: { search: 'error', size: 100 } },
  input: {
    ...appEnvFilter,
    ...severalAppEnvs,
    contentId: z.string().min(1).max(100).optional().describe('Id of a version: only lines of that version.'),
    containerName: z.string().min(1).max(200).optional().describe('Name of a container: only lines of that container.'),
    jobRunId: z.string().min(1).max(100).optional().describe('Id of a job run: only lines of that run.'),
    type: z
      .enum(LOG_TYPES)
      .optional()
      .describe('Kind of program that wrote the lines. BUILD shows builds in place of containers.'),
    stream: logStream.type.optional().describe('Stream: only lines that were written to that stream.'),
    level: commaSeparated(logLevel.type, 5, 'Levels: only lines that name one of them.').optional(),
    search: z.string().min(1).max(500).optional().describe('Text that the lines contain, in any case.'),
    size: z.int().min(1).max(1000).default(300).describe('Maximum number of lines in the answer.'),
    from: instant('Earliest time of the items.').optional(),
    to: instant('Latest time of the items.').optional(),
    parsed: z
      .boolean()
      .default(false)
      .describe('Whether lines of JSON and logfmt come with their `text` and `fields` besides.'),
    isLive: z.boolean().default(false).describe('Whether to continue with lines that are written from now on.'),
    around: z
      .string()
      .min(1)
      .max(60)
      .optional()
      .describe('Id of a line: the line with as many before it as after it, in place of a search.'),
    cursor: z.string().min(1).max(60).optional().describe('The nextCursor of the previous answer.'),
  },
  type: z.object({
    logs: z.array(logLine.answer.type).describe('Lines of the log.'),
    nextCursor: z.string().optional().describe('Cursor to continue after these lines; absent when nothing can follow.'),
  }),
  async run(
    { database, caller },
    { size, cursor, around, isLive, parsed, level, from, to, appEnvId, envName, appEnvIds, appId, accountId, ...rest },
  ) {
    const times = { from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined }
    const filter = { ...rest, ...times, levels: level }
    const position = around === undefined ? null : logPosition(around, 'around')
    if (position) refuseBesideAround({ search: rest.search, level, stream: rest.stream, from, to, cursor, isLive })
    const shown = (lines: LogRecord[]) => lines.map((line) => logLine.answer.of(parsed ? parsedRecord(line) : line))
    const address = { appEnvId, envName }
    const { contentId, containerName, jobRunId } = rest
    const ofOne = { appEnvId, envName, contentId, containerName, jobRunId, around, isLive }
    const many = manyAddress({ appEnvIds, appId, accountId }, ofOne)
    if (many) {
      const olderThan = cursor === undefined ? undefined : manyPosition(cursor)
      const { lines, next } = await searchManyLogs(database, caller, many, filter, { limit: size, olderThan })
      return { logs: shown(lines), ...(next ? { nextCursor: manyCursor(next) } : {}) }
    }
    if (isLive) {
      const after = cursor === undefined ? null : liveNumber(cursor)
      const { lines, upTo } = await followLogs(database, caller, address, filter, { limit: size, after })
      return { logs: shown(lines), nextCursor: liveCursor(upTo) }
    }
    if (position) {
      const { lines, next } = await linesAround(database, caller, address, filter, { around: position, limit: size })
      return { logs: shown(lines), ...(next ? { nextCursor: logCursor(next) } : {}) }
    }
    const olderThan = cursor === undefined ? undefined : logPosition(cursor)
    const { lines, next } = await searchLogs(database, caller, address, filter, { limit: size, olderThan })
    return { logs: shown(lines), ...(next ? { nextCursor: logCursor(next) } : {}) }
  },
})
