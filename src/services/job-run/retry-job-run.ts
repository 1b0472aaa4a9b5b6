import { z } from 'zod'
import { command } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import type { SealedVariable } from '../../domain/configuration.ts'
import { conflict } from '../../domain/errors.ts'
import { hasRunEnded, type RunSnapshot } from '../../domain/job-run.ts'
import { jobRun } from './job-run-fields.ts'
import { type JobRunResult, jobRunProgress, jobRunRecord, lockJobRun } from './job-run-record.ts'
import { addJobRun, runnable, triggerOf } from './new-job-run.ts'

export const retryJobRun = command({
  name: 'retryJobRun',
  rest: { method: 'POST', path: '/app-env/job-run/retry', answer: jobRun.answer },
  versioned: true,
  waits: true,
  about: 'Run what a job run that has ended ran once more: the same version, command, variables and input.',
  input: z.strictObject({ jobRunId: id('job run') }),
  permission: 'jobRun:operate',
  progress: jobRunProgress,
  target: ({ tx }, { jobRunId }) => lockJobRun(tx, jobRunId),
  async execute(context, _input, { run, appEnv }): Promise<JobRunResult> {
    if (!hasRunEnded(run.status)) throw conflict('RUN_NOT_ENDED', `The run has not ended: it is ${run.status}`)
    await runnable(context, appEnv)
    const content = await context.tx.content.findUniqueOrThrow({ where: { id: run.contentId } })
    const snapshot = run.snapshot as unknown as RunSnapshot
    const stdin = run.stdin as unknown as SealedVariable | null
    const trigger = triggerOf(context.caller)
    const repeated = await addJobRun(context, appEnv, { content, snapshot, stdin, trigger, retriesId: run.id })
    context.created(repeated.id)
    context.auditDetails({ jobRunId: repeated.id, retriesId: run.id })
    return jobRunRecord(context, repeated)
  },
})
