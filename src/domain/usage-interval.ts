/** What is metered. */
export type UsageKind = 'COMPUTE' | 'FROZEN' | 'JOB_RUN' | 'BUILD' | 'VOLUME' | 'BACKUP'

/** A time in which something was used, as the usage log has it. Only the newest one of a container grows. */
export interface UsageInterval {
  kind: UsageKind
  /** The engine's time of the start of the run that it belongs to. */
  runAt: Date
  startedAt: Date
  /** It is known to have been used until then. */
  until: Date
  hasEnded: boolean
  /** Restarts by the engine before this run. */
  restartCount: number
}

/** A container, as a worker has just observed it. */
export interface SeenRun {
  kind: UsageKind
  runAt: Date
  /** When the engine says that it ended; null while it runs. */
  finishedAt: Date | null
  /** It was running at this time, by the database; null where it was not asked for. */
  seenAt: Date | null
  /** End of the run before this one, which a restart leaves behind. */
  formerEndAt: Date | null
  restartCount: number
  /** It became of this kind at `seenAt`; otherwise it had become so before. */
  hasJustChanged?: boolean
}

/** What follows for the log: how far its newest interval reaches, and which ones come after it. */
export interface UsageChange {
  newest: Pick<UsageInterval, 'until' | 'hasEnded'> | null
  added: readonly UsageInterval[]
}

const NOTHING: UsageChange = { newest: null, added: [] }

/**
 * What a sighting adds to the newest interval of its container. The same sighting may be recorded again, in any order:
 * nothing is counted twice, and nothing unobserved is counted. What is before `openSince` is final.
 */
export function followRun(newest: UsageInterval | null, seen: SeenRun, openSince: Date): UsageChange {
  if (!newest) return { newest: null, added: begun(seen, openSince) }
  // The worker was paused between observing and recording.
  if (seen.runAt < newest.runAt) return NOTHING
  if (seen.runAt > newest.runAt) {
    const former = newest.hasEnded ? NOTHING : reach(newest, formerEnd(newest, seen), true, openSince)
    // Where clocks differ, a run may seem to begin before the former one was seen for the last time.
    const earliest = later(openSince, former.added.at(-1)?.until ?? former.newest?.until ?? newest.until)
    return { newest: former.newest, added: [...former.added, ...begun(seen, earliest)] }
  }
  return newest.hasEnded ? resumed(newest, seen) : sameRun(newest, seen, openSince)
}

function sameRun(newest: UsageInterval, seen: SeenRun, openSince: Date): UsageChange {
  const { kind, finishedAt, seenAt } = seen
  if (finishedAt) return reach(newest, finishedAt, true, openSince)
  if (!seenAt) return NOTHING
  if (kind === newest.kind) return reach(newest, later(seenAt, newest.until), false, openSince)
  // It was seen before it became what it is known to be.
  if (seenAt <= newest.startedAt) return NOTHING
  const former = reach(newest, seen.hasJustChanged ? seenAt : newest.until, true, openSince)
  return { newest: former.newest, added: [...former.added, interval(seen, seenAt, seenAt, false)] }
}

/** What was taken for gone runs after all: from now on. */
const resumed = ({ until }: UsageInterval, seen: SeenRun): UsageChange =>
  seen.finishedAt || !seen.seenAt || seen.seenAt <= until
    ? NOTHING
    : { newest: null, added: [interval(seen, seen.seenAt, seen.seenAt, false)] }

/** A run that was not observed before: the engine knows when it began, and perhaps when it ended. */
function begun(seen: SeenRun, earliest: Date): UsageInterval[] {
  const startedAt = later(seen.runAt, earliest)
  const { finishedAt, seenAt } = seen
  if (finishedAt) return finishedAt > startedAt ? [interval(seen, startedAt, finishedAt, true)] : []
  return [interval(seen, startedAt, later(startedAt, seenAt ?? startedAt), false)]
}

/** The engine keeps one end only: where more runs came in between, it is not that of the one that was seen. */
function formerEnd({ until, restartCount }: UsageInterval, { formerEndAt, runAt, ...seen }: SeenRun): Date {
  const restarts = seen.restartCount - restartCount
  const isItsOwn = restarts === 0 || restarts === 1
  return isItsOwn && formerEndAt && formerEndAt >= until && formerEndAt <= runAt ? formerEndAt : until
}

/** A part that became known after its month was closed is not counted: the interval ends, and another one goes on. */
function reach(newest: UsageInterval, to: Date, hasEnded: boolean, openSince: Date): UsageChange {
  if (newest.until >= openSince) {
    const earliest = newest.startedAt < openSince ? openSince : newest.startedAt
    return { newest: { until: later(to, earliest), hasEnded }, added: [] }
  }
  const rest = interval(newest, openSince, later(to, openSince), hasEnded)
  return { newest: { until: newest.until, hasEnded: true }, added: to > openSince || !hasEnded ? [rest] : [] }
}

type RunFacts = Pick<UsageInterval, 'kind' | 'runAt' | 'restartCount'>

const interval = ({ kind, runAt, restartCount }: RunFacts, startedAt: Date, until: Date, hasEnded: boolean) => ({
  kind,
  runAt,
  restartCount,
  startedAt,
  until,
  hasEnded,
})

/** Nothing follows: most sightings are of what is known. */
export const isNothing = ({ newest, added }: UsageChange): boolean => newest === null && added.length === 0

const later = (one: Date, other: Date): Date => (one > other ? one : other)
