import { z } from 'zod'
import { command } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import { conflict } from '../../domain/errors.ts'
import { hasRunEnded } from '../../domain/job-run.ts'
import { endRuns } from '../open-runs/end-runs.ts'
import { jobRun } from './job-run-fields.ts'
import { type JobRunResult, jobRunProgress, jobRunRecord, lockJobRun } from './job-run-record.ts'

export const cancelJobRun = command({
  name: 'cancelJobRun',
  rest: { method: 'POST', path: '/app-env/job-run/cancel', answer: jobRun.answer },
  versioned: true,
  waits: true,
  about:
    'Cancel a job run. One that waits is cancelled at once; one that runs, as soon as its container has been stopped: SIGTERM, then SIGKILL.',
  input: z.strictObject({ jobRunId: id('job run') }),
  permission: 'jobRun:operate',
  progress: jobRunProgress,
  target: ({ tx }, { jobRunId }) => lockJobRun(tx, jobRunId),
  async execute(context, _input, { run, appEnv }): Promise<JobRunResult> {
    if (hasRunEnded(run.status)) throw conflict('RUN_ENDED', `The run has ended already: ${run.status}`)
    await endRuns(context, appEnv, [run], 'CANCELLED_BY_USER')
    return jobRunRecord(context, run)
  },
})
