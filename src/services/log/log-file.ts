import { type Caller, may } from '../../calls/caller.ts'
import { findRows } from '../../calls/read.ts'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../storage/database/client.ts'
import { type Container, Prisma } from '../../storage/database/generated/prisma/client.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import type { ManyPosition } from './log-cursor.ts'
import { conditionOf, type LogFilter, logScope, timesOf } from './log-filter.ts'
import { logLine } from './log-line-fields.ts'
import { type LineRow, type LogRecord, logRecord, MAX_SCANNED } from './log-record.ts'
import { type ManyAddress, watchedScopes } from './search-many.ts'

/** Lines that are read at once, of all logs together: a line has at most 16 KB. */
const PAGE_LINES = 500
const MIN_PAGE_LINES = 10
/** Text that is handed on at once. */
const CHUNK_LENGTH = 16 * 1024
/** Of several environments; more are looked up again. */
const MAX_CONTAINERS_KEPT = 10_000

export const LOG_FILE_FORMATS = ['ndjson', 'text'] as const
export type LogFileFormat = (typeof LOG_FILE_FORMATS)[number]

/** The log of one environment, as far as a file has it: up to the line that was its last when the file was opened. */
export interface LogSource {
  logStreamId: number
  appEnvId: string
  lastNumber: bigint
  containers: Map<number, Container>
  format: Parameters<typeof logRecord>[1]['format']
  condition: Prisma.Sql | null
}

/** The logs that are meant. Throws for what the caller may not watch. */
export async function logSources(
  database: Database,
  caller: Caller,
  address: AppEnvAddress,
  many: ManyAddress | null,
  filter: LogFilter,
): Promise<LogSource[]> {
  if (!many) {
    const scope = await logScope(database, caller, address, filter)
    const { logStreamId, containers } = scope
    return logStreamId === null ? [] : [{ ...scope, logStreamId, containers: new Map(containers) }]
  }
  const scopes = await watchedScopes(database, caller, many, filter)
  const condition = conditionOf(filter, [])
  return [...scopes].map(([logStreamId, scope]) => ({ ...scope, logStreamId, containers: new Map(), condition }))
}

/** Whether the caller may still watch all of them. */
export const mayWatchAll = async (database: Database, caller: Caller, appEnvIds: string[]): Promise<boolean> => {
  const where = { id: { in: appEnvIds }, deletedAt: null }
  const appEnvs = await database.appEnv.findMany({ where, select: { id: true, accountId: true } })
  const watched = appEnvs.filter(({ id, accountId }) => may(caller, 'appEnv:observe', { accountId, appEnvId: id }))
  return watched.length === new Set(appEnvIds).size
}

type Limits = Pick<Config, 'BERTH_LOG_DOWNLOAD_LINES' | 'BERTH_LOG_DOWNLOAD_SECONDS'>

/**
 * The text of a file, oldest line first, a piece at a time: what is held does not grow with the file. Over a limit it ends with
 * a line that says so.
 */
export async function* logFileText(
  database: Database,
  config: Limits,
  sources: readonly LogSource[],
  filter: LogFilter,
  format: LogFileFormat,
): AsyncGenerator<string> {
  const { BERTH_LOG_DOWNLOAD_LINES: maxLines, BERTH_LOG_DOWNLOAD_SECONDS: maxSeconds } = config
  const endsAt = performance.now() + maxSeconds * 1000
  let lines = 0
  let text = ''
  for await (const { record } of inOrder(database, sources, filter)) {
    if (lines >= maxLines || performance.now() > endsAt) {
      const why = lines >= maxLines ? `${maxLines} lines` : `${maxSeconds} seconds`
      yield text + truncated(format, why, record.timestamp)
      return
    }
    text += WRITTEN[format](record)
    lines += 1
    if (text.length < CHUNK_LENGTH) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

const WRITTEN: Readonly<Record<LogFileFormat, (record: LogRecord) => string>> = {
  ndjson: (record) => `${JSON.stringify(logLine.answer.of(record))}\n`,
  text: ({ timestamp, containerName, stream, message }) => `${timestamp} ${containerName} ${stream} ${message}\n`,
}

/** The last line of a file that is not whole. No line of a log has the field, or begins so. */
const truncated = (format: LogFileFormat, after: string, continueFrom: string): string =>
  format === 'ndjson'
    ? `${JSON.stringify({ truncatedAfter: after, continueFrom })}\n`
    : `# truncated after ${after}; continue with from=${continueFrom}\n`

interface SourceLine {
  position: ManyPosition
  record: LogRecord
}

/** The lines of all logs in the order of time; of one nanosecond, by the number of their log. */
async function* inOrder(
  database: Database,
  sources: readonly LogSource[],
  filter: LogFilter,
): AsyncGenerator<SourceLine> {
  const size = Math.max(MIN_PAGE_LINES, Math.floor(PAGE_LINES / Math.max(1, sources.length)))
  const readers = sources.map((source) => linesOf(database, source, filter, size))
  const heads = await Promise.all(readers.map((reader) => reader.next()))
  for (;;) {
    let first = -1
    for (const [index, head] of heads.entries()) {
      if (head.done) continue
      const best = heads[first]
      if (!best || best.done || isBefore(head.value.position, best.value.position)) first = index
    }
    const [head, reader] = [heads[first], readers[first]]
    if (!head || head.done || !reader) return
    yield head.value
    heads[first] = await reader.next()
  }
}

const isBefore = (one: ManyPosition, other: ManyPosition): boolean =>
  one.at === other.at
    ? one.streamId === other.streamId
      ? one.number < other.number
      : one.streamId < other.streamId
    : one.at < other.at

/** One log, oldest line first, in pages: each is a statement of its own, which reads a bounded number of lines. */
async function* linesOf(
  database: Database,
  source: LogSource,
  filter: LogFilter,
  size: number,
): AsyncGenerator<SourceLine, void> {
  const { logStreamId: streamId, lastNumber, condition } = source
  let after: { at: bigint; number: bigint } | null = null
  do {
    const range: Prisma.Sql = Prisma.sql`
      FROM log_line WHERE log_stream_id = ${streamId} AND number <= ${lastNumber} ${timesOf(filter)}
        ${after ? Prisma.sql`AND (at, number) > (${after.at}, ${after.number})` : Prisma.empty}
      ORDER BY at, number`
    const rows: LineRow[] = await database.$queryRaw<LineRow[]>`
      SELECT at, number, container_id AS "containerId", is_error AS "isError", is_partial AS "isPartial", message, level
      FROM (SELECT at, number, container_id, is_error, is_partial, message, level ${range}
        LIMIT ${condition ? MAX_SCANNED : size}) AS scanned
      ${condition ? Prisma.sql`WHERE ${condition}` : Prisma.empty} ORDER BY at, number LIMIT ${size}`
    await nameContainers(database, source, rows)
    for (const row of rows) yield { position: { ...row, streamId }, record: logRecord(row, source) }
    if (rows.length === size) after = rows.at(-1) ?? null
    // Nothing more in what was scanned: from its end on, if that was not the end of the log.
    else after = condition ? await endOfScan(database, range) : null
  } while (after)
}

async function endOfScan(database: Database, range: Prisma.Sql) {
  const [last] = await database.$queryRaw<{ at: bigint; number: bigint }[]>`
    SELECT at, number ${range} OFFSET ${MAX_SCANNED - 1} LIMIT 1`
  return last ?? null
}

async function nameContainers(database: Database, { containers }: LogSource, rows: readonly LineRow[]): Promise<void> {
  const unknown = [...new Set(rows.map(({ containerId }) => containerId))].filter((id) => !containers.has(id))
  if (unknown.length === 0) return
  if (containers.size > MAX_CONTAINERS_KEPT) containers.clear()
  const found = await findRows(database, 'Container', { where: { id: { in: unknown } } })
  for (const container of found) containers.set(container.id, container)
}
