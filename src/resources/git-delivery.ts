import { z } from 'zod'
import type { GitDelivery } from '../database/generated/prisma/client.ts'
import type { GitDeliveryEnvironment } from '../domain/git-push.ts'
import { enumeration } from './enumeration.ts'
import { fieldsOf, text, time, whole } from './field.ts'
import { gitHookProvider } from './git-hook.ts'
import { resource } from './resource.ts'

/** Source of what the installation's GitHub App tells, which has no hook. */
export const GITHUB_APP_SOURCE = 'github-app'

export const gitDeliveryOutcome = enumeration('GitDeliveryOutcome', 'What came of what a git host told.', {
  DEPLOYED: 'A build was begun, which is deployed when it succeeds.',
  DELETED: 'The environment of a pull request that was closed is deleted.',
  IGNORED: 'Nothing was done; the reason says why.',
})

const environmentField = fieldsOf<GitDeliveryEnvironment>()

const gitDeliveryEnvironment = resource({
  name: 'GitDeliveryEnvironment',
  description: 'What came of a delivery for one environment.',
  fields: {
    appEnvId: environmentField.given(
      'appEnvId',
      text.nullable(),
      'Id of the environment; null where a pull request has none.',
    ),
    appId: environmentField.from(
      {},
      text.nullable(),
      'Id of the app that the pull request is of; null for a push.',
      ({ appId }: GitDeliveryEnvironment) => appId ?? null,
    ),
    outcome: environmentField.given('outcome', gitDeliveryOutcome.type, 'What came of the delivery here.'),
    reason: environmentField.given('reason', text.nullable(), 'Code for why nothing was done.'),
    message: environmentField.given('message', text.nullable(), 'Why nothing was done, or what was left out.'),
    operationId: environmentField.given('operationId', text.nullable(), 'Id of the operation that was begun.'),
  },
})

const field = fieldsOf<GitDelivery>()

export const gitDelivery = resource({
  name: 'GitDelivery',
  id: 'GitDelivery',
  description: 'What a git host has told an account, and what came of it.',
  fields: {
    gitDeliveryId: field.column('id', text, 'Id of the delivery.', { inGraphQL: { name: 'id' } }),
    accountId: field.column('accountId', text, 'Id of the account.'),
    gitHookId: field.from(
      { source: true },
      text.nullable(),
      'Id of the git hook that was used, which may be deleted since; null for the installation’s GitHub App.',
      ({ source }: Pick<GitDelivery, 'source'>) => (source === GITHUB_APP_SOURCE ? null : source),
    ),
    provider: field.column('provider', gitHookProvider.type, 'What the git host is.'),
    deliveryKey: field.column('deliveryKey', text, 'What the git host calls the delivery; the same one twice is one.'),
    event: field.column('event', text, 'What happened, as the git host calls it.'),
    repository: field.column('repository', text.nullable(), 'Host and path of the repository.'),
    branch: field.column('branch', text.nullable(), 'Branch that was pushed to, or that the pull request is of.'),
    pullRequestNumber: field.column(
      'pullRequestNumber',
      whole.nullable(),
      'Number of the pull request that the delivery is about; null for what is about none.',
    ),
    fromCommitId: field.column('fromCommitId', text.nullable(), 'Commit that the branch was at before.'),
    commitId: field.column('commitId', text.nullable(), 'Commit that the branch is at.'),
    pusher: field.column('pusher', text.nullable(), 'Name of who has pushed, as the git host gives it.'),
    outcome: field.column('outcome', gitDeliveryOutcome.type, 'What came of the delivery.'),
    reason: field.column('reason', text.nullable(), 'Code for why nothing was done.'),
    message: field.column('message', text, 'What was done, or why nothing was.'),
    environments: field.json(
      'environments',
      z.array(gitDeliveryEnvironment.answer.type),
      'Environments that the delivery concerns, each with what came of it.',
    ),
    createdAt: field.column('createdAt', time, 'Time at which the delivery arrived first.'),
  },
})
