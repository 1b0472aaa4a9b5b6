import { permit } from '../../calls/caller.ts'
import type { CommandContext } from '../../calls/command.ts'
import { conflict } from '../../domain/errors.ts'
import { repositoryKey } from '../../domain/git-push.ts'
import { type App, Prisma } from '../../storage/database/generated/prisma/client.ts'
import { repositoryUrl } from '../configuration/build-plan.ts'
import type { AppChanges } from './app-changes.ts'

/**
 * Whether an app may be built from another repository; says what its pushes will do. What is being built goes on: a version has its
 * source recorded. Null when the repository stays the same, whatever its spelling.
 */
export async function moveRepository(context: CommandContext, app: App, changes: AppChanges): Promise<string | null> {
  const { tx, caller, config } = context
  const [from, to] = [app, { ...app, ...changes } as App].map((one) => keyOf(repositoryUrl(one, config)))
  if (from === to) return null
  const previews = await tx.appEnv.count({
    where: { appId: app.id, deletedAt: null, pullRequest: { not: Prisma.DbNull } },
  })
  // The numbers of pull requests are those of a repository: one of the new repository would take over an environment.
  if (previews > 0)
    throw conflict(
      'PULL_REQUEST_ENVS_LEFT',
      `The app has ${previews} environment(s) of pull requests of its present repository: delete them, or close the pull requests, first`,
    )
  const lent = await lentTo(tx, app.id)
  // From now on pushes there are deployed: to choose the repository is to deploy.
  for (const appEnvId of lent) permit(caller, 'appEnv:operate', { accountId: app.accountId, appEnvId })
  if (lent.length === 0) return null
  return 'Pushes and pull requests of the new repository deploy from now on, where that is turned on, and those of the former one do not. Has the new repository a git hook, or the GitHub App?'
}

const keyOf = (url: string | null): string | null => url && (repositoryKey(url) ?? url)

/** Environments that pushes or pull requests deploy with the rights of a user. */
async function lentTo(tx: CommandContext['tx'], appId: string): Promise<string[]> {
  const pushed = await tx.autoDeploy.findMany({ where: { appEnv: { appId, deletedAt: null } } })
  const previewed = await tx.pullRequestEnvs.findMany({ where: { appId } })
  return [...pushed.map(({ appEnvId }) => appEnvId), ...previewed.map(({ baseAppEnvId }) => baseAppEnvId)]
}
