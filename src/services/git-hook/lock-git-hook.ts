import type { Target } from '../../calls/command.ts'
import { notFound } from '../../domain/errors.ts'
import type { GitHookSecrets } from '../../domain/git-push.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Account, GitHook } from '../../storage/database/generated/prisma/client.ts'
import type { Vault } from '../../storage/secrets/vault.ts'

export type GitHookTarget = Target & { gitHook: GitHook & { account: Account } }

export async function lockGitHook(tx: Transaction, gitHookId: string): Promise<GitHookTarget> {
  const gitHook = await lockGitHookIfThere(tx, gitHookId)
  if (!gitHook) throw notFound('git hook', gitHookId)
  return { type: 'gitHook', id: gitHook.id, accountId: gitHook.accountId, version: gitHook.version, gitHook }
}

export async function lockGitHookIfThere(tx: Transaction, gitHookId: string) {
  await tx.$queryRaw`SELECT 1 FROM git_hook WHERE id = ${gitHookId} FOR UPDATE`
  return tx.gitHook.findUnique({ where: { id: gitHookId }, include: { account: true } })
}

export const gitHookSecretsOf = (vault: Vault, { account, id, sealedData }: GitHookTarget['gitHook']): GitHookSecrets =>
  vault.forAccount(account).openGitHook(id, sealedData) as GitHookSecrets
