import type { ObservedRun } from '../../engines/runtime/container-runtime.ts'
import type { JobAttempt } from '../../storage/database/generated/prisma/client.ts'
import { sleep } from '../time/sleep.ts'
import { ContainerGone, type StartedAttempt } from './begin-attempt.ts'
import { recordAttemptEnd } from './end-attempt.ts'
import { fencedRun } from './fenced-run.ts'
import { type LoadedRun, loadRun, type RunContext } from './run-context.ts'
import { readOutput } from './run-output.ts'

type StopReason = 'TIMEOUT' | 'CANCEL'

/** Interval of checks of a container that still runs after its output has ended or could not be followed. */
const LOOK_MS = 500
const MAX_TIMER_MS = 2_147_000_000

/**
 * Follows the output of a started container until it has ended, stops it when its time is up or it is cancelled,
 * and records how it ended: not before all of its output is stored.
 */
export async function watchAttempt(context: RunContext, started: StartedAttempt): Promise<void> {
  const { loaded, containerId, output } = started
  try {
    const ended = await untilEnded(context, started)
    const [left] = await Promise.all([
      readOutput(context, containerId),
      output.collection.readToEnd(output.row, context.signal),
    ])
    await conclude(context, loaded, ended, { output: left, logsTruncated: output.hasDropped() })
  } finally {
    await output.collection.close()
  }
  await context.database.container.updateMany({ where: { containerId }, data: { removedAt: new Date() } })
}

/** The end of the output is the end of the container, so nothing is polled. */
async function untilEnded(context: RunContext, started: StartedAttempt): Promise<ObservedRun> {
  const { engine, signal } = context
  const { loaded, attempt, containerId, output } = started
  const { collection, row } = output
  let isStopped = false
  let stopReason = attempt.stopReason as StopReason | null
  for (;;) {
    if (stopReason === null) {
      collection.follow([row])
      stopReason = await interruption(context, loaded, collection.followed())
    }
    const found = await engine.observeRun(containerId)
    if (!found) throw new ContainerGone('The container was removed before its exit code was read')
    if (found.phase === 'exited' || found.phase === 'dead') return found
    if (stopReason === null || isStopped) await sleep(LOOK_MS, signal)
    if (stopReason) await stop(context, attempt, containerId, stopReason)
    isStopped = stopReason !== null
    context.lease.assertHeld()
    if (collection.hasEnded) throw new Error('The output of a job run could not be written')
  }
}

/** Waits for the end of the output; returns why the container has to be stopped, if that comes first. */
function interruption(
  { lease, signal }: RunContext,
  { run }: LoadedRun,
  followed: Promise<void>,
): Promise<StopReason | null> {
  const leftMs = run.deadlineAt ? run.deadlineAt.getTime() - lease.claim.clock.now().getTime() : MAX_TIMER_MS
  return new Promise((resolve) => {
    const done = (reason: StopReason | null) => () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', ended)
      lease.cancelled.removeEventListener('abort', cancelled)
      resolve(reason)
    }
    const [ended, cancelled] = [done(null), done('CANCEL')]
    const timer = setTimeout(done('TIMEOUT'), Math.min(Math.max(0, leftMs), MAX_TIMER_MS))
    signal.addEventListener('abort', ended, { once: true })
    lease.cancelled.addEventListener('abort', cancelled, { once: true })
    void followed.then(ended, ended)
    if (run.cancelReason || lease.cancelled.aborted) cancelled()
    if (signal.aborted) ended()
  })
}

/** The reason is recorded first: a worker that takes over knows why the container was stopped. */
async function stop(
  context: RunContext,
  { runId, number }: JobAttempt,
  containerId: string,
  stopReason: StopReason,
): Promise<void> {
  const { database, lease, engine, graceSeconds } = context
  await fencedRun(database, lease, (tx) =>
    tx.jobAttempt.update({ where: { runId_number: { runId, number } }, data: { stopReason } }),
  )
  await engine.stopRun(containerId, graceSeconds)
}

async function conclude(
  context: RunContext,
  { run }: LoadedRun,
  { exitCode, outOfMemory, startedAt, finishedAt, startFault }: ObservedRun,
  seen: { output: unknown; logsTruncated: boolean },
): Promise<void> {
  const present = await loadRun(context.database, run.id)
  const { attempt } = present
  await recordAttemptEnd(context, present, {
    exitCode,
    outOfMemory,
    ...seen,
    ...(startFault === undefined ? {} : { message: startFault }),
    stopReason: (attempt?.stopReason as StopReason | null) ?? null,
    engineWasAway: attempt?.engineWasAway ?? false,
    startedAt: startedAt ?? attempt?.startedAt ?? null,
    finishedAt: finishedAt ?? context.lease.claim.clock.now(),
  })
}
