import { type AttemptEnd, type JOB_RUN_REASONS, reasonOfEnd, signalOf } from '../../domain/job-attempt.ts'
import { afterAttempt, type JobRunStatus } from '../../domain/job-run.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import type { EventType } from '../../storage/events/event.ts'
import { notifyRuns } from '../../storage/events/notifications.ts'
import { record } from '../../storage/events/record.ts'
import { endUnseen, recordSighting } from '../../storage/usage/usage-log.ts'
import { fencedRun } from './fenced-run.ts'
import type { LoadedRun, RunContext } from './run-context.ts'

const EVENTS: Readonly<Partial<Record<JobRunStatus, EventType>>> = {
  SUCCEEDED: 'jobRun.succeeded',
  FAILED: 'jobRun.failed',
  TIMED_OUT: 'jobRun.timedOut',
  CANCELLED: 'jobRun.cancelled',
}

export interface Ended extends AttemptEnd {
  startedAt: Date | null
  finishedAt: Date
  /** Why there was no container, in words. */
  message?: string
  /** Undefined: none. */
  output?: unknown
  logsTruncated?: boolean
}

/** Records how an attempt ended, and what follows: the end of the run, or another attempt. */
export async function recordAttemptEnd(context: RunContext, loaded: LoadedRun, end: Ended): Promise<void> {
  const { run, snapshot, attempt, attempts } = loaded
  if (!attempt) throw new Error(`${run.id} has no attempt that could end`)
  const { database, lease } = context
  const now = lease.claim.clock.now()
  const reason = reasonOfEnd(end)
  const message = reason && (await context.quote(messageOf(loaded, reason, end)))
  await fencedRun(database, lease, async (tx) => {
    // Read under the lock: the run may have been cancelled meanwhile.
    const { cancelReason, deadlineAt } = await tx.jobRun.findUniqueOrThrow({ where: { id: run.id } })
    const secondsToDeadline = deadlineAt ? (deadlineAt.getTime() - now.getTime()) / 1000 : snapshot.timeoutSeconds
    const tried = { attempts: attempts.length, backoffLimit: snapshot.backoffLimit, secondsToDeadline, cancelReason }
    const sequel = afterAttempt(end, tried)
    const { startedAt, finishedAt, exitCode } = end
    await tx.jobAttempt.update({
      where: { runId_number: { runId: run.id, number: attempt.number } },
      data: { startedAt, finishedAt, exitCode, reason, message, removeAt: removalOf(loaded, end, now) },
    })
    await recordRunUsage(tx, loaded, end)
    const seen = {
      exitCode,
      message,
      // An earlier attempt may have left another.
      output: end.output === undefined ? Prisma.DbNull : (end.output as Prisma.InputJsonValue),
      ...(end.logsTruncated ? { logsTruncated: true } : {}),
    }
    if (sequel.kind === 'RETRY') {
      const dueAt = new Date(now.getTime() + sequel.afterSeconds * 1000)
      await tx.jobRun.update({ where: { id: run.id }, data: { ...seen, reason, dueAt, version: { increment: 1 } } })
      return announce(tx, loaded, 'jobRun.retrying', { status: 'RUNNING', reason, attempt: attempt.number })
    }
    await endRun(tx, loaded, { ...seen, status: sequel.status, reason: sequel.reason, finishedAt: now })
  })
}

/** As the engine reports it; otherwise for as long as the container is known to have run. */
async function recordRunUsage(tx: Tx, { run, attempt, appEnv }: LoadedRun, end: Ended): Promise<void> {
  const { startedAt, finishedAt, failure } = end
  const containerId = attempt?.containerId
  if (!containerId) return
  if (failure || !startedAt) return endUnseen(tx, containerId)
  const { accountId, appEnvId, contentId } = run
  const seen = {
    kind: 'JOB_RUN' as const,
    runAt: startedAt,
    finishedAt,
    seenAt: null,
    formerEndAt: null,
    restartCount: 0,
  }
  await recordSighting(tx, { accountId, appId: appEnv.appId, appEnvId, contentId, containerId, seen })
}

/** Ends a run that has no container: between two attempts, or before the first. */
export async function endWithoutAttempt(context: RunContext, loaded: LoadedRun, reason: string): Promise<void> {
  const finishedAt = context.lease.claim.clock.now()
  await fencedRun(context.database, context.lease, (tx) =>
    endRun(tx, loaded, { status: 'CANCELLED', reason, finishedAt }),
  )
}

type Tx = Prisma.TransactionClient

interface RunEnd extends Prisma.JobRunUpdateInput {
  status: JobRunStatus
  reason: string | null
}

async function endRun(tx: Tx, loaded: LoadedRun, data: RunEnd): Promise<void> {
  const { run } = loaded
  await tx.jobRun.update({ where: { id: run.id }, data: { ...data, version: { increment: 1 } } })
  const { status, reason, exitCode = null } = data
  // Another one may leave the queue.
  await notifyRuns(tx, run.appEnvId)
  await announce(tx, loaded, EVENTS[status] ?? 'jobRun.failed', { status, reason, exitCode })
}

const announce = (tx: Tx, { run, appEnv }: LoadedRun, type: EventType, payload: object): Promise<void> =>
  record(tx, run.accountId, [
    { type, appId: appEnv.appId, appEnvId: run.appEnvId, payload: { jobRunId: run.id, ...payload } },
  ])

/** Runs of a deleted environment are not kept, and a container that was not seen to end may still run. */
const removalOf = ({ snapshot, appEnv }: LoadedRun, { failure }: AttemptEnd, now: Date): Date =>
  appEnv.deletedAt || failure ? now : new Date(now.getTime() + snapshot.ttlSecondsAfterFinished * 1000)

function messageOf({ snapshot }: LoadedRun, reason: keyof typeof JOB_RUN_REASONS, end: Ended): string {
  const { exitCode, message, stopReason } = end
  // What failed while it was being stopped says less than why.
  if (message && !stopReason) return message
  const signal = exitCode === null ? null : signalOf(exitCode)
  const code = exitCode === null ? 'without an exit code' : `with exit code ${exitCode}`
  switch (reason) {
    case 'TIMED_OUT':
      return `The run did not end within ${snapshot.timeoutSeconds} s, and was ended ${code}`
    case 'OUT_OF_MEMORY':
      return `The command used more memory than it has, and ended ${code}`
    case 'SIGNAL':
      return `Signal ${signal} ended the command, ${code}`
    case 'ENGINE_LOST':
      return `The container engine was lost while the command ran, which ended ${code}`
    default:
      return `The command ended ${code}`
  }
}
