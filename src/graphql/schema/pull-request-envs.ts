import { pullRequestEnvs } from '../../resources/pull-request-envs.ts'
import {
  deletePullRequestEnvs,
  setPullRequestEnvs,
} from '../../services/pull-request-envs/pull-request-envs-commands.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { messageField, outcomeFields } from './payload-fields.ts'

commandMutation(setPullRequestEnvs, { versioned: true, payload: (t) => outcomeFields(t, pullRequestEnvs.fields) })
commandMutation(deletePullRequestEnvs, { versioned: true, payload: (t) => ({ message: messageField(t) }) })
