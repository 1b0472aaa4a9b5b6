import type { Database } from '../../database/client.ts'
import type { Content, JobAttempt, JobRun } from '../../database/generated/prisma/client.ts'
import type { RunSnapshot } from '../../domain/job-run.ts'
import { type ClaimedAppEnv, type EnvironmentContext, loadClaimedAppEnv } from '../context/environment-context.ts'
import type { CollectionContext } from '../logs/collection.ts'
import type { RunLease } from './run-lease.ts'

/** What carrying out one claimed run needs. */
export interface RunContext extends Omit<EnvironmentContext, 'lease'> {
  lease: RunLease
  output: CollectionContext
}

/** A run as it is recorded now. */
export interface LoadedRun {
  run: JobRun
  snapshot: RunSnapshot
  content: Content
  appEnv: ClaimedAppEnv
  attempts: JobAttempt[]
  /** The attempt that has not ended. */
  attempt: JobAttempt | null
}

export async function loadRun(database: Database, runId: string): Promise<LoadedRun> {
  const { content, attempts, ...run } = await database.jobRun.findUniqueOrThrow({
    where: { id: runId },
    include: { content: true, attempts: { orderBy: { number: 'asc' } } },
  })
  const appEnv = await loadClaimedAppEnv(database, run.appEnvId)
  const attempt = attempts.find(({ finishedAt }) => finishedAt === null) ?? null
  return { run, snapshot: run.snapshot as unknown as RunSnapshot, content, appEnv, attempts, attempt }
}
