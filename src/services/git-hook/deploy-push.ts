import { callerForUser } from '../../calls/authenticate.ts'
import { may } from '../../calls/caller.ts'
import type { CommandContext } from '../../calls/command.ts'
import { CLAIM_SECONDS } from '../../domain/commit-status.ts'
import { DomainError } from '../../domain/errors.ts'
import { type GitDeliveryEnvironment, type GitPush, repositoryKey } from '../../domain/git-push.ts'
import { choosesAny } from '../../domain/watched-paths.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { App, AppEnv } from '../../storage/database/generated/prisma/client.ts'
import { repositoryUrl } from '../configuration/build-plan.ts'
import { beginOperation, isStopped } from '../lifecycle/begin-operation.ts'
import { nextBuild } from '../lifecycle/build.ts'
import { type LoadedAppEnv, lockAppEnv } from '../targets/load-app-env.ts'
import type { Deciding } from './decision.ts'
import type { Concerned } from './git-source.ts'

/** The actor of what a push begins. */
export const GIT_HOOK_ACTOR = 'git-hook'
/** Environments that one push deploys. */
const MAX_DEPLOYED = 50

/** The environments with auto-deploy that are built from the branch, in the order in which they are locked. */
export async function findConcerned(
  { tx, config }: CommandContext,
  { accountId, appId, installationId }: Concerned,
  push: GitPush,
): Promise<string[]> {
  const app = {
    deletedAt: null,
    gitRepo: { not: null },
    useImage: false,
    isCliDeployment: false,
    ...(appId === null ? {} : { id: appId }),
    ...(installationId === null ? {} : { gitInstallationId: installationId }),
  }
  const appEnvs = await tx.appEnv.findMany({
    where: { accountId, deletedAt: null, autoDeploy: { isNot: null }, app },
    include: { app: true },
    orderBy: { id: 'asc' },
  })
  return appEnvs.filter((appEnv) => isBuiltFrom(appEnv, push, config)).map(({ id }) => id)
}

function isBuiltFrom(appEnv: AppEnv & { app: App }, push: GitPush, config: CommandContext['config']): boolean {
  // Its pull request says what is built.
  if (appEnv.pullRequest !== null) return false
  if ((appEnv.gitBranch || push.defaultBranch) !== push.branch) return false
  const url = repositoryUrl(appEnv.app, config)
  const key = url && repositoryKey(url)
  return Boolean(key && push.repositories.includes(key))
}

type Earlier = ReadonlyMap<string, GitDeliveryEnvironment>

interface Deploying extends Omit<Deciding, 'earlier'> {
  push: GitPush & { commit: string }
}

/** Deploys each environment, or says why not. What an earlier receipt of the same delivery has deployed stays so. */
export async function deployEach(
  deploying: Deploying,
  appEnvIds: readonly string[],
  earlier: Earlier,
): Promise<GitDeliveryEnvironment[]> {
  const all: GitDeliveryEnvironment[] = []
  let deployed = 0
  for (const appEnvId of appEnvIds) {
    const done = earlier.get(appEnvId)
    if (done?.outcome === 'DEPLOYED') all.push(done)
    else if (deployed >= MAX_DEPLOYED)
      all.push(ignored(appEnvId, 'TOO_MANY_ENVIRONMENTS', `One push deploys at most ${MAX_DEPLOYED} environments`))
    else {
      const one = await deployOne(deploying, appEnvId)
      if (one.outcome === 'DEPLOYED') deployed += 1
      all.push(one)
    }
  }
  return all
}

async function deployOne(deploying: Deploying, appEnvId: string): Promise<GitDeliveryEnvironment> {
  const { context, limits, push } = deploying
  try {
    const { appEnv } = await lockAppEnv(context.tx, { appEnvId })
    const refusal = await refusalOf(context, appEnv, push)
    if (refusal) return refusal
    await limits?.consumeOperation(appEnvId)
    const content = await nextBuild(context, appEnv, false, push.commit)
    const { id: operationId } = await beginOperation(context, appEnv, { kind: 'BUILD', content })
    await promiseStatus(deploying, push, { appEnvId, operationId })
    return { appEnvId, appId: null, outcome: 'DEPLOYED', reason: null, message: null, operationId }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return ignored(appEnvId, error.reason ?? error.code, error.message)
  }
}

const ignored = (appEnvId: string, reason: string, message: string): GitDeliveryEnvironment => {
  return { appEnvId, appId: null, outcome: 'IGNORED', reason, message, operationId: null }
}

/** Under the lock of the environment: what was found before may have changed. Null: it is deployed. */
async function refusalOf(
  { tx, config }: CommandContext,
  appEnv: LoadedAppEnv,
  push: Deploying['push'],
): Promise<GitDeliveryEnvironment | null> {
  const { id: appEnvId, accountId } = appEnv
  const auto = await tx.autoDeploy.findUnique({
    where: { appEnvId },
    include: { user: { include: { memberships: true } } },
  })
  if (!auto || !isBuiltFrom(appEnv, push, config))
    return ignored(
      appEnvId,
      'CHANGED_MEANWHILE',
      'The environment was changed meanwhile, so the push no longer concerns it',
    )
  if (!may(callerForUser(auto.user, GIT_HOOK_ACTOR), 'appEnv:operate', { accountId, appEnvId })) {
    const message = `The user ${auto.userId}, who turned auto-deploy on, may no longer deploy the environment: a user with that right has to turn it on again`
    return ignored(appEnvId, 'RIGHTS_LOST', message)
  }
  if (push.paths !== null && !choosesAny(auto.watchPaths, push.paths))
    return ignored(appEnvId, 'NOT_WATCHED', 'The push changes no path that watchPaths chooses')
  if (await isStopped(tx, appEnv))
    return ignored(
      appEnvId,
      'ENVIRONMENT_STOPPED',
      'The environment is stopped: pushes deploy it again once it is started',
    )
  if (await isNewest(tx, appEnv, push.commit))
    return ignored(appEnvId, 'ALREADY_DEPLOYED', 'The newest version of the environment is of this commit already')
  return null
}

/** Two hooks may deliver one push. */
export async function isNewest(
  tx: Transaction,
  { id: appEnvId, gitBranch }: LoadedAppEnv,
  commit: string,
): Promise<boolean> {
  const newest = await tx.content.findFirst({ where: { appEnvId }, orderBy: { version: 'desc' } })
  const isSame = newest?.gitCommitId === commit && newest.gitBranch === gitBranch
  return isSame && newest.status !== 'FAILED' && newest.status !== 'CANCELLED'
}

/**
 * A worker reports the status to the git host, once it is stored. Of one commit in environments of one name, the last
 * operation counts. It waits until no attempt for an earlier one can be under way, which would arrive after its own.
 */
export async function promiseStatus(
  { context: { tx }, source, concerned }: Pick<Deciding, 'context' | 'source' | 'concerned'>,
  { project, commit: commitId }: { project: string | null; commit: string },
  { appEnvId, operationId }: { appEnvId: string; operationId: string },
): Promise<void> {
  if (!concerned.setsStatuses || project === null) return
  const { id, provider } = source
  const { installationId } = concerned
  await tx.commitStatus.create({
    data: { operationId, appEnvId, source: id, provider, project, commitId, installationId },
  })
  await tx.$executeRaw`
    WITH earlier AS (
      UPDATE commit_status s SET ended_at = now() FROM app_env e, app_env own
      WHERE own.id = ${appEnvId} AND e.cli_env_name = own.cli_env_name AND e.id = s.app_env_id
        AND s.commit_id = ${commitId} AND s.operation_id <> ${operationId} AND s.ended_at IS NULL
      RETURNING s.due_at)
    UPDATE commit_status SET due_at = least(
      greatest(now(), (SELECT max(due_at) FROM earlier)), now() + make_interval(secs => ${CLAIM_SECONDS}))
    WHERE operation_id = ${operationId}`
}
