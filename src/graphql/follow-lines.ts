import type { LogFilter } from '../services/log/log-filter.ts'
import type { LogRecord } from '../services/log/read-logs.ts'
import type { GraphQLContext } from './context.ts'

const LINES_AT_ONCE = 200
/** NOTIFY makes it quick; looking every second makes it certain. */
const LOOK_AGAIN_MS = 1_000

/** One answer of a live log. Its lines are read when they are asked for: a slow reader keeps none in memory. */
export interface LogMessage {
  /** Not an event of a ledger, which would be shared among subscribers. */
  event: null
  lines: LogRecord[]
  upTo: bigint
}

interface FollowedLog {
  appEnvId: string
  filter: LogFilter
  after: bigint | null
}

/** Follows an environment's log until the signal fires: the newest lines at first, then whatever is written. */
export async function* followLines(
  { services, caller }: GraphQLContext,
  { appEnvId, filter, after }: FollowedLog,
  signal: AbortSignal,
): AsyncGenerator<LogMessage, void> {
  for (let place = after; !signal.aborted; ) {
    const request = { limit: LINES_AT_ONCE, after: place }
    const { lines, upTo } = await services.logs.follow(caller, { appEnvId }, filter, request)
    const isNews = lines.length > 0 || place === null
    const isCaughtUp = place === null || lines.length < LINES_AT_ONCE
    place = upTo
    if (isNews) yield { event: null, lines, upTo }
    if (isCaughtUp) await services.logs.next(appEnvId, LOOK_AGAIN_MS, signal)
  }
}
