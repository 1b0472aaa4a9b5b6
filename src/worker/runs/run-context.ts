import type { RunSnapshot } from '../../domain/job-run.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Content, JobAttempt, JobRun, Prisma } from '../../storage/database/generated/prisma/client.ts'
import { getRow } from '../../storage/database/reads/get-row.ts'
import { type ClaimedAppEnv, type EnvironmentContext, withState } from '../context/environment-context.ts'
import type { CollectionContext } from '../logs/collection.ts'
import type { RunLease } from './run-lease.ts'

/** What carrying out one claimed run needs. */
export interface RunContext extends EnvironmentContext<RunLease> {
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

/** What is loaded of a run. */
export const withEnvironment = {
  content: true,
  attempts: { orderBy: { number: 'asc' } },
  appEnv: { include: withState },
} satisfies Prisma.JobRunInclude

export async function loadRun(database: Database, runId: string): Promise<LoadedRun> {
  const query = { where: { id: runId }, include: withEnvironment }
  const loaded = await getRow(database, 'JobRun', query, () => database.jobRun.findUniqueOrThrow(query))
  const { content, attempts, appEnv, ...run } = loaded
  const attempt = attempts.find(({ finishedAt }) => finishedAt === null) ?? null
  return { run, snapshot: run.snapshot as unknown as RunSnapshot, content, appEnv, attempts, attempt }
}
