import type { CommandContext } from '../../calls/command.ts'
import { hasRunEnded } from '../../domain/job-run.ts'
import type { SolutionComponent } from '../../storage/database/generated/prisma/client.ts'
import { addJobRun, runnable } from '../job-run/new-job-run.ts'
import { lockAppEnv } from '../targets/load-app-env.ts'

type Progress = Partial<Pick<SolutionComponent, 'state' | 'reason' | 'message' | 'jobRunId'>>

/**
 * A component that is a job is ready when a run of it has succeeded, so that what waits for it finds its work done. It
 * runs once, as soon as its version can; a run that fails is repeated when the installation is resumed.
 */
export async function observeJob(
  context: CommandContext,
  { appEnvId, jobRunId }: SolutionComponent,
): Promise<Progress> {
  if (jobRunId === null) return { jobRunId: await begin(context, appEnvId) }
  const run = await context.tx.jobRun.findUnique({ where: { id: jobRunId } })
  if (run && !hasRunEnded(run.status)) return {}
  if (run?.status === 'SUCCEEDED') return { state: 'READY' }
  return {
    state: 'FAILED',
    reason: run?.reason ?? run?.status ?? 'DELETED',
    message: run?.message ?? `The run of the job ended as ${run?.status ?? 'deleted'}`,
  }
}

async function begin(context: CommandContext, appEnvId: string): Promise<string> {
  const { appEnv } = await lockAppEnv(context.tx, { appEnvId })
  const { content, settings } = await runnable(context, appEnv)
  const snapshot = { ...settings, envVars: [] }
  const { id } = await addJobRun(context, appEnv, { content, snapshot, stdin: null, trigger: 'API' })
  return id
}
