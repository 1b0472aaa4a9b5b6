import type { CommandContext } from '../../calls/command.ts'
import type { Config } from '../../config/config.ts'
import { conflict, forbidden } from '../../domain/errors.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'

/** Without the App's key, an installation's number opens nothing, and needs no proof. */
export const hasGitHubApp = ({ BERTH_GITHUB_APP_ID, BERTH_GITHUB_PRIVATE_KEY }: Config): boolean =>
  Boolean(BERTH_GITHUB_APP_ID && BERTH_GITHUB_PRIVATE_KEY)

export function requireGitHubApp(config: Config): void {
  if (!hasGitHubApp(config))
    throw conflict(
      'GITHUB_APP_NOT_CONFIGURED',
      'This installation has no GitHub App: BERTH_GITHUB_APP_ID and BERTH_GITHUB_PRIVATE_KEY are not set',
    )
}

export async function recordInstallation(
  tx: Transaction,
  installationId: string,
  accountId: string,
  userId: string | null,
): Promise<void> {
  const key = { installationId, accountId }
  await tx.gitInstallation.upsert({
    where: { installationId_accountId: key },
    create: { ...key, userId },
    update: {},
  })
}

/**
 * A GitHub App's installation is named by a number that can be guessed, and it reads private repositories: an account
 * may name only one that it has proved to own. The installation's admin, who has the App's key, vouches by naming it.
 */
export async function requireOwnInstallation(
  { tx, caller, config }: CommandContext,
  accountId: string,
  installationId: string | undefined,
): Promise<void> {
  if (!installationId || !hasGitHubApp(config)) return
  if (caller.isInstallationAdmin) return recordInstallation(tx, installationId, accountId, caller.userId)
  await requireProved(tx, accountId, installationId)
}

/** Throws FORBIDDEN unless the account has proved that the installation is its own. */
export async function requireProved(
  client: Database | Transaction,
  accountId: string,
  installationId: string,
): Promise<void> {
  const key = { installationId, accountId }
  if (await client.gitInstallation.findUnique({ where: { installationId_accountId: key } })) return
  const message = `gitInstallationId: the account has not proved that installation ${installationId} is its own: call connectGitInstallation first`
  throw forbidden('GIT_INSTALLATION_UNPROVED', message)
}
