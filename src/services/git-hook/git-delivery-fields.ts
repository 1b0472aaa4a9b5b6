import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, text, time, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { GitDeliveryEnvironment } from '../../domain/git-push.ts'
import type { GitDelivery } from '../../storage/database/generated/prisma/client.ts'
import { gitHookProvider } from './git-hook-fields.ts'

/** Source of deliveries of the installation's GitHub App, which has no hook. */
export const GITHUB_APP_SOURCE = 'github-app'

export const gitDeliveryOutcome = enumeration('GitDeliveryOutcome', 'Outcome of a delivery of a git host.', {
  DEPLOYED: 'A build was begun, which is deployed when it succeeds.',
  DELETED: 'The environment of a pull request that was closed is deleted.',
  IGNORED: 'The delivery was ignored; the reason says why.',
})

const environmentField = fieldsOf<GitDeliveryEnvironment>()

const gitDeliveryEnvironment = resource({
  name: 'GitDeliveryEnvironment',
  description: 'Outcome of a delivery for one environment.',
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
    outcome: environmentField.given('outcome', gitDeliveryOutcome.type, 'Outcome of the delivery for the environment.'),
    reason: environmentField.given('reason', text.nullable(), 'Code for why nothing was done.'),
    message: environmentField.given('message', text.nullable(), 'Why nothing was done, or what was left out.'),
    operationId: environmentField.given('operationId', text.nullable(), 'Id of the operation that was begun.'),
  },
})

const field = fieldsOf<GitDelivery>()

export const gitDelivery = resource({
  name: 'GitDelivery',
  id: 'GitDelivery',
  description: 'A delivery of a git host to an account, with its outcome.',
  examples: {
    message: 'Commit 8b1d2f6c0e4a of main is deployed to 1 of 1 environment(s)',
    event: 'push',
    gitDeliveryId: exampleId('gdlv'),
    deliveryKey: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    repository: 'git.example.com/acme/shop',
    branch: 'main',
    pullRequestNumber: null,
    fromCommitId: null,
    commitId: '8b1d2f6c0e4a9d3b7f5162c8e0a4d9f1b3c5e7a9',
    pusher: 'ada',
  },
  fields: {
    gitDeliveryId: field.column('id', text, 'Id of the delivery.', { inGraphQL: { name: 'id' } }),
    accountId: field.column('accountId', text, 'Id of the account.'),
    gitHookId: field.from(
      { source: true },
      text.nullable(),
      'Id of the git hook that was used, which may be deleted since; null for the installation’s GitHub App.',
      ({ source }: Pick<GitDelivery, 'source'>) => (source === GITHUB_APP_SOURCE ? null : source),
    ),
    provider: field.column('provider', gitHookProvider.type, 'Kind of the git host.'),
    deliveryKey: field.column(
      'deliveryKey',
      text,
      'Id of the delivery at the git host. A repeated delivery has the same id, and is listed once.',
    ),
    event: field.column('event', text, 'Name of the event at the git host.'),
    repository: field.column('repository', text.nullable(), 'Host and path of the repository.'),
    branch: field.column('branch', text.nullable(), 'Branch that was pushed to, or that the pull request is of.'),
    pullRequestNumber: field.column(
      'pullRequestNumber',
      whole.nullable(),
      'Number of the pull request that the delivery is about; null for what is about none.',
    ),
    fromCommitId: field.column('fromCommitId', text.nullable(), 'Commit that the branch was at before.'),
    commitId: field.column('commitId', text.nullable(), 'Commit that the branch is at.'),
    pusher: field.column('pusher', text.nullable(), 'Name of the user who pushed, as the git host reports it.'),
    outcome: field.column('outcome', gitDeliveryOutcome.type, 'Outcome of the delivery.'),
    reason: field.column('reason', text.nullable(), 'Code for why nothing was done.'),
    message: field.column('message', text, 'Summary of what was done, or why nothing was done.'),
    environments: field.json(
      'environments',
      z.array(gitDeliveryEnvironment.answer.type),
      'Environments that the delivery concerns, each with its outcome.',
    ),
    createdAt: field.column('createdAt', time, 'Time at which the delivery arrived first.'),
  },
})
