import type { BuildAddress } from '../../../services/log/follow-build.ts'
import type { LogFilter } from '../../../services/log/log-filter.ts'
import type { LogRecord } from '../../../services/log/log-record.ts'
import type { GraphQLContext } from '../context.ts'

const LINES_AT_ONCE = 200
/** NOTIFY makes it quick; polling every second makes it certain. */
const POLL_MS = 1_000

/** One answer of a live log. Its lines are read when they are requested: a slow reader keeps none in memory. */
export interface LogMessage {
  /** Keeps it apart from events, whose work is shared among subscribers. */
  event: null
  lines: LogRecord[]
  upTo: bigint
}

interface FollowedLog {
  appEnvId: string
  filter: LogFilter
  after: bigint | null
}

/** Follows an environment's log until the signal fires: first the newest lines, then each new one. */
export async function* followLines(
  { services, caller }: GraphQLContext,
  { appEnvId, filter, after }: FollowedLog,
  signal: AbortSignal,
): AsyncGenerator<LogMessage, void> {
  for (let cursor = after; !signal.aborted; ) {
    const request = { limit: LINES_AT_ONCE, after: cursor }
    const { lines, upTo, isCaughtUp } = await services.logs.follow(caller, { appEnvId }, filter, request)
    const isNews = lines.length > 0 || cursor === null
    cursor = upTo
    if (isNews) yield { event: null, lines, upTo }
    if (isCaughtUp) await services.logs.next(appEnvId, POLL_MS, signal)
  }
}

/** A part of a build's output. */
export interface BuildLogMessage extends LogMessage {
  contentId: string
  hasEnded: boolean
}

/**
 * Follows a build's output from the first line, or from the cursor, until the build has ended and all lines are sent.
 */
export async function* followBuildLines(
  { services, caller }: GraphQLContext,
  build: BuildAddress,
  after: bigint | null,
  signal: AbortSignal,
): AsyncGenerator<BuildLogMessage, void> {
  const { appEnvId, contentId } = build
  for (let cursor = after, isFirst = true; !signal.aborted; isFirst = false) {
    const request = { limit: LINES_AT_ONCE, after: cursor }
    const { lines, upTo, isCaughtUp, hasEnded } = await services.logs.followBuild(caller, build, request)
    cursor = upTo
    if (isFirst || lines.length > 0 || hasEnded) yield { event: null, lines, upTo, contentId, hasEnded }
    if (hasEnded) return
    if (isCaughtUp) await services.logs.next(appEnvId, POLL_MS, signal)
  }
}
