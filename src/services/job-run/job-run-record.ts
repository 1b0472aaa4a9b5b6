import type { CommandResult, Progress, Target } from '../../calls/command.ts'
import { notFound } from '../../domain/errors.ts'
import { hasRunEnded, type JobRunStatus } from '../../domain/job-run.ts'
import type { WaitedStatus } from '../../domain/waited-operation.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import type { JobRun } from '../../storage/database/generated/prisma/client.ts'
import { type LoadedAppEnv, loadEverything } from '../targets/load-app-env.ts'
import { jobRun } from './job-run-fields.ts'
import { queuePositionOf } from './job-run-queries.ts'

export type JobRunTarget = Target & { run: JobRun; appEnv: LoadedAppEnv }

/** Locks the environment of the run, under whose lock runs begin and end. */
export async function lockJobRun(tx: Transaction, jobRunId: string): Promise<JobRunTarget> {
  await tx.$queryRaw`
    SELECT 1 FROM app_env WHERE id = (SELECT app_env_id FROM job_run WHERE id = ${jobRunId}) FOR UPDATE`
  await tx.$queryRaw`SELECT 1 FROM job_run WHERE id = ${jobRunId} FOR UPDATE`
  const run = await tx.jobRun.findUnique({ where: { id: jobRunId } })
  const appEnv = run && (await loadEverything(tx, run.appEnvId))
  if (!run || !appEnv || appEnv.deletedAt !== null) throw notFound('job run', jobRunId)
  const { accountId, appEnvId, version } = run
  return { type: 'jobRun', id: run.id, version, accountId, appEnvId, run, appEnv }
}

/** The run as both APIs answer it. */
export async function jobRunRecord({ tx }: { tx: Transaction | Database }, { id }: Pick<JobRun, 'id'>) {
  const row = await tx.jobRun.findUniqueOrThrow({
    where: { id },
    include: { attempts: { orderBy: { number: 'asc' } } },
  })
  const queuePosition = await queuePositionOf(tx, row)
  return { ...jobRun.answer.record({ ...row, queuePosition }), recordVersion: row.version }
}

export type JobRunResult = CommandResult & Awaited<ReturnType<typeof jobRunRecord>>

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
