import { z } from 'zod'
import { isBranchName } from '../../domain/branch-name.ts'
import { isProject } from '../../domain/commit-status.ts'
import { commitOf, type GitPush } from '../../domain/git-push.ts'
import type { GitProvider } from '../../storage/secrets/git-signature.ts'
import {
  gitHubRepository,
  gitLabProject,
  nameOf,
  nothing,
  type ParsedDelivery,
  repositoriesOf,
} from './payload-parts.ts'

/** GitHub lists no more commits of a push, and no more paths of a commit. */
const MAX_COMMITS = 2048
const MAX_PATHS_OF_COMMIT = 3000
/** More than that are not compared. */
const MAX_PATHS = 20_000

const text = z.string().nullish()
const paths = z.array(z.string()).nullish()
const commit = z.object({ id: text, message: text, added: paths, modified: paths, removed: paths })
const commits = z.array(commit).nullish()
type Commit = z.output<typeof commit>

/** GitHub's, which Gitea and Forgejo follow. */
const gitHubPush = z.object({
  ref: z.string(),
  before: z.string(),
  after: z.string(),
  forced: z.boolean().nullish(),
  commits,
  head_commit: commit.nullish(),
  total_commits: z.number().nullish(),
  repository: gitHubRepository,
  pusher: z.object({ name: text, login: text, username: text }).nullish(),
})

const gitLabPush = z.object({
  ref: z.string(),
  before: z.string(),
  after: z.string(),
  checkout_sha: text,
  commits,
  total_commits_count: z.number().nullish(),
  user_username: text,
  user_name: text,
  project: gitLabProject,
  push_options: z
    .object({ ci: z.object({ skip: z.unknown() }).nullish() })
    .nullish()
    .catch(null),
})

export const readPush = (provider: GitProvider, payload: unknown): ParsedDelivery =>
  provider === 'GITLAB' ? readGitLab(payload) : readGitHub(payload)

function readGitHub(payload: unknown): ParsedDelivery {
  const read = gitHubPush.safeParse(payload)
  if (!read.success) return UNREADABLE
  const { repository, commits, head_commit, total_commits, forced, pusher, ...refs } = read.data
  const { full_name, clone_url, html_url, ssh_url, url, default_branch } = repository
  return pushOf(refs, {
    project: full_name && isProject('GITHUB', full_name) ? full_name : null,
    addresses: [clone_url, html_url, ssh_url, url],
    defaultBranch: default_branch ?? null,
    message: head_commit?.message ?? newestOf(commits, refs.after)?.message ?? '',
    paths: forced ? null : pathsOf(commits, total_commits),
    pusher: pusher?.name ?? pusher?.login ?? pusher?.username ?? null,
    isSkipped: false,
  })
}

function readGitLab(payload: unknown): ParsedDelivery {
  const read = gitLabPush.safeParse(payload)
  if (!read.success) return UNREADABLE
  const { project, commits, total_commits_count, user_username, user_name, push_options, ...refs } = read.data
  const { id, git_http_url, git_ssh_url, http_url, ssh_url, web_url, default_branch } = project
  return pushOf(refs, {
    project: id ? String(id) : null,
    addresses: [git_http_url, web_url, http_url, git_ssh_url, ssh_url],
    defaultBranch: default_branch ?? null,
    message: newestOf(commits, refs.checkout_sha ?? refs.after)?.message ?? '',
    paths: pathsOf(commits, total_commits_count),
    pusher: user_username ?? user_name ?? null,
    isSkipped: Boolean(push_options?.ci?.skip),
  })
}

const UNREADABLE = nothing(
  'UNREADABLE',
  'The body is not what this git host sends of a push: check that the provider of the git hook is right',
)

interface Said extends Pick<GitPush, 'project' | 'defaultBranch' | 'message' | 'paths' | 'pusher' | 'isSkipped'> {
  addresses: readonly (string | null | undefined)[]
}

function pushOf(refs: { ref: string; before: string; after: string }, { addresses, ...said }: Said): ParsedDelivery {
  const branch = /^refs\/heads\/(.+)$/s.exec(refs.ref)?.[1]
  if (branch === undefined || !isBranchName(branch))
    return nothing('NO_BRANCH', 'The push is not to a branch: only branches are deployed')
  const [from, commit] = [commitOf(refs.before), commitOf(refs.after)]
  const repositories = repositoriesOf(addresses)
  if (from === undefined || commit === undefined || repositories.length === 0) return UNREADABLE
  const pusher = nameOf(said.pusher)
  const paths = from === null ? null : said.paths
  return { push: { ...said, pusher, branch, from, commit, repositories, paths } }
}

const newestOf = (commits: readonly Commit[] | null | undefined, id: string): Commit | undefined =>
  commits?.find((one) => one.id === id) ?? commits?.at(-1)

/** Null unless every path is certain to be listed: a push that is not understood is deployed. */
function pathsOf(commits: readonly Commit[] | null | undefined, total: number | null | undefined): string[] | null {
  if (!commits || commits.length === 0 || commits.length >= MAX_COMMITS) return null
  if (total !== null && total !== undefined && total !== commits.length) return null
  const all = new Set<string>()
  for (const { added, modified, removed } of commits) {
    if (!added || !modified || !removed) return null
    const listed = [...added, ...modified, ...removed]
    if (listed.length === 0 || listed.length >= MAX_PATHS_OF_COMMIT) return null
    for (const path of listed) all.add(path)
    if (all.size > MAX_PATHS) return null
  }
  return [...all]
}
