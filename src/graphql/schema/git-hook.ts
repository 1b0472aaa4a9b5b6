import { autoDeploy } from '../../resources/auto-deploy.ts'
import { gitDelivery } from '../../resources/git-delivery.ts'
import { gitHook, gitHookSecret } from '../../resources/git-hook.ts'
import type { RecordOf } from '../../resources/resource.ts'
import { deleteAutoDeploy, setAutoDeploy } from '../../services/auto-deploy/auto-deploy-commands.ts'
import {
  createGitHook,
  deleteGitHook,
  rotateGitHookSecret,
  updateGitHook,
} from '../../services/git-hook/git-hook-commands.ts'
import type { Services } from '../../services/services.ts'
import { builder } from '../builder.ts'
import { type Answer, commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { described, recordType } from '../derive/resource-fields.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { addressArgs, addressOf } from './address.ts'
import { GitDeliveryOutcomeEnum } from './enums.ts'
import { findableAsNode, Node } from './node.ts'
import { connectionOf, pageRequest } from './page.ts'
import { messageField, outcomeFields } from './payload-fields.ts'

type GitHookRecord = Awaited<ReturnType<Services['gitHooks']['get']>>
type GitDeliveryRecord = Awaited<ReturnType<Services['gitDeliveries']['get']>>

const GitHook = recordType<GitHookRecord>(gitHook, [Node])
const GitDelivery = recordType<GitDeliveryRecord>(gitDelivery, [Node])
const AutoDeploy = recordType<RecordOf<typeof autoDeploy.answer>>(autoDeploy)

findableAsNode('ghook', 'GitHook', ({ services, caller }, id) => services.gitHooks.get(caller, id))
findableAsNode('gdlv', 'GitDelivery', ({ services, caller }, id) => services.gitDeliveries.get(caller, id))

builder.queryFields((t) => ({
  gitHook: t.field({
    type: GitHook,
    nullable: true,
    description: 'A git hook, by its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of the git hook.' }) },
    resolve: (_root, { id }, { services, caller }) => services.gitHooks.get(caller, id),
  }),
  gitHooks: t.connection({
    type: GitHook,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The git hooks of an account; of your current account when accountId is omitted.',
    args: { accountId: t.arg.id({ description: 'Id of the account.' }) },
    async resolve(_root, { accountId, ...page }, { services, caller }) {
      const filter = { accountId: accountId ?? undefined }
      const found = await services.gitHooks.list(caller, filter, pageRequest(page, ROOT_PAGE))
      return connectionOf(found, ({ gitHookId }) => gitHookId, page.after)
    },
  }),
  gitDelivery: t.field({
    type: GitDelivery,
    nullable: true,
    description: 'What a git host has told, by the id of the delivery.',
    args: { id: t.arg.id({ required: true, description: 'Id of the delivery.' }) },
    resolve: (_root, { id }, { services, caller }) => services.gitDeliveries.get(caller, id),
  }),
  gitDeliveries: t.connection({
    type: GitDelivery,
    extensions: { pageSize: ROOT_PAGE },
    description: 'What git hosts have told an account, newest first; your current account when accountId is omitted.',
    args: {
      accountId: t.arg.id({ description: 'Id of the account.' }),
      gitHookId: t.arg.id({ description: 'Id of the git hook that was used.' }),
      outcome: t.arg({ type: GitDeliveryOutcomeEnum, description: 'Outcome: only deliveries of which that came.' }),
    },
    async resolve(_root, { accountId, gitHookId, outcome, ...page }, { services, caller }) {
      const filter = { accountId: accountId ?? undefined, gitHookId: gitHookId ?? undefined }
      const request = pageRequest(page, ROOT_PAGE)
      const found = await services.gitDeliveries.list(caller, { ...filter, outcome: outcome ?? undefined }, request)
      return connectionOf(found, ({ gitDeliveryId }) => gitDeliveryId, page.after)
    },
  }),
  autoDeploy: t.field({
    type: AutoDeploy,
    nullable: true,
    description: 'Whether and how pushes deploy an environment. One of the arguments is required.',
    args: addressArgs(t.arg),
    resolve: (_root, address, { services, caller }) => services.autoDeploys.get(caller, addressOf(address)),
  }),
}))

/** What was created or changed; a dry run has created nothing that could be read. */
function gitHookById<Result extends { gitHookId: string }>(t: PayloadBuilder<Result>, isNew: boolean) {
  return t.field({
    type: GitHook,
    nullable: true,
    description: 'Git hook that was created or changed.',
    resolve: (answer, _args, { services, caller }) => {
      const { result, dryRun } = answer as Answer<Result>
      return isNew && dryRun ? null : services.gitHooks.get(caller, result.gitHookId)
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
