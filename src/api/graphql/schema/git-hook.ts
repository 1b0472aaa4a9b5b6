import type { RecordOf } from '../../../calls/resource.ts'
import { createGitHook, rotateGitHookSecret, updateGitHook } from '../../../services/git-hook/git-hook-commands.ts'
import { gitHook, gitHookSecret } from '../../../services/git-hook/git-hook-fields.ts'
import { getGitHook, type gitHookRecord } from '../../../services/git-hook/git-hook-queries.ts'
import { type Answer, commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { described, recordType } from '../derive/resource-fields.ts'
import { Node } from './node.ts'

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

commandMutation(createGitHook, (t) => ({ gitHook: gitHookById(t, true), secret: secretField(t) }))
commandMutation(updateGitHook, (t) => ({ gitHook: gitHookById(t, false) }))
commandMutation(rotateGitHookSecret, (t) => ({ gitHook: gitHookById(t, false), secret: secretField(t) }))
