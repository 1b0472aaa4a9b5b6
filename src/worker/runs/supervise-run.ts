import { backoff } from '../../domain/backoff.ts'
import { Failure } from '../../domain/failure.ts'
import type { AttemptEnd } from '../../domain/job-attempt.ts'
import { hasRunEnded } from '../../domain/job-run.ts'
import { ImageError } from '../../engines/images/image-builder.ts'
import { RuntimeError } from '../../engines/runtime/container-runtime.ts'
import type { JobAttempt } from '../../storage/database/generated/prisma/client.ts'
import { isEngineAway } from '../engine/engine-health.ts'
import { maskedError } from '../text/masked-error.ts'
import { sleep } from '../time/sleep.ts'
import { ContainerGone, openAttempt, startAttempt } from './begin-attempt.ts'
import { type Ended, endWithoutAttempt, recordAttemptEnd } from './end-attempt.ts'
import { fencedRun } from './fenced-run.ts'
import { type LoadedRun, loadRun, type RunContext } from './run-context.ts'
import { watchAttempt } from './watch-attempt.ts'

const ENGINE_PAUSE_MS = 1_000
const RETRY_MS = { first: 500, max: 10_000 }
/** Failures in a row, of Berth or the engine, before the attempt counts as failed. */
const MAX_FAILURES = 8
/** A container that was watched for so long ran well: an earlier failure has nothing to do with the next one. */
const LONG_WATCH_MS = 600_000

/**
 * Carries out one run from wherever it is, until it has ended or its next attempt is due later. Relies on nothing but
 * the database and the engine, so that it may be killed at any line. Throws when the lease is lost or the worker stops.
 */
export async function superviseRun(context: RunContext, claimed: LoadedRun): Promise<void> {
  const runId = claimed.run.id
  for (let failures = 0, loaded = claimed; ; loaded = await loadRun(context.database, runId)) {
    context.lease.assertHeld()
    if (hasRunEnded(loaded.run.status)) return
    let watchedFrom: number | null = null
    try {
      return await step(context, loaded, () => {
        watchedFrom = performance.now()
      })
    } catch (error) {
      context.lease.assertHeld()
      const present = await loadRun(context.database, runId)
      if (isEngineAway(error)) {
        if (await outwaited(context, present)) return
        await sleep(ENGINE_PAUSE_MS, context.signal)
        continue
      }
      const watchedMs = watchedFrom === null ? null : performance.now() - watchedFrom
      failures = failuresInARow(failures, { watchedMs, isBeingStopped: Boolean(present.attempt?.stopReason) })
      const failure = failureOf(error, failures)
      if (failure && present.attempt) return giveUp(context, present, failure)
      // Not even an attempt could be recorded: the next claim of the run tries again.
      if (failure) throw error
      context.log.warn(
        { err: maskedError(error, await context.mask()), jobRunId: runId },
        'A step of a job run failed; it is retried',
      )
      await sleep(backoff(RETRY_MS, failures - 1), context.signal)
    }
  }
}

async function step(context: RunContext, loaded: LoadedRun, watches: () => void): Promise<void> {
  const { cancelReason } = loaded.run
  if (cancelReason && !loaded.attempt) return endWithoutAttempt(context, loaded, cancelReason)
  const present = loaded.attempt ? loaded : withAttempt(loaded, await openAttempt(context, loaded))
  await context.engine.requireReachable()
  if (cancelReason && !present.attempt?.containerId)
    return recordAttemptEnd(context, present, { ...NOTHING_RAN, stopReason: 'CANCEL', ...times(context, present) })
  const started = await startAttempt(context, present)
  watches()
  await watchAttempt(context, started)
}

const withAttempt = (loaded: LoadedRun, attempt: JobAttempt): LoadedRun => ({
  ...loaded,
  attempt,
  attempts: [...loaded.attempts, attempt],
})

/** Failures in a row, with the one that has just come. `watchedMs` is null when the container was not even watched. */
export const failuresInARow = (
  before: number,
  { watchedMs, isBeingStopped }: { watchedMs: number | null; isBeingStopped: boolean },
): number => (watchedMs !== null && watchedMs >= LONG_WATCH_MS && !isBeingStopped ? 1 : before + 1)

/**
 * Ends an attempt that cannot go on. Its container is removed first: unwatched, it would run on beside
 * the next attempt, and beside as many runs as are allowed. When that fails, the attempt is still open, and the
 * next claim of the run goes on with it.
 */
async function giveUp(context: RunContext, loaded: LoadedRun, failure: AttemptFailure): Promise<void> {
  const containerId = loaded.attempt?.containerId
  if (containerId) await context.engine.removeRuns(containerId)
  await recordAttemptEnd(context, loaded, abandoned(context, loaded, failure))
}

/** The end of an attempt whose container was not seen to end. What Berth was stopping it for remains the reason. */
const abandoned = (context: RunContext, loaded: LoadedRun, failure: AttemptFailure): Ended => ({
  ...NOTHING_RAN,
  ...failure,
  ...times(context, loaded),
  stopReason: (loaded.attempt?.stopReason ?? null) as AttemptEnd['stopReason'],
})

const NOTHING_RAN: AttemptEnd = { exitCode: null, outOfMemory: false, stopReason: null, engineWasAway: false }

const times = ({ lease }: RunContext, { attempt }: LoadedRun) => ({
  startedAt: attempt?.startedAt ?? null,
  finishedAt: lease.claim.clock.now(),
})

type AttemptFailure = Required<Pick<Ended, 'failure' | 'message'>>

/** The failure of the attempt; null while it is tried again. */
function failureOf(error: unknown, failures: number): AttemptFailure | null {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof ContainerGone) return { failure: 'CONTAINER_REMOVED', message }
  if (error instanceof ImageError && (error.isFinal || failures >= MAX_FAILURES))
    return { failure: 'IMAGE_GONE', message }
  if (error instanceof RuntimeError && error.reason === 'IMAGE_NOT_FOUND') return { failure: 'IMAGE_GONE', message }
  if (error instanceof RuntimeError && error.reason === 'START_LOST') return { failure: 'ENGINE_LOST', message }
  if (error instanceof Failure && error.isFinal) return { failure: 'START_FAILED', message }
  if (failures < MAX_FAILURES) return null
  const isShown = error instanceof Error && error.constructor === Error
  return { failure: 'INTERNAL', message: isShown ? message : 'Something unexpected went wrong; the log says what' }
}

/**
 * Without an engine the run waits, for as long as operations would beyond its own time. Records that the engine was
 * away while the command ran: what ended meanwhile may have ended with it.
 */
async function outwaited(context: RunContext, loaded: LoadedRun): Promise<boolean> {
  const { database, lease, config } = context
  const { run, attempt } = loaded
  if (attempt?.startedAt && !attempt.engineWasAway) {
    const where = { runId_number: { runId: run.id, number: attempt.number } }
    await fencedRun(database, lease, (tx) => tx.jobAttempt.update({ where, data: { engineWasAway: true } }))
  }
  const since = (run.deadlineAt ?? run.startedAt ?? run.queuedAt).getTime()
  const waitedMs = lease.claim.clock.now().getTime() - since
  if (waitedMs < config.BERTH_ENGINE_WAIT_SECONDS * 1000) return false
  const failure = { failure: 'ENGINE_LOST', message: 'No container engine answered in time' } as const
  const present = attempt ? loaded : withAttempt(loaded, await openAttempt(context, loaded))
  // The container cannot be removed now; housekeeping does it as soon as the engine is back.
  await recordAttemptEnd(context, present, abandoned(context, present, failure))
  return true
}
