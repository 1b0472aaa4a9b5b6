import { z } from 'zod'
import { runsOf } from '../../app-types/behaviours.ts'
import type { Caller } from '../../calls/caller.ts'
import type { CommandContext } from '../../calls/command.ts'
import { appEnvTarget, variable, variablesOf } from '../../calls/input.ts'
import { recordedConfiguration, type SealedVariable } from '../../domain/configuration.ts'
import { conflict, invalidField, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { admissionOf, type RunCommand, type RunSettings, type RunSnapshot } from '../../domain/job-run.ts'
import type { Content, JobRun, JobRunTrigger } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { notifyRuns } from '../../storage/events/notifications.ts'
import { isStopped } from '../lifecycle/begin-operation.ts'
import { endRuns, openRunsOf } from '../open-runs/end-runs.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'

const MAX_STDIN_BYTES = 1024 * 1024

/** A variable of one run: only its container reads it. */
export const runVariable = variable.omit({ type: true })

export const jobRunInput = z.strictObject({
  ...appEnvTarget,
  command: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('Command of this run alone; the configured one when omitted. Runs of other apps than jobs need one.'),
  args: z.array(z.string().max(4096)).max(100).optional().describe('Arguments of the command of this run alone.'),
  shell: z.boolean().optional().describe('Whether /bin/sh -lc runs the command of this run.'),
  workingDir: z
    .string()
    .max(1000)
    .startsWith('/', 'must be an absolute path')
    .optional()
    .describe('Working directory of this run alone.'),
  timeoutSeconds: z.int().min(1).max(604_800).optional().describe('Seconds after which this run is ended.'),
  envVars: variablesOf(runVariable).optional().describe('Variables that this run has besides those of its version.'),
  stdin: z
    .string()
    .max(MAX_STDIN_BYTES)
    .refine((text) => Buffer.byteLength(text) <= MAX_STDIN_BYTES, 'must be at most 1 MiB')
    .optional()
    .describe('Text that the command reads from its standard input, at most 1 MiB. The image needs /bin/sh for it.'),
})

export type JobRunInput = z.output<typeof jobRunInput>

/** The version that runs execute now, and what runs of it are like. Throws when there can be none. */
export async function runnable(
  { tx }: Pick<CommandContext, 'tx'>,
  appEnv: LoadedAppEnv,
): Promise<{ content: Content; settings: RunSettings; needsCommand: boolean }> {
  const { app, currentContent: content } = appEnv
  if (!runsOf(app, { typeConfig: null, startup: null })) throw conflict('NO_RUNS', 'Apps of this type have no job runs')
  if (appEnv.deletedAt) throw notFound('app environment', appEnv.id)
  if (!content) throw conflict('NEVER_DEPLOYED', 'Nothing was ever deployed here; deploy first')
  if (await isStopped(tx, appEnv))
    throw conflict('ENVIRONMENT_STOPPED', 'The environment is stopped; start it before you run anything in it')
  const runs = runsOf(app, recordedConfiguration(content))
  if (!runs) throw conflict('NO_RUNS', 'Apps of this type have no job runs')
  return { content, ...runs }
}

type Override = Pick<JobRunInput, 'command' | 'args' | 'shell' | 'workingDir' | 'timeoutSeconds'>

/** What one run is like: a command of its own does not get the arguments of another. */
export function overridden(settings: RunSettings, given: Override, needsCommand: boolean): RunSettings {
  if (needsCommand && given.command === undefined)
    throw invalidField('command', 'is required: a run of this environment is a command beside its program')
  const own: Partial<RunCommand> = given.command === undefined ? {} : { command: given.command, args: [] }
  return {
    ...settings,
    ...own,
    args: given.args ?? own.args ?? settings.args,
    shell: given.shell ?? settings.shell,
    workingDir: given.workingDir ?? settings.workingDir,
    timeoutSeconds: given.timeoutSeconds ?? settings.timeoutSeconds,
  }
}

/** Tokens of users are people's; those of environments, and with scopes, are programs'. */
export const triggerOf = ({ kind }: Caller): JobRunTrigger => (kind === 'USER' || kind === 'SESSION' ? 'MANUAL' : 'API')

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
