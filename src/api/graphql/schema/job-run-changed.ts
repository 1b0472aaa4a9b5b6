import { permit } from '../../../calls/caller.ts'
import { hasRunEnded, type JobRunStatus } from '../../../domain/job-run.ts'
import { getJobRun } from '../../../services/job-run/job-run-queries.ts'
import { builder } from '../builder.ts'
import { follow, type Message } from '../subscriptions/follow.ts'
import { loadOnce } from '../subscriptions/shared-load.ts'
import { afterArg, messageFields } from './event.ts'
import { JobRun } from './job-run.ts'

interface State {
  jobRunId: string
  hasEnded: boolean
}

const JobRunChangedMessage = builder.objectRef<Message<State>>('JobRunChangedMessage').implement({
  description: 'A job run, at first and after each change of its status.',
  fields: (t) => ({
    ...messageFields(t),
    jobRun: t.prismaField({
      type: JobRun,
      description: 'Job run at the time of the message.',
      resolve: (query, { event, state }, _args, context) =>
        loadOnce(event, state.jobRunId, query, () =>
          context.services.find(getJobRun, context, { jobRunId: state.jobRunId }, query),
        ),
    }),
  }),
})

const statusOf = (payload: Record<string, unknown>) => payload.status as JobRunStatus

builder.subscriptionField('jobRunChanged', (t) =>
  t.field({
    type: JobRunChangedMessage,
    description: 'The changes of a job run, until it has ended.',
    args: {
      jobRunId: t.arg.id({ required: true, description: 'Id of the job run.' }),
      after: afterArg(t.arg),
    },
    async subscribe(_root, { jobRunId, after }, context) {
      const { accountId, appEnvId } = await context.services.find(getJobRun, context, { jobRunId })
      return follow<State>(context, {
        eventSequenceId: accountId,
        after,
        permit: (present) => permit(present, 'jobRun:read', { accountId, appEnvId }),
        concerns: ({ type, payload }) => type.startsWith('jobRun.') && payload.jobRunId === jobRunId,
        present: async () => {
          const { status } = await context.services.find(getJobRun, context, { jobRunId })
          return { jobRunId, hasEnded: hasRunEnded(status) }
        },
        next: (_state, { payload }) => ({ jobRunId, hasEnded: hasRunEnded(statusOf(payload)) }),
        isLast: ({ hasEnded }) => hasEnded,
      })
    },
    resolve: (message) => message,
  }),
)
