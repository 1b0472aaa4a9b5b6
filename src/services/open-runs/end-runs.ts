import type { JOB_RUN_REASONS } from '../../domain/job-attempt.ts'
import { OPEN_RUNS } from '../../domain/job-run.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { JobRun } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import type { NewEvent } from '../../storage/events/event.ts'
import { notifyRuns } from '../../storage/events/notifications.ts'

interface Ending {
  tx: Transaction
  announce(event: NewEvent): void
}

interface RunsOf {
  id: string
  appId: string
}

export const openRunsOf = (tx: Transaction, appEnv: { id: string }): Promise<JobRun[]> =>
  tx.jobRun.findMany({
    where: { appEnvId: appEnv.id, status: { in: [...OPEN_RUNS] } },
    orderBy: { queueNumber: 'asc' },
  })

/**
 * Ends runs, under the lock of their environment: those that wait at once, and those that run as soon as a worker has
 * stopped their containers. A run that is being ended already keeps its reason.
 */
export async function endRuns(
  { tx, announce }: Ending,
  appEnv: RunsOf,
  runs: readonly JobRun[],
  reason: keyof typeof JOB_RUN_REASONS,
): Promise<void> {
  const waiting = runs.filter(({ status }) => status === 'QUEUED')
  const running = runs.filter(({ status, cancelReason }) => status === 'RUNNING' && cancelReason === null)
  const finishedAt = await databaseTime(tx)
  await tx.jobRun.updateMany({
    where: { id: { in: waiting.map(({ id }) => id) } },
    data: { status: 'CANCELLED', reason, finishedAt, version: { increment: 1 } },
  })
  // A worker ends runs without the lock of their environment.
  await tx.jobRun.updateMany({
    where: { id: { in: running.map(({ id }) => id) }, status: 'RUNNING', cancelReason: null },
    data: { cancelReason: reason, dueAt: finishedAt, version: { increment: 1 } },
  })
  for (const { id } of waiting)
    announce({
      type: 'jobRun.cancelled',
      appId: appEnv.appId,
      appEnvId: appEnv.id,
      payload: { jobRunId: id, status: 'CANCELLED', reason },
    })
  if (running.length > 0) await notifyRuns(tx, appEnv.id)
}

/** A stopped environment runs nothing; what waits goes on when it is started. */
export async function endRunning(ending: Ending, appEnv: RunsOf): Promise<void> {
  const open = await openRunsOf(ending.tx, appEnv)
  const running = open.filter(({ status }) => status === 'RUNNING')
  if (running.length > 0) await endRuns(ending, appEnv, running, 'ENVIRONMENT_STOPPED')
}

/** Of a deleted environment, nothing runs, waits or begins by itself any more. */
export async function endAllRuns(ending: Ending, appEnv: RunsOf): Promise<void> {
  const open = await openRunsOf(ending.tx, appEnv)
  if (open.length > 0) await endRuns(ending, appEnv, open, 'ENVIRONMENT_DELETED')
  await ending.tx.jobSchedule.deleteMany({ where: { appEnvId: appEnv.id } })
}
