import { z } from 'zod'
import { type GitPush, repositoryKey } from '../../domain/git-push.ts'
import type { GitPullRequest } from '../../domain/pull-request.ts'

/** What a delivery says: a push to a branch, what happened to a pull request, or why it is nothing of the kind. */
export type ParsedDelivery = { push: GitPush } | { pullRequest: GitPullRequest } | { reason: string; message: string }

const MAX_NAME_LENGTH = 100
const MAX_KEY_LENGTH = 300

const text = z.string().nullish()

/** GitHub's, which Gitea and Forgejo follow. */
export const gitHubRepository = z.object({
  full_name: text,
  clone_url: text,
  html_url: text,
  ssh_url: text,
  url: text,
  default_branch: text,
})

export const gitLabProject = z.object({
  git_http_url: text,
  git_ssh_url: text,
  http_url: text,
  ssh_url: text,
  web_url: text,
  default_branch: text,
  id: z.int().nullish(),
})

export const nothing = (reason: string, message: string): ParsedDelivery => ({ reason, message })

const withInstallation = z.object({ installation: z.object({ id: z.int() }) })

/** The installation of the GitHub App that a delivery is about. */
export function installationOf(payload: unknown): string | null {
  const read = withInstallation.safeParse(payload)
  return read.success ? String(read.data.installation.id) : null
}

/** The repository by each of its addresses, once. */
export function repositoriesOf(addresses: readonly (string | null | undefined)[]): string[] {
  const keys = addresses.flatMap((address) => (address ? (repositoryKey(address) ?? []) : []))
  return [...new Set(keys)].filter(isPlain)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: this rule rejects them.
const isPlain = (key: string) => key.length <= MAX_KEY_LENGTH && !/[\u0000-\u0020]/.test(key) && key.isWellFormed()

/** What a database can hold. */
export const plain = (words: string) => words.replaceAll('\0', '').toWellFormed()

/** Of a person, as far as it is kept. */
export const nameOf = (name: string | null | undefined): string | null =>
  name === null || name === undefined ? null : plain(name).slice(0, MAX_NAME_LENGTH)
