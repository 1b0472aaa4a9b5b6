import { jobRun } from '../../resources/job-run.ts'
import { jobSchedule } from '../../resources/job-schedule.ts'
import type { RecordOf } from '../../resources/resource.ts'
import { cancelJobRun } from '../../services/job-run/cancel-job-run.ts'
import { createJobRun } from '../../services/job-run/create-job-run.ts'
import { retryJobRun } from '../../services/job-run/retry-job-run.ts'
import { deleteJobSchedule, setJobSchedule } from '../../services/job-schedule/schedule-commands.ts'
import { builder } from '../builder.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { recordType, rowFields, wordsOf } from '../derive/resource-fields.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { addressArgs, addressOf } from './address.ts'
import { JobRunStatusEnum, JobRunTriggerEnum } from './enums.ts'
import { findableAsNode, Node } from './node.ts'
import { messageField, outcomeFields } from './payload-fields.ts'

export const JobRun = builder.prismaObject('JobRun', {
  description: jobRun.description,
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    ...rowFields(t, jobRun),
    queuePosition: t.int({
      nullable: true,
      ...wordsOf(jobRun, 'queuePosition'),
      select: { appEnvId: true, status: true, queueNumber: true },
      resolve: (run, _args, { services }) => services.jobRuns.queuePosition(run),
    }),
  }),
})

findableAsNode('run', 'JobRun', ({ services, caller }, id, queryOf) => services.jobRuns.get(caller, id, queryOf()))

const JobSchedule = recordType<RecordOf<typeof jobSchedule.answer>>(jobSchedule)

const instantOf = (value: Date | string | null | undefined) => (value ? new Date(value).toISOString() : undefined)

builder.queryFields((t) => ({
  jobRun: t.prismaField({
    type: JobRun,
    nullable: true,
    description: 'A job run, by its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of the job run.' }) },
    resolve: (query, _root, { id }, { services, caller }) => services.jobRuns.get(caller, id, query),
  }),
  jobRuns: t.prismaConnection({
    type: JobRun,
    cursor: 'id',
    defaultSize: ROOT_PAGE,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The job runs of an environment, newest first. One of the first two arguments is required.',
    args: {
      ...addressArgs(t.arg),
      status: t.arg({ type: JobRunStatusEnum, description: 'Progress: only runs with that status.' }),
      trigger: t.arg({ type: JobRunTriggerEnum, description: 'Trigger: only runs that were started so.' }),
      contentId: t.arg.id({ description: 'Id of a version: only runs of that version.' }),
      from: t.arg({ type: 'DateTime', description: 'Earliest time at which the runs were requested.' }),
      to: t.arg({ type: 'DateTime', description: 'Latest time at which the runs were requested.' }),
    },
    resolve: (query, _root, { status, trigger, contentId, from, to, ...address }, { services, caller }) =>
      services.jobRuns.slice(
        caller,
        {
          ...addressOf(address),
          ...{ status: status ?? undefined, trigger: trigger ?? undefined, contentId: contentId ?? undefined },
          ...{ from: instantOf(from), to: instantOf(to) },
        },
        query,
      ),
  }),
  jobSchedule: t.field({
    type: JobSchedule,
    nullable: true,
    description: 'The schedule of a job. One of the arguments is required.',
    args: addressArgs(t.arg),
    resolve: (_root, address, { services, caller }) => services.jobSchedules.get(caller, addressOf(address)),
  }),
}))

for (const change of [createJobRun, retryJobRun, cancelJobRun]) {
  commandMutation(change, {
    versioned: true,
    waits: true,
    payload: (t) => ({
      jobRun: t.prismaField({
        type: JobRun,
        nullable: true,
        description: 'Job run that was requested or cancelled; null after a dry run of a request.',
        resolve: (query, { result, dryRun }, _args, { services, caller }) =>
          dryRun && change !== cancelJobRun ? null : services.jobRuns.get(caller, result.jobRunId, query),
      }),
    }),
  })
}

commandMutation(setJobSchedule, {
  versioned: true,
  payload: (t) => {
    const { scheduleId: _id, ...fields } = jobSchedule.fields
    return outcomeFields(t, fields)
  },
})
commandMutation(deleteJobSchedule, { versioned: true, payload: (t) => ({ message: messageField(t) }) })
