import { z } from 'zod'
import { isBranchName } from '../../domain/branch-name.ts'
import { isProject } from '../../domain/commit-status.ts'
import { commitOf } from '../../domain/git-push.ts'
import type { GitPullRequest, PullRequestAction } from '../../domain/pull-request.ts'
import type { GitProvider } from '../../storage/secrets/git-signature.ts'
import {
  gitHubRepository,
  gitLabProject,
  nameOf,
  nothing,
  type ParsedDelivery,
  plain,
  repositoriesOf,
} from './payload-parts.ts'

/** Beyond any that a host gives; a column holds it. */
const MAX_NUMBER = 1_000_000_000
const MAX_BRANCH_LENGTH = 250
/** Times outside are no times of a pull request. */
const [EARLIEST, LATEST] = [Date.UTC(2000), Date.UTC(2200)]

const text = z.string().nullish()
const number = z.int().min(1).max(MAX_NUMBER)

/** Gitea repeats the id of the repository beside it; a repository that was deleted is null. */
const side = z.object({
  ref: z.string(),
  label: text,
  sha: text,
  repo_id: z.int().nullish(),
  repo: z.object({ id: z.int() }).nullish(),
})

/** GitHub's, which Gitea and Forgejo follow. */
const gitHubPullRequest = z.object({
  action: z.string(),
  number,
  before: text,
  pull_request: z.object({ state: z.string(), title: text, updated_at: text, head: side, base: side }),
  repository: gitHubRepository,
  sender: z.object({ login: text }).nullish(),
})

const gitLabMergeRequest = z.object({
  project: gitLabProject,
  user: z.object({ username: text, name: text }).nullish(),
  object_attributes: z.object({
    iid: number,
    action: text,
    state: z.string(),
    title: text,
    updated_at: text,
    oldrev: text,
    source_branch: z.string(),
    target_branch: z.string(),
    source_project_id: z.int().nullish(),
    target_project_id: z.int().nullish(),
    last_commit: z.object({ id: text, message: text }).nullish(),
  }),
})

/** GitHub says `synchronize`, Gitea `synchronized`. */
const GITHUB_ACTIONS: ReadonlyMap<string, PullRequestAction> = new Map([
  ['opened', 'OPENED'],
  ['reopened', 'REOPENED'],
  ['synchronize', 'PUSHED'],
  ['synchronized', 'PUSHED'],
  ['closed', 'CLOSED'],
])

const GITLAB_ACTIONS: ReadonlyMap<string, PullRequestAction> = new Map([
  ['open', 'OPENED'],
  ['reopen', 'REOPENED'],
  ['update', 'PUSHED'],
  ['close', 'CLOSED'],
  ['merge', 'CLOSED'],
])

export const readPullRequest = (provider: GitProvider, payload: unknown): ParsedDelivery =>
  provider === 'GITLAB' ? readGitLab(payload) : readGitHub(payload)

function readGitHub(payload: unknown): ParsedDelivery {
  const read = gitHubPullRequest.safeParse(payload)
  if (!read.success) return UNREADABLE
  const { action: word, number, before, pull_request, repository, sender } = read.data
  const action = GITHUB_ACTIONS.get(word)
  if (!action) return otherAction(word)
  const { state, title, updated_at, head, base } = pull_request
  const { full_name, clone_url, html_url, ssh_url, url } = repository
  return pullRequestOf({
    action,
    number,
    title,
    state,
    happenedAt: updated_at,
    pusher: sender?.login,
    project: full_name && isProject('GITHUB', full_name) ? full_name : null,
    addresses: [clone_url, html_url, ssh_url, url],
    branch: head.ref,
    targetBranch: base.ref,
    from: before,
    commit: head.sha,
    repositoryIds: isOfBranch(head) ? [head.repo?.id ?? head.repo_id, base.repo?.id ?? base.repo_id] : [null, null],
  })
}

/**
 * Gitea lets every user who may read a repository push to its `refs/for/…` (AGit). Such a push has no branch and no
 * label.
 */
const isOfBranch = ({ ref, label }: z.output<typeof side>): boolean => label !== '' && !ref.startsWith('refs/')

function readGitLab(payload: unknown): ParsedDelivery {
  const read = gitLabMergeRequest.safeParse(payload)
  if (!read.success) return UNREADABLE
  const { project, user, object_attributes: attributes } = read.data
  const { iid, state, title, updated_at, oldrev, last_commit, source_branch, target_branch } = attributes
  const action = GITLAB_ACTIONS.get(attributes.action ?? '')
  // An update of anything but the commits has no former head.
  if (!action || (action === 'PUSHED' && !oldrev)) return otherAction(attributes.action ?? 'unknown')
  const { id, git_http_url, git_ssh_url, http_url, ssh_url, web_url } = project
  return pullRequestOf({
    action,
    number: iid,
    state,
    happenedAt: updated_at,
    pusher: user?.username ?? user?.name,
    title: `${title ?? ''}\n${last_commit?.message ?? ''}`,
    project: id ? String(id) : null,
    addresses: [git_http_url, web_url, http_url, git_ssh_url, ssh_url],
    branch: source_branch,
    targetBranch: target_branch,
    from: oldrev,
    commit: last_commit?.id,
    repositoryIds: [attributes.source_project_id, attributes.target_project_id],
  })
}

const UNREADABLE = nothing(
  'UNREADABLE',
  'The body is not what this git host sends of a pull request: check that the provider of the git hook is right',
)

const otherAction = (action: string) =>
  nothing('OTHER_EVENT', `Nothing is done about the action ${plain(action).slice(0, 50)} of a pull request`)

type Maybe<Value> = Value | null | undefined

interface Said {
  action: PullRequestAction
  number: number
  state: string
  title: Maybe<string>
  happenedAt: Maybe<string>
  pusher: Maybe<string>
  project: string | null
  addresses: readonly Maybe<string>[]
  branch: string
  targetBranch: string
  from: Maybe<string>
  commit: Maybe<string>
  /** Of the commits, and of what they are to be merged into. */
  repositoryIds: readonly [Maybe<number>, Maybe<number>]
}

function pullRequestOf({ state, addresses, repositoryIds, ...said }: Said): ParsedDelivery {
  const { action, number, branch, targetBranch, project } = said
  const repositories = repositoriesOf(addresses)
  const commit = commitOf(said.commit ?? '') ?? null
  if (repositories.length === 0 || (commit === null && action !== 'CLOSED')) return UNREADABLE
  if (action !== 'CLOSED' && !['open', 'opened'].includes(state))
    return nothing('PULL_REQUEST_CLOSED', `The pull request ${number} is closed`)
  if (action !== 'CLOSED' && !isBranchName(branch))
    return nothing('NO_BRANCH', 'The pull request is of a branch whose name is not deployed')
  const [from, to] = repositoryIds
  const pullRequest: GitPullRequest = {
    repositories,
    project,
    number,
    action,
    commit,
    title: plain(said.title ?? ''),
    branch: short(branch),
    targetBranch: short(targetBranch),
    from: commitOf(said.from ?? '') ?? null,
    happenedAt: timeOf(said.happenedAt),
    pusher: nameOf(said.pusher),
    // What is not known to be of the same repository is a stranger's.
    isFork: !from || !to || from !== to,
  }
  return { pullRequest }
}

const short = (branch: string): string => plain(branch).slice(0, MAX_BRANCH_LENGTH)

function timeOf(text: Maybe<string>): Date | null {
  const time = Date.parse(text ?? '')
  return time > EARLIEST && time < LATEST ? new Date(time) : null
}
