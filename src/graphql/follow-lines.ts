import { leavable } from '../events/leavable.ts'
import { permit } from '../services/caller.ts'
import type { LogFilter } from '../services/log/log-filter.ts'
import type { LogRecord } from '../services/log/read-logs.ts'
import type { GraphQLContext } from './context.ts'
import { watchAccess } from './follow.ts'

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
  accountId: string
  filter: LogFilter
  after: bigint | null
}

/** Follows an environment's log until the caller leaves, loses access, or the environment is deleted. */
export function followLines(context: GraphQLContext, followed: FollowedLog): AsyncGenerator<LogMessage, void> {
  const leaving = new AbortController()
  return leavable(messages(context, followed, leaving), () => leaving.abort())
}

async function* messages(
  context: GraphQLContext,
  { appEnvId, accountId, filter, after }: FollowedLog,
  leaving: AbortController,
): AsyncGenerator<LogMessage, void> {
  const { services, caller } = context
  let refusal: unknown = null
  const stopWatching = watchAccess(context, {
    permit: (present) => permit(present, 'appEnv:read', { accountId, appEnvId }),
    lose(reason) {
      refusal = reason
      leaving.abort()
    },
  })
  try {
    for (let place = after; !leaving.signal.aborted; ) {
      const { lines, upTo } = await services.logs.follow(caller, { appEnvId }, filter, {
        limit: LINES_AT_ONCE,
        after: place,
      })
      const isNews = lines.length > 0 || place === null
      const isCaughtUp = place === null || lines.length < LINES_AT_ONCE
      place = upTo
      if (isNews) yield { event: null, lines, upTo }
      if (isCaughtUp) await services.logs.next(appEnvId, LOOK_AGAIN_MS, leaving.signal)
    }
    if (refusal) throw refusal
  } finally {
    stopWatching()
  }
}
