import { BuildFailure } from '../../domain/build-failure.ts'
import type { BuildSource } from '../../domain/build-plan.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'

/**
 * The App's key reads every repository that it was given: it is used only for an installation that the account has
 * proved to be its own, whenever the app was created. Throws SOURCE_REFUSED.
 */
export async function assertOwnInstallation(
  { database, config, appEnv: { accountId } }: Pick<VersionAttemptContext, 'database' | 'config' | 'appEnv'>,
  source: BuildSource,
): Promise<void> {
  if (source.kind !== 'git' || !source.installationId || !config.BERTH_GITHUB_APP_ID) return
  // The token goes to GitHub alone.
  if (!source.url.startsWith(`${config.BERTH_GITHUB_URL.replace(/\/$/, '')}/`)) return
  const { installationId } = source
  const key = { installationId, accountId }
  if (await database.gitInstallation.findUnique({ where: { installationId_accountId: key } })) return
  throw new BuildFailure(
    'SOURCE_REFUSED',
    `The account has not proved that the GitHub App installation ${installationId} is its own: call connectGitInstallation, then build again`,
  )
}
