import type { Progress } from '../../calls/command.ts'
import { hasRunEnded, type JobRunStatus } from '../../domain/job-run.ts'
import type { WaitedStatus } from '../../domain/waited-operation.ts'
import type { Database } from '../../storage/database/client.ts'
import { type JobRunResult, jobRunRecord } from './job-run-record.ts'

const OUTCOMES = {
  QUEUED: 'RUNNING',
  RUNNING: 'RUNNING',
  SUCCEEDED: 'SUCCEEDED',
  FAILED: 'FAILED',
  TIMED_OUT: 'FAILED',
  CANCELLED: 'CANCELLED',
} as const satisfies Record<JobRunStatus, WaitedStatus>

/** A call that waits for a run answers with the run as it ended (contract §9). */
export const jobRunProgress = {
  async observe(database: Database, { jobRunId }: JobRunResult): Promise<Progress> {
    const found = await database.jobRun.findUnique({
      where: { id: jobRunId },
      select: { status: true, accountId: true },
    })
    return { hasEnded: !found || hasRunEnded(found.status), accountId: found?.accountId }
  },
  async answer(database: Database, { jobRunId: id }: JobRunResult) {
    const run = await jobRunRecord({ tx: database }, { id })
    return { ...run, operationStatus: OUTCOMES[run.status] }
  },
}
