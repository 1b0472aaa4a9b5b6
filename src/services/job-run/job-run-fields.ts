import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { EXAMPLE_TIME, exampleId } from '../../calls/examples.ts'
import { fieldsOf, flag, json, text, time, VERSION, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { RunSnapshot } from '../../domain/job-run.ts'
import type { JobAttempt, JobRun } from '../../storage/database/generated/prisma/client.ts'

export const jobRunStatus = enumeration('JobRunStatus', 'Progress of a job run.', {
  QUEUED: 'The run waits until another one has ended.',
  RUNNING: 'The command runs, or is about to run again after a failure.',
  SUCCEEDED: 'The command ended with exit code 0.',
  FAILED: 'The command failed, and is not tried again; the reason says how.',
  TIMED_OUT: 'The run took longer than its timeoutSeconds.',
  CANCELLED: 'The run was cancelled, replaced or never begun; the reason says which.',
})

export const jobRunTrigger = enumeration('JobRunTrigger', 'Trigger of a job run.', {
  MANUAL: 'A person, with the token of a user.',
  SCHEDULE: 'The schedule of the environment.',
  API: 'A program, with the token of an environment or with scopes.',
  RELEASE: 'A deployment, whose version runs its releaseCommand before its containers start.',
})

const attemptField = fieldsOf<JobAttempt>()

export const jobAttempt = resource({
  name: 'JobAttempt',
  description: 'One container of a job run.',
  examples: {
    number: 1,
    message: null,
    containerName: 'berth-run-01kb3f8q4hevz9sr2m6x7d5t0c-1',
  },
  fields: {
    number: attemptField.column('number', whole, 'Number of the attempt, from 1.'),
    startedAt: attemptField.column(
      'startedAt',
      time.nullable(),
      'Time at which the command began; null if it never did.',
    ),
    finishedAt: attemptField.column('finishedAt', time.nullable(), 'Time at which the command ended; null until then.'),
    exitCode: attemptField.column('exitCode', whole.nullable(), 'Exit code of the command; null until it is known.'),
    reason: attemptField.column('reason', text.nullable(), 'Code for why the attempt failed, if it did.'),
    message: attemptField.column('message', text.nullable(), 'Why the attempt failed, if it did.'),
    containerName: attemptField.column('containerName', text, 'Name of the container, as the log shows it.'),
  },
})

type VariableName = Pick<RunSnapshot['envVars'][number], 'name' | 'isSecret'>

const variableField = fieldsOf<VariableName>()

const runVariable = resource({
  name: 'JobRunVariable',
  description: 'An additional variable of a job run. Its value is not shown.',
  fields: {
    name: variableField.given('name', text, 'Name of the variable.'),
    isSecret: variableField.given('isSecret', flag, 'Whether the value of the variable is a secret.'),
  },
})

const commandField = fieldsOf<RunSnapshot>()

export const commandSnapshot = resource({
  name: 'CommandSnapshot',
  description: 'What a job run executes, as it was when the run was requested.',
  examples: {
    command: 'npm run import',
    args: [],
    shell: true,
    workingDir: null,
    timeoutSeconds: 3600,
    ttlSecondsAfterFinished: 86_400,
    backoffLimit: 0,
  },
  fields: {
    command: commandField.given('command', text.nullable(), 'Command; null for that of the image.'),
    args: commandField.given('args', z.array(text), 'Arguments of the command.'),
    shell: commandField.given('shell', flag, 'Whether /bin/sh -lc runs the command.'),
    workingDir: commandField.given('workingDir', text.nullable(), 'Working directory; null for that of the image.'),
    timeoutSeconds: commandField.given('timeoutSeconds', whole, 'Seconds after which the run is ended.'),
    ttlSecondsAfterFinished: commandField.given(
      'ttlSecondsAfterFinished',
      whole,
      'Seconds for which the container is kept once it has ended.',
    ),
    backoffLimit: commandField.given('backoffLimit', whole, 'Number of attempts after the first one has failed.'),
    envVars: commandField.given(
      'envVars',
      z.array(runVariable.answer.type),
      'Additional variables of the run, besides those of its version.',
    ),
  },
})

/** The snapshot as it may be shown. */
const shownSnapshot = ({ envVars, ...snapshot }: RunSnapshot) =>
  commandSnapshot.answer.of({
    ...snapshot,
    envVars: envVars.map(({ name, isSecret }) => ({ name, isSecret })),
  })

type Timed = Pick<JobRun, 'startedAt' | 'finishedAt'>

const durationMs = ({ startedAt, finishedAt }: Timed): number | null =>
  startedAt && finishedAt ? new Date(finishedAt).getTime() - new Date(startedAt).getTime() : null

const field = fieldsOf<JobRun & { queuePosition: number | null }>()

export const jobRun = resource({
  name: 'JobRun',
  id: 'JobRun',
  description: 'A finite command of an environment: what was asked, how it ended, and what it left.',
  examples: {
    status: 'SUCCEEDED',
    message: null,
    jobRunId: exampleId('run'),
    trigger: 'MANUAL',
    output: { rows: 1200 },
    queuePosition: null,
    queuedAt: EXAMPLE_TIME,
    scheduledFor: null,
    logsTruncated: false,
  },
  fields: {
    jobRunId: field.column('id', text, 'Id of the job run.', { inGraphQL: { name: 'id' } }),
    appEnvId: field.column('appEnvId', text, 'Id of the environment that the run is of.'),
    status: field.column('status', jobRunStatus.type, 'Progress of the run.'),
    trigger: field.column('trigger', jobRunTrigger.type, 'Trigger of the run.'),
    contentId: field.column('contentId', text, 'Id of the version that the run executes.'),
    version: field.column('contentVersion', whole, 'Number of the version that the run executes.', {
      inGraphQL: { name: 'contentVersion' },
    }),
    commandSnapshot: field.from(
      { snapshot: true },
      commandSnapshot.answer.type,
      'What the run executes, as it was when the run was requested.',
      ({ snapshot }: Pick<JobRun, 'snapshot'>) => shownSnapshot(snapshot as unknown as RunSnapshot),
    ),
    attempts: field.from(
      { attempts: { orderBy: { number: 'asc' } } },
      z.array(jobAttempt.answer.type),
      'Attempts of the run, in order; more than one only with a backoffLimit.',
      ({ attempts }: { attempts: JobAttempt[] }) => attempts.map((attempt) => jobAttempt.answer.record(attempt)),
    ),
    exitCode: field.column('exitCode', whole.nullable(), 'Exit code of the last attempt; null until it is known.'),
    reason: field.column('reason', text.nullable(), 'Code for why the run failed or was cancelled, if it was.'),
    message: field.column('message', text.nullable(), 'Why the run failed or was cancelled, if it was.'),
    output: field.json(
      'output',
      json.nullable(),
      'Last line of standard output that was a JSON object or array, at most 64 KiB of it; null if there was none.',
    ),
    queuePosition: field.given(
      'queuePosition',
      whole.nullable(),
      'Position of the run in the queue of its environment, from 1; null unless it waits.',
      { inGraphQL: { isResolvedThere: true } },
    ),
    queuedAt: field.column('queuedAt', time, 'Time at which the run was requested.'),
    startedAt: field.column('startedAt', time.nullable(), 'Time at which the run left the queue.'),
    finishedAt: field.column('finishedAt', time.nullable(), 'Time at which the run ended.'),
    durationMs: field.from(
      { startedAt: true, finishedAt: true },
      whole.nullable(),
      'Milliseconds from the start to the end of the run; null until it has ended.',
      durationMs,
      { inGraphQL: { type: 'Float' } },
    ),
    scheduledFor: field.column('scheduledFor', time.nullable(), 'Time of the schedule that the run was started for.'),
    retriesId: field.column('retriesId', text.nullable(), 'Id of the job run that this one repeats, if any.'),
    requestedBy: field.column(
      'requestedBy',
      text.nullable(),
      'Id of the user or environment token that requested the run; null for a schedule.',
    ),
    logsTruncated: field.column(
      'logsTruncated',
      flag,
      'Whether lines were dropped, because the run wrote more than is kept.',
    ),
  },
  graphqlFields: { version: field.column('version', whole, VERSION) },
})
