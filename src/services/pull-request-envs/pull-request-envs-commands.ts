import { z } from 'zod'
import { permit, userOf } from '../../calls/caller.ts'
import { type CommandContext, command } from '../../calls/command.ts'
import { flag, id, pasted } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { BRANCH_NAME_RULE, isBranchName } from '../../domain/branch-name.ts'
import { conflict, invalidField, notFound } from '../../domain/errors.ts'
import type { Permission } from '../../domain/permissions.ts'
import { pullRequestEnvs } from '../app-env/pull-request-envs-fields.ts'
import { repositoryUrl } from '../configuration/build-plan.ts'
import { type AppTarget, lockApp } from '../targets/load-app.ts'

const MAX_BRANCHES = 20
const MAX_APP_ENVS = 50
const MAX_HOURS = 720

/**
 * Environments of pull requests are created with the rights of the user who turned them on, in the whole account. Users
 * who can write to the repository can read what its environments hold: copying secrets reveals them.
 */
export const lentPermissions = ({ copySecrets }: { copySecrets: boolean }): Permission[] => [
  ...(['appEnv:change', 'appEnv:operate'] as const),
  ...(copySecrets ? (['variable:reveal'] as const) : []),
]

export const setPullRequestEnvs = command({
  name: 'setPullRequestEnvs',
  rest: { method: 'PUT', path: '/app/pull-request-envs', answer: pullRequestEnvs.answer },
  versioned: true,
  about:
    'Give each pull request of the app’s repository an environment of its own, with your rights: it is created when the pull request is opened, rebuilt with each push, and deleted when it is closed. Pull requests arrive through a git hook, or through the GitHub App.',
  example: { request: { targetBranches: ['main'], maxAppEnvs: 5 } },
  input: z.strictObject({
    appId: id('app'),
    baseAppEnvId: id(
      'environment of the app that the new ones are like: region, size, settings and variables. Nothing of its data is shared',
    ),
    targetBranches: z
      .array(pasted().refine(isBranchName, BRANCH_NAME_RULE))
      .max(MAX_BRANCHES)
      .default([])
      .describe('Branches: only pull requests that are to be merged into one of them. None: all pull requests.'),
    expiresAfterHours: z
      .int()
      .min(1)
      .max(MAX_HOURS)
      .default(120)
      .describe('Hours without a push after which an environment is deleted. The next push creates it again.'),
    maxAppEnvs: z
      .int()
      .min(1)
      .max(MAX_APP_ENVS)
      .default(5)
      .describe('Pull requests of the app that may have an environment at a time.'),
    copySecrets: flag(
      'Whether variables that are secret, or refer to other environments, are copied, too. Every user who can push to the repository can then read them. Never for forks.',
    ).default(false),
    allowForks: flag(
      'Whether pull requests from forks get environments: the author of such a pull request runs code in the account.',
    ).default(false),
  }),
  permission: 'appEnv:change',
  target: async ({ tx }, { appId }): Promise<AppTarget> => lockApp(tx, appId),
  async execute(context, { appId, ...input }, { app }) {
    const { tx, caller, config } = context
    // What is lent must be there.
    for (const permission of lentPermissions(input)) permit(caller, permission, { accountId: app.accountId })
    if (app.useImage || app.isCliDeployment || !repositoryUrl(app, config))
      throw conflict('NO_REPOSITORY', 'The app is not built from a git repository: set gitRepo on it first')
    await requireBase(context, appId, input.baseAppEnvId)
    const set = { ...input, userId: userOf(caller) }
    const row = await tx.pullRequestEnvs.upsert({ where: { appId }, create: { appId, ...set }, update: set })
    const version = await changed(context, appId, { pullRequestEnvs: true, ...set })
    return { ...pullRequestEnvs.answer.record(row), recordVersion: version }
  },
})

export const deletePullRequestEnvs = command({
  name: 'deletePullRequestEnvs',
  rest: { method: 'DELETE', path: '/app/pull-request-envs', answer: messageAnswer },
  versioned: true,
  about:
    'Turn environments for pull requests of an app off. Existing ones stay unchanged until their pull request is closed or they expire.',
  example: { answer: { message: 'Pull requests of "Shop" get no environments any more' } },
  input: z.strictObject({ appId: id('app') }),
  permission: 'appEnv:change',
  target: ({ tx }, { appId }) => lockApp(tx, appId),
  async execute(context, { appId }, { app }) {
    const { count } = await context.tx.pullRequestEnvs.deleteMany({ where: { appId } })
    if (count === 0) throw notFound('setting for environments of pull requests of the app', appId)
    await changed(context, appId, { pullRequestEnvs: false })
    return { message: `Pull requests of "${app.name}" get no environments any more` }
  },
})

async function requireBase({ tx }: CommandContext, appId: string, baseAppEnvId: string): Promise<void> {
  const base = await tx.appEnv.findFirst({ where: { id: baseAppEnvId, appId, deletedAt: null } })
  if (!base) throw invalidField('baseAppEnvId', 'is not an environment of the app')
  if (base.pullRequest !== null)
    throw invalidField('baseAppEnvId', 'is the environment of a pull request, which does not last')
}

/** Returns the new version of the app, whose setting it is. */
async function changed(
  { tx, announce, auditDetails }: CommandContext,
  appId: string,
  details: Record<string, unknown>,
): Promise<number> {
  const { version } = await tx.app.update({
    where: { id: appId },
    data: { version: { increment: 1 } },
    select: { version: true },
  })
  announce({ type: 'app.updated', appId, payload: { changed: ['pullRequestEnvs'] } })
  auditDetails(details)
  return version
}
