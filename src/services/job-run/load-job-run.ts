import type { Target } from '../../calls/command.ts'
import { notFound } from '../../domain/errors.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { JobRun } from '../../storage/database/generated/prisma/client.ts'
import { type LoadedAppEnv, loadEverything } from '../targets/load-app-env.ts'

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
