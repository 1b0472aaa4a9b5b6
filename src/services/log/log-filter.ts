import { getAppType } from '../../app-types/app-types.ts'
import { engineOf } from '../../app-types/behaviours.ts'
import type { LogFormat } from '../../app-types/engines/engine-logs.ts'
import { logTypes, runLogType } from '../../app-types/wire-names.ts'
import type { Caller } from '../../calls/caller.ts'
import { findByKey, findRows } from '../../calls/read.ts'
import { type LogLevel, levelNumber } from '../../domain/log-level.ts'
import type { Database } from '../../storage/database/client.ts'
import { type Container, type LogStreamKind, Prisma } from '../../storage/database/generated/prisma/client.ts'
import { observeAppEnv } from '../targets/get-app-env.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'

const BUILDS = 'BUILD'

/** Output of containers of each type, and of builds. */
export const LOG_TYPES = [...logTypes(), BUILDS] as const

export interface LogFilter {
  /** The source of the lines: builds or containers. No lines match when the environment is of another type. */
  type?: string | undefined
  contentId?: string | undefined
  containerName?: string | undefined
  /** Only what the attempts of that run wrote. */
  jobRunId?: string | undefined
  stream?: 'stdout' | 'stderr' | undefined
  /** Part of the message, ignoring case. */
  search?: string | undefined
  /** Only lines that name one of these. */
  levels?: readonly LogLevel[] | undefined
  from?: Date | undefined
  to?: Date | undefined
}

/** The log to search, and which of its lines. */
export interface LogScope {
  appEnvId: string
  /** Null while nothing was ever logged. */
  logStreamId: number | null
  lastNumber: bigint
  containers: ReadonlyMap<number, Container>
  /** How its lines read; null unless it is a managed service. */
  format: LogFormat | null
  /** The lines' conditions apart from position; null when all lines match. */
  condition: Prisma.Sql | null
}

export async function logScope(
  database: Database,
  caller: Caller,
  address: AppEnvAddress,
  filter: LogFilter,
): Promise<LogScope> {
  const { id: appEnvId, appId } = await observeAppEnv(database, caller, address)
  const app = await database.app.findUniqueOrThrow({ where: { id: appId }, select: { type: true, dockerPreset: true } })
  const ownType = getAppType(app.type).logType
  const kind = kindOf(filter, ownType)
  const stream = await findByKey(database, 'LogStream', { where: { appEnvId, kind } })
  const { contentId, containerName: name, jobRunId } = filter
  const attempts = jobRunId ? await findRows(database, 'JobAttempt', { where: { runId: jobRunId } }) : []
  const names = attempts.map(({ containerName }) => containerName)
  const containers = await findRows(database, 'Container', {
    where: {
      appEnvId,
      ...(contentId ? { contentId } : {}),
      ...(jobRunId ? { name: { in: names } } : {}),
      ...(name ? { name } : {}),
    },
  })
  const isOfType = kind !== 'CONTAINERS' || filter.type === undefined || filter.type === ownType
  return {
    appEnvId,
    logStreamId: isOfType ? (stream?.id ?? null) : null,
    lastNumber: stream?.lastNumber ?? 0n,
    containers: new Map(containers.map((container) => [container.id, container])),
    format: kind === 'BUILDS' ? null : (engineOf(app)?.logs ?? null),
    condition: conditionOf(filter, containers),
  }
}

/** Lines of runs have a log of their own, in any environment: it is the log of one that has nothing else. */
export function kindOf({ type, jobRunId }: LogFilter, ownType: string): LogStreamKind {
  if (type === BUILDS) return 'BUILDS'
  return jobRunId || (type ?? ownType) === runLogType() ? 'RUNS' : 'CONTAINERS'
}

/** Conditions on a line apart from its position; null when there are none. */
export function conditionOf(
  { contentId, containerName, jobRunId, stream, search, levels }: LogFilter,
  containers: Container[],
) {
  const ids = containers.map(({ id }) => id)
  const conditions = [
    ...(contentId || containerName || jobRunId ? [Prisma.sql`container_id = ANY(${ids}::int[])`] : []),
    ...(stream ? [Prisma.sql`is_error = ${stream === 'stderr'}`] : []),
    ...(levels ? [Prisma.sql`level = ANY(${levels.map(levelNumber)}::smallint[])`] : []),
    ...(search ? [Prisma.sql`message ILIKE ${`%${search.replaceAll(/[\\%_]/g, '\\$&')}%`}`] : []),
  ]
  return conditions.length > 0 ? Prisma.join(conditions, ' AND ') : null
}

const NANOSECONDS_PER_MS = 1_000_000n
/** Nanoseconds of other years do not fit PostgreSQL's bigint, and no line was ever logged then. */
const [FIRST_TIME, LAST_TIME] = [Date.UTC(1700, 0), Date.UTC(2250, 0)]

/** The times as conditions on a line's time; `to` is included to its millisecond. */
export function timesOf({ from, to }: LogFilter): Prisma.Sql {
  const nanoseconds = (date: Date) =>
    BigInt(Math.min(Math.max(date.getTime(), FIRST_TIME), LAST_TIME)) * NANOSECONDS_PER_MS
  return Prisma.sql`
    ${from ? Prisma.sql`AND at >= ${nanoseconds(from)}` : Prisma.empty}
    ${to ? Prisma.sql`AND at < ${nanoseconds(to) + NANOSECONDS_PER_MS}` : Prisma.empty}`
}
