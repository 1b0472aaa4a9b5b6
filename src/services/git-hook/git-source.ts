import type { Target } from '../../calls/command.ts'
import type { Config } from '../../config/config.ts'
import { notFound } from '../../domain/errors.ts'
import type { GitHookSecrets } from '../../domain/git-push.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import type { Account, GitHook } from '../../storage/database/generated/prisma/client.ts'
import type { GitProvider } from '../../storage/secrets/git-signature.ts'
import type { Vault } from '../../storage/secrets/vault.ts'
import { hasGitHubApp } from '../git/git-installation.ts'
import { GITHUB_APP_SOURCE } from './git-delivery-fields.ts'

export type GitHookTarget = Target & { gitHook: GitHook & { account: Account } }

export async function lockGitHook(tx: Transaction, gitHookId: string): Promise<GitHookTarget> {
  const gitHook = await lockGitHookIfThere(tx, gitHookId)
  if (!gitHook) throw notFound('git hook', gitHookId)
  return { type: 'gitHook', id: gitHook.id, accountId: gitHook.accountId, version: gitHook.version, gitHook }
}

async function lockGitHookIfThere(tx: Transaction, gitHookId: string) {
  await tx.$queryRaw`SELECT 1 FROM git_hook WHERE id = ${gitHookId} FOR UPDATE`
  return tx.gitHook.findUnique({ where: { id: gitHookId }, include: { account: true } })
}

export const gitHookSecretsOf = (vault: Vault, { account, id, sealedData }: GitHookTarget['gitHook']): GitHookSecrets =>
  vault.forAccount(account).openGitHook(id, sealedData) as GitHookSecrets

/** A source of deliveries: a git hook of an account, or the installation's GitHub App. */
export interface GitSource {
  /** Id of the hook, or `github-app`. */
  id: string
  provider: GitProvider
  /** Any of them proves a delivery. */
  secrets: readonly string[]
  /** Null for the GitHub App, whose installations several accounts may have. */
  accountId: string | null
}

interface Tools {
  database: Database
  config: Config
  vault: Vault
}

/** The hook of that id; without one, the GitHub App. Null when there is none. */
export async function findGitSource(
  { database, config, vault }: Tools,
  gitHookId: string | null,
): Promise<GitSource | null> {
  if (gitHookId === null) {
    const secret = config.BERTH_GITHUB_WEBHOOK_SECRET
    return secret ? { id: GITHUB_APP_SOURCE, provider: 'GITHUB', secrets: [secret], accountId: null } : null
  }
  const gitHook = await database.gitHook.findUnique({ where: { id: gitHookId }, include: { account: true } })
  if (!gitHook) return null
  const [former] = await database.$queryRaw<{ holds: boolean | null }[]>`
    SELECT former_secret_until > now() AS holds FROM git_hook WHERE id = ${gitHookId}`
  const { secret, formerSecret } = gitHookSecretsOf(vault, gitHook)
  const secrets = former?.holds && formerSecret !== null ? [secret, formerSecret] : [secret]
  return { id: gitHook.id, provider: gitHook.provider, secrets, accountId: gitHook.accountId }
}

/** What a delivery may concern, of one account. */
export interface Concerned {
  accountId: string
  /** Only environments of this app. */
  appId: string | null
  /** Only apps that are built through this installation of the GitHub App. */
  installationId: string | null
  /** Whether there is a credential to set statuses of commits with. */
  setsStatuses: boolean
}

/** Takes deliveries of a source one after the other, for each account. Null when it was deleted since it was found. */
export async function lockConcerned(
  { tx, config }: { tx: Transaction; config: Config },
  source: GitSource,
  { accountId, installationId }: { accountId: string; installationId: string | null },
): Promise<Concerned | null> {
  if (source.accountId !== null) {
    const gitHook = await lockGitHookIfThere(tx, source.id)
    if (!gitHook) return null
    const setsStatuses = gitHook.statusApiUrl !== null
    return { accountId: gitHook.accountId, appId: gitHook.appId, installationId: null, setsStatuses }
  }
  const [installation] = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM git_installation WHERE account_id = ${accountId} AND installation_id = ${installationId} FOR UPDATE`
  return installation ? { accountId, appId: null, installationId, setsStatuses: hasGitHubApp(config) } : null
}
