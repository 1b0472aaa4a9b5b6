import { cancelJobRun } from '../../../services/job-run/cancel-job-run.ts'
import { createJobRun } from '../../../services/job-run/create-job-run.ts'
import { jobRun } from '../../../services/job-run/job-run-fields.ts'
import { getJobRun } from '../../../services/job-run/job-run-queries.ts'
import { retryJobRun } from '../../../services/job-run/retry-job-run.ts'
import { builder } from '../builder.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { rowFields, rowType, wordsOf } from '../derive/resource-fields.ts'
import { Node } from './node.ts'

export const JobRun = rowType(
  jobRun,
  builder.prismaObject('JobRun', {
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
  }),
)

for (const change of [createJobRun, retryJobRun, cancelJobRun]) {
  commandMutation(change, (t) => ({
    jobRun: t.prismaField({
      type: JobRun,
      nullable: true,
      description: 'Job run that was requested or cancelled; null after a dry run of a request.',
      resolve: (query, { result, dryRun }, _args, context) =>
        dryRun && change !== cancelJobRun
          ? null
          : context.services.find(getJobRun, context, { jobRunId: result.jobRunId }, query),
    }),
  }))
}
