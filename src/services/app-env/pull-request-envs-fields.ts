import { z } from 'zod'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, flag, text, time, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { PullRequestOf } from '../../domain/pull-request.ts'
import type { PullRequestEnvs } from '../../storage/database/generated/prisma/client.ts'

const field = fieldsOf<PullRequestEnvs>()

export const pullRequestEnvs = resource({
  name: 'PullRequestEnvs',
  id: 'PullRequestEnvs',
  description: 'Pull requests of an app’s repository get environments of their own.',
  examples: {
    baseAppEnvId: exampleId('env'),
    targetBranches: ['main'],
    expiresAfterHours: 120,
  },
  fields: {
    appId: field.column('appId', text, 'Id of the app whose pull requests get environments.'),
    userId: field.column(
      'userId',
      text,
      'Id of the user with whose rights they are created and deployed. When they lose them, pull requests are ignored.',
    ),
    baseAppEnvId: field.column('baseAppEnvId', text, 'Id of the environment that the new ones are like.'),
    targetBranches: field.json(
      'targetBranches',
      z.array(text),
      'Target branches of pull requests that get an environment; empty: any.',
    ),
    expiresAfterHours: field.column(
      'expiresAfterHours',
      whole,
      'Hours without a push after which an environment of a pull request is deleted.',
    ),
    maxAppEnvs: field.column(
      'maxAppEnvs',
      whole,
      'Number of pull requests of the app that may have an environment at a time.',
    ),
    copySecrets: field.column(
      'copySecrets',
      flag,
      'Whether variables that are secret, or refer to other environments, are copied; never for forks.',
    ),
    allowForks: field.column('allowForks', flag, 'Whether pull requests from forks get environments.'),
    createdAt: field.column('createdAt', time, 'Time at which environments of pull requests were turned on.'),
    updatedAt: field.column('updatedAt', time, 'Time at which this was last set.'),
  },
})

const of = fieldsOf<PullRequestOf>()

/** What an environment shows of its pull request. */
export const pullRequest = resource({
  name: 'PullRequest',
  description: 'Pull request of an environment.',
  fields: {
    number: of.given('number', whole, 'Number of the pull request; at GitLab, of the merge request.'),
    isFork: of.given('isFork', flag, 'Whether the commits are in a fork, which may have any author.'),
  },
})
