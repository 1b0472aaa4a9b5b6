import { callerForUser } from '../../calls/authenticate.ts'
import { may } from '../../calls/caller.ts'
import type { CommandContext } from '../../calls/command.ts'
import { DomainError } from '../../domain/errors.ts'
import type { GitDeliveryEnvironment } from '../../domain/git-push.ts'
import { type GitPullRequest, pullRequestOf } from '../../domain/pull-request.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { NewEvent } from '../../storage/events/event.ts'
import { beginOperation, isStopped } from '../lifecycle/begin-operation.ts'
import { nextBuild } from '../lifecycle/build.ts'
import { removeAppEnv } from '../lifecycle/remove-app-env.ts'
import {
  countEnvs,
  createPullRequestEnv,
  findEnv,
  type PullRequestSource,
  refused,
} from '../pull-request-envs/create-pull-request-env.ts'
import { lentPermissions } from '../pull-request-envs/pull-request-envs-commands.ts'
import { type AppTarget, lockApp } from '../targets/load-app.ts'
import { lockAppEnv } from '../targets/load-app-env.ts'
import type { Deciding } from './decision.ts'
import { GIT_HOOK_ACTOR, isNewest, promiseStatus } from './deploy-push.ts'

/** Does in one app what a pull request asks for, or says why not. */
export async function applyPullRequest(
  deciding: Deciding,
  pullRequest: GitPullRequest,
  appId: string,
): Promise<GitDeliveryEnvironment> {
  const { context } = deciding
  let appEnvId: string | null = null
  try {
    const app = await lockApp(context.tx, appId)
    appEnvId = (await findEnv(context.tx, appId, pullRequest.number))?.id ?? null
    const place = { app, appEnvId }
    return await undoneOnRefusal(context, (inner) =>
      pullRequest.action === 'CLOSED'
        ? close(inner, place)
        : deploy({ ...deciding, context: inner }, pullRequest, place),
    )
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { ...nothing, appId, appEnvId, reason: error.reason ?? error.code, message: error.message }
  }
}

/** Where it is done: the app, and the environment that the pull request has there. */
interface Place {
  app: AppTarget
  appEnvId: string | null
}

const nothing = { outcome: 'IGNORED', operationId: null } as const

/** What was written before a refusal goes, and what was announced: no environment is left without its build. */
async function undoneOnRefusal<Result>(
  context: CommandContext,
  act: (inner: CommandContext) => Promise<Result>,
): Promise<Result> {
  const events: NewEvent[] = []
  await context.tx.$executeRaw`SAVEPOINT pull_request`
  try {
    const result = await act({ ...context, announce: (event) => void events.push(event) })
    for (const event of events) context.announce(event)
    return result
  } catch (error) {
    if (error instanceof DomainError) await context.tx.$executeRaw`ROLLBACK TO SAVEPOINT pull_request`
    throw error
  }
}

/** Needs no rights: it takes away only what the pull request was given. */
async function close(context: CommandContext, { app, appEnvId }: Place): Promise<GitDeliveryEnvironment> {
  const { tx } = context
  if (appEnvId === null) throw refused('NO_ENVIRONMENT', 'The pull request has no environment')
  const of = { appId: app.app.id, appEnvId }
  const target = await lockAppEnv(tx, { appEnvId })
  if (target.appEnv.preventDestroy) {
    await tx.$executeRaw`UPDATE app_env SET expires_at = now() WHERE id = ${appEnvId}`
    const message = 'preventDestroy protects the environment: it is deleted once that is turned off'
    return { ...nothing, ...of, reason: 'PREVENT_DESTROY', message }
  }
  const operationId = await removeAppEnv(context, target)
  return { ...of, outcome: 'DELETED', reason: null, message: null, operationId }
}

async function deploy(
  deciding: Deciding,
  pullRequest: GitPullRequest,
  { app, appEnvId }: Place,
): Promise<GitDeliveryEnvironment> {
  const { context, limits, source } = deciding
  const { tx } = context
  const settings = await findSettings(tx, app.app.id)
  if (!settings) throw refused('PULL_REQUEST_ENVS_OFF', 'Pull requests get no environments of this app any more')
  requireWanted(settings, pullRequest)
  requireRights(settings, app.app.accountId)
  const made =
    appEnvId === null ? await create(context, app, settings, { pullRequest, provider: source.provider }) : null
  const of = { appId: app.app.id, appEnvId: made?.appEnvId ?? (appEnvId as string) }
  const { appEnv } = await lockAppEnv(tx, { appEnvId: of.appEnvId })
  if (pullRequest.isFork && !pullRequestOf(appEnv)?.isFork)
    throw refused('FORK', 'The environment was made for commits of the repository itself, and these are of a fork')
  await tx.$executeRaw`
    UPDATE app_env SET expires_at = now() + make_interval(hours => ${settings.expiresAfterHours})
    WHERE id = ${appEnv.id}`
  const commit = pullRequest.commit ?? ''
  if (await isStopped(tx, appEnv))
    return { ...nothing, ...of, reason: 'ENVIRONMENT_STOPPED', message: 'Pushes deploy it again once it is started' }
  if (await isNewest(tx, appEnv, commit))
    return { ...nothing, ...of, reason: 'ALREADY_DEPLOYED', message: 'The newest version is of this commit already' }
  // An environment that is deleted and made again by closing and reopening has no new budget.
  await limits?.consumeOperation(`${app.app.id}/pr-${pullRequest.number}`)
  const content = await nextBuild(context, appEnv, false, commit)
  const { id: operationId } = await beginOperation(context, appEnv, { kind: 'BUILD', content })
  await promiseStatus(deciding, { ...pullRequest, commit }, { appEnvId: appEnv.id, operationId })
  return { ...of, outcome: 'DEPLOYED', reason: null, message: made?.message ?? null, operationId }
}

const findSettings = (tx: Transaction, appId: string) =>
  tx.pullRequestEnvs.findUnique({ where: { appId }, include: { user: { include: { memberships: true } } } })

type Settings = NonNullable<Awaited<ReturnType<typeof findSettings>>>

function requireWanted({ allowForks, targetBranches }: Settings, { isFork, targetBranch }: GitPullRequest): void {
  if (isFork && !allowForks)
    throw refused('FORK', 'The commits are in a fork, which may have any author, and allowForks is off')
  if (targetBranches.length > 0 && !targetBranches.includes(targetBranch))
    throw refused('TARGET_BRANCH', `It is to be merged into ${targetBranch}, which targetBranches does not name`)
}

function requireRights({ user, ...settings }: Settings, accountId: string): void {
  const lender = callerForUser(user, GIT_HOOK_ACTOR)
  if (lentPermissions(settings).every((permission) => may(lender, permission, { accountId }))) return
  throw refused(
    'RIGHTS_LOST',
    `The user ${user.id}, who turned pull request environments on, may no longer create and deploy them: a user with that right has to turn them on again`,
  )
}

async function create(context: CommandContext, app: AppTarget, settings: Settings, of: PullRequestSource) {
  const { maxAppEnvs } = settings
  const count = await countEnvs(context.tx, app.app.id)
  if (count >= maxAppEnvs)
    throw refused(
      'TOO_MANY_PULL_REQUEST_ENVS',
      `${count} pull requests of the app have environments, and maxAppEnvs is ${maxAppEnvs}: close one, or raise it, and have this sent again`,
    )
  return createPullRequestEnv(context, app, settings, of)
}
