import type { CommandContext } from '../../calls/command.ts'
import { type GitDeliveryEnvironment, repositoryKey } from '../../domain/git-push.ts'
import { asksForNoEnv, type GitPullRequest, isLate, type PullRequestAction } from '../../domain/pull-request.ts'
import type { GitDelivery } from '../../storage/database/generated/prisma/client.ts'
import { repositoryUrl } from '../configuration/build-plan.ts'
import { envOfPullRequest } from '../pull-request-envs/create-pull-request-env.ts'
import { applyPullRequest } from './apply-pull-request.ts'
import { allIgnored, type Deciding, type Decision, earlierBy, environmentsOf, ignored } from './decision.ts'
import { GITHUB_APP_SOURCE } from './git-delivery-fields.ts'
import type { Concerned } from './git-source.ts'

/** Apps in which one delivery changes something. */
const MAX_APPS = 20
/** Of one pull request, newest first: later ones are looked for among them. */
const MAX_ARRIVED = 100

/** Creates, rebuilds or deletes the environments of a pull request; or returns why not. */
export async function decidePullRequest(deciding: Deciding, pullRequest: GitPullRequest): Promise<Decision> {
  const { context, concerned, earlier } = deciding
  const appIds = await lockApps(context, concerned, pullRequest)
  if (appIds.length === 0)
    return ignored(
      'NO_ENVIRONMENT',
      `No app whose pull requests get environments is built from ${pullRequest.repositories.join(' or ')}`,
    )
  const late = await lateFor(deciding, pullRequest, appIds.slice(0, MAX_APPS))
  if (late.size === Math.min(appIds.length, MAX_APPS)) {
    if (earlier && earlier.outcome !== 'IGNORED') return asBefore(earlier)
    return ignored('OUT_OF_ORDER', lateness(pullRequest))
  }
  if (pullRequest.action !== 'CLOSED' && asksForNoEnv(pullRequest.title))
    return ignored('SKIPPED', 'The title, or the newest commit, asks for [skip preview] or [skip ci]')
  const before = earlierBy(earlier, 'appId')
  const environments: GitDeliveryEnvironment[] = []
  for (const [at, appId] of appIds.entries()) {
    const done = before.get(appId)
    if (done && done.outcome !== 'IGNORED') environments.push(done)
    else if (at >= MAX_APPS) environments.push(beyond(appId))
    else if (late.has(appId)) environments.push({ ...nothingIn(appId, 'OUT_OF_ORDER'), message: lateness(pullRequest) })
    else environments.push(await applyPullRequest(deciding, pullRequest, appId))
  }
  return summed(pullRequest, environments)
}

/**
 * The apps of the repository that give environments, or have given this one. They are locked before anything is decided:
 * two hooks may deliver one pull request at the same time, and each has to see what the other has logged.
 */
async function lockApps(
  { tx, config }: CommandContext,
  { accountId, appId, installationId }: Concerned,
  { repositories, number }: GitPullRequest,
): Promise<string[]> {
  const apps = await tx.app.findMany({
    where: {
      accountId,
      deletedAt: null,
      gitRepo: { not: null },
      ...(appId === null ? {} : { id: appId }),
      ...(installationId === null ? {} : { gitInstallationId: installationId }),
      OR: [{ pullRequestEnvs: { isNot: null } }, { appEnvs: { some: envOfPullRequest(number) } }],
    },
    orderBy: { id: 'asc' },
  })
  const isBuilt = (url: string | null) => repositories.includes((url && repositoryKey(url)) || '')
  const ids = apps.filter((app) => isBuilt(repositoryUrl(app, config))).map(({ id }) => id)
  const locked = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM app WHERE id = ANY(${ids}) AND deleted_at IS NULL ORDER BY id FOR UPDATE`
  return locked.map(({ id }) => id)
}

/** The apps for which a later event of the pull request arrived before. */
async function lateFor(
  deciding: Deciding,
  pullRequest: GitPullRequest,
  appIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { context, concerned } = deciding
  const { accountId } = concerned
  const hooks = await context.tx.gitHook.findMany({ where: { accountId }, select: { id: true, appId: true } })
  const late = new Set<string>()
  for (const appId of appIds) {
    // What a hook of another app says is no word about this one.
    const speaking = hooks.filter((hook) => hook.appId === null || hook.appId === appId).map(({ id }) => id)
    if (await hasComeLate(deciding, pullRequest, [GITHUB_APP_SOURCE, ...speaking])) late.add(appId)
  }
  return late
}

async function hasComeLate(
  { context, concerned, earlier }: Deciding,
  pullRequest: GitPullRequest,
  sources: string[],
): Promise<boolean> {
  const { repositories, number } = pullRequest
  const arrived = await context.tx.gitDelivery.findMany({
    where: {
      source: { in: sources },
      accountId: concerned.accountId,
      repository: repositories[0] ?? null,
      pullRequestNumber: number,
      NOT: { id: earlier?.id ?? '' },
    },
    orderBy: { id: 'desc' },
    take: MAX_ARRIVED,
  })
  const others = arrived.map(({ pullRequestAction, fromCommitId: from, commitId: commit, happenedAt }) => {
    return { action: pullRequestAction as PullRequestAction, from, commit, happenedAt }
  })
  return isLate(pullRequest, others)
}

/** It is said again what a repeated delivery has done. */
const asBefore = (earlier: GitDelivery): Decision => {
  const { outcome, reason, message } = earlier
  return { outcome, reason, message, environments: [...environmentsOf(earlier)] }
}

const lateness = ({ number }: GitPullRequest) => `What happened to the pull request ${number} later arrived before this`

const nothingIn = (appId: string, reason: string) =>
  ({ appEnvId: null, appId, outcome: 'IGNORED', reason, operationId: null }) as const

const beyond = (appId: string): GitDeliveryEnvironment => ({
  ...nothingIn(appId, 'TOO_MANY_ENVIRONMENTS'),
  message: `One delivery changes the environments of at most ${MAX_APPS} apps`,
})

function summed({ number, commit }: GitPullRequest, environments: GitDeliveryEnvironment[]): Decision {
  const count = (wanted: string) => environments.filter(({ outcome }) => outcome === wanted).length
  const [deployed, deleted] = [count('DEPLOYED'), count('DELETED')]
  const what = `pull request ${number}`
  if (deployed > 0) {
    const message = `Commit ${commit?.slice(0, 12)} of ${what} is deployed to ${deployed} of ${environments.length} environment(s)`
    return { outcome: 'DEPLOYED', reason: null, message, environments }
  }
  if (deleted === 0) return allIgnored(environments)
  return { outcome: 'DELETED', reason: null, message: `${deleted} environment(s) of ${what} are deleted`, environments }
}
