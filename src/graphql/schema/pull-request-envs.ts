import { pullRequestEnvs } from '../../resources/pull-request-envs.ts'
import type { RecordOf } from '../../resources/resource.ts'
import {
  deletePullRequestEnvs,
  setPullRequestEnvs,
} from '../../services/pull-request-envs/pull-request-envs-commands.ts'
import { builder } from '../builder.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { recordType } from '../derive/resource-fields.ts'
import { messageField, outcomeFields } from './payload-fields.ts'

const PullRequestEnvs = recordType<RecordOf<typeof pullRequestEnvs.answer>>(pullRequestEnvs)

builder.queryField('pullRequestEnvs', (t) =>
  t.field({
    type: PullRequestEnvs,
    nullable: true,
    description: 'Whether and how pull requests of an app get environments of their own.',
    args: { appId: t.arg.id({ required: true, description: 'Id of the app.' }) },
    resolve: (_root, { appId }, { services, caller }) => services.pullRequestEnvs.get(caller, appId),
  }),
)

commandMutation(setPullRequestEnvs, { versioned: true, payload: (t) => outcomeFields(t, pullRequestEnvs.fields) })
commandMutation(deletePullRequestEnvs, { versioned: true, payload: (t) => ({ message: messageField(t) }) })
