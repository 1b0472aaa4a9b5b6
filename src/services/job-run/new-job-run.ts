import type { CommandContext } from '../../calls/command.ts'
import type { SealedVariable } from '../../domain/configuration.ts'
import { conflict } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { admissionOf, type RunSnapshot } from '../../domain/job-run.ts'
import type { Content, JobRun, JobRunTrigger } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { notifyRuns } from '../../storage/events/notifications.ts'
import { endRuns, openRunsOf } from '../open-runs/end-runs.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'

export interface NewJobRun {
  content: Content
  snapshot: RunSnapshot
  stdin: SealedVariable | null
  trigger: JobRunTrigger
  retriesId?: string
  /** The time of the schedule. */
  scheduledFor?: Date
}

/**
 * Puts a run into the queue of its environment, under the environment's lock, or refuses it: by its policy, or because
 * the queue is full. A run of a schedule that is refused is recorded as cancelled: no caller waits for an answer.
 */
export async function addJobRun(context: CommandContext, appEnv: LoadedAppEnv, run: NewJobRun): Promise<JobRun> {
  const { tx, announce } = context
  // A release command has no place in the queue.
  const open = (await openRunsOf(tx, appEnv)).filter(({ trigger }) => trigger !== 'RELEASE')
  const going = open.filter(({ cancelReason }) => cancelReason === null)
  const admission = admissionOf(
    run.snapshot,
    going.map(({ id }) => id),
  )
  const replaced = admission.kind === 'REPLACE' ? going.filter(({ id }) => admission.ids.includes(id)) : []
  const refusal = refusalOf(context, run, open.length - replaced.length, admission.kind === 'REJECT')
  if (refusal && !run.scheduledFor) throw conflict(refusal.reason, refusal.message)
  if (!refusal && replaced.length > 0) await endRuns(context, appEnv, replaced, 'REPLACED')
  const ended = refusal ? { ...refusal, status: 'CANCELLED' as const, finishedAt: await databaseTime(tx) } : {}
  const row = await tx.jobRun.create({ data: { ...dataOf(context, appEnv, run), ...ended } })
  announce({
    type: refusal ? 'jobRun.cancelled' : 'jobRun.queued',
    appId: appEnv.appId,
    appEnvId: appEnv.id,
    payload: { jobRunId: row.id, status: row.status, trigger: row.trigger, reason: row.reason },
  })
  await notifyRuns(tx, appEnv.id)
  return row
}

function refusalOf({ config }: CommandContext, { snapshot }: NewJobRun, open: number, isRejected: boolean) {
  const limit = config.BERTH_JOB_QUEUE
  if (isRejected) {
    const message = `${snapshot.maxConcurrency} runs are open already, and the concurrencyPolicy is REJECT`
    return { reason: 'CONCURRENCY_LIMIT', message } as const
  }
  if (open < limit) return null
  return {
    reason: 'QUEUE_FULL',
    message: `${limit} runs of the environment are open already (BERTH_JOB_QUEUE)`,
  } as const
}

const dataOf = ({ caller, requestId }: CommandContext, appEnv: LoadedAppEnv, run: NewJobRun) => ({
  id: newId('run'),
  accountId: appEnv.accountId,
  appEnvId: appEnv.id,
  contentId: run.content.id,
  contentVersion: run.content.version,
  trigger: run.trigger,
  snapshot: run.snapshot as unknown as object,
  ...(run.stdin ? { stdin: run.stdin as unknown as object } : {}),
  maxConcurrency: run.snapshot.maxConcurrency,
  retriesId: run.retriesId ?? null,
  scheduledFor: run.scheduledFor ?? null,
  requestId,
  requestedBy: run.scheduledFor ? null : (caller.userId ?? caller.tokenId),
})
