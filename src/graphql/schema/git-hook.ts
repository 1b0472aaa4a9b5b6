import { autoDeploy } from '../../resources/auto-deploy.ts'
import { gitHook, gitHookSecret } from '../../resources/git-hook.ts'
import type { RecordOf } from '../../resources/resource.ts'
import { deleteAutoDeploy, setAutoDeploy } from '../../services/auto-deploy/auto-deploy-commands.ts'
import {
  createGitHook,
  deleteGitHook,
  rotateGitHookSecret,
  updateGitHook,
} from '../../services/git-hook/git-hook-commands.ts'
import { getGitHook, type gitHookRecord } from '../../services/git-hook/git-hook-queries.ts'
import { type Answer, commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { described, recordType } from '../derive/resource-fields.ts'
import { Node } from './node.ts'
import { messageField, outcomeFields } from './payload-fields.ts'

const GitHook = recordType<RecordOf<typeof gitHookRecord>>(gitHook, [Node])

/** What was created or changed; a dry run has created nothing that could be read. */
function gitHookById<Result extends { gitHookId: string }>(t: PayloadBuilder<Result>, isNew: boolean) {
  return t.field({
    type: GitHook,
    nullable: true,
    description: 'Git hook that was created or changed.',
    resolve: (answer, _args, context) => {
      const { result, dryRun } = answer as Answer<Result>
      return isNew && dryRun ? null : context.services.find(getGitHook, context, { gitHookId: result.gitHookId })
    },
  })
}

function secretField<Result extends { secret: string }>(t: PayloadBuilder<Result>) {
  return t.string({
    nullable: true,
    ...described('GitHook', 'secret', gitHookSecret.description),
    resolve: (answer) => {
      const { result, dryRun } = answer as Answer<Result>
      return dryRun ? null : result.secret
    },
  })
}

commandMutation(createGitHook, { payload: (t) => ({ gitHook: gitHookById(t, true), secret: secretField(t) }) })
commandMutation(updateGitHook, { versioned: true, payload: (t) => ({ gitHook: gitHookById(t, false) }) })
commandMutation(rotateGitHookSecret, {
  versioned: true,
  payload: (t) => ({ gitHook: gitHookById(t, false), secret: secretField(t) }),
})
commandMutation(deleteGitHook, { versioned: true, payload: (t) => ({ message: messageField(t) }) })
commandMutation(setAutoDeploy, { versioned: true, payload: (t) => outcomeFields(t, autoDeploy.fields) })
commandMutation(deleteAutoDeploy, { versioned: true, payload: (t) => ({ message: messageField(t) }) })
