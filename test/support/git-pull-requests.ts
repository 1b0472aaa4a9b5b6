import { commitId, type Provider } from './git-hosts.ts'

/** What happened to a pull request. Fields that are left out are of one that was opened into main of its own repository. */
export interface Happened {
  /** Of the web page of the repository. */
  url: string
  number?: number
  action?: 'opened' | 'reopened' | 'pushed' | 'closed' | 'merged' | 'edited'
  branch?: string
  targetBranch?: string
  /** The head before a push. */
  before?: string
  head?: string
  title?: string
  /** `deleted`: the fork is gone since. */
  fork?: 'fork' | 'deleted'
  /** When; by default a second after the one before. */
  at?: string
  draft?: boolean
  installation?: number
}

let seconds = 0
function nextTime(): string {
  seconds += 1
  return new Date(Date.UTC(2026, 10, 20, 9, 30, seconds)).toISOString().replace('.000', '')
}

const OWN_ID = 4711
const FORK_ID = 4712

function partsOf(happened: Happened) {
  const { url, number = 12, action = 'opened', branch = 'feature', targetBranch = 'main' } = happened
  const { head = commitId('a'), before, title = 'A change', fork, at = nextTime(), draft = false } = happened
  const { host, pathname } = new URL(url)
  const path = pathname.slice(1)
  const isOpen = action !== 'closed' && action !== 'merged'
  return { url, host, path, number, action, branch, targetBranch, head, before, title, fork, at, draft, isOpen }
}

const gitHubRepository = (path: string, host: string, id: number, isFork: boolean) => {
  const [owner = '', name = ''] = path.split('/')
  const url = `https://${host}/${path}`
  return {
    id,
    node_id: `R_${id}`,
    name,
    full_name: path,
    private: false,
    owner: { login: owner, id: 7 },
    fork: isFork,
    html_url: url,
    url: `https://api.${host}/repos/${path}`,
    git_url: `git://${host}/${path}.git`,
    ssh_url: `git@${host}:${path}.git`,
    clone_url: `${url}.git`,
    default_branch: 'main',
  }
}

/** The structure is that of GitHub's documentation of the event pull_request. */
function gitHubPullRequest(happened: Happened) {
  const { url, host, path, number, action, branch, targetBranch, head, before, ...rest } = partsOf(happened)
  const { title, fork, at, draft, isOpen } = rest
  const own = gitHubRepository(path, host, OWN_ID, false)
  const theirs = gitHubRepository(`stranger/${path.split('/')[1]}`, host, FORK_ID, true)
  const from = { fork: theirs, deleted: null }
  const actions = { pushed: 'synchronize', merged: 'closed' } as const
  const pushed = action === 'pushed' ? { before: before ?? commitId('9'), after: head } : {}
  return {
    action: action in actions ? actions[action as keyof typeof actions] : action,
    number,
    ...pushed,
    pull_request: {
      url: `${url}/pulls/${number}`,
      id: 279147437,
      number,
      state: isOpen ? 'open' : 'closed',
      locked: false,
      html_url: `${url}/pull/${number}`,
      title,
      user: { login: 'ada', id: 7, type: 'User' },
      body: null,
      draft,
      created_at: '2026-11-20T09:00:00Z',
      updated_at: at,
      closed_at: isOpen ? null : at,
      merged: action === 'merged',
      merge_commit_sha: commitId('e'),
      commits: 1,
      changed_files: 1,
      head: { label: `acme:${branch}`, ref: branch, sha: head, user: { login: 'ada' }, repo: fork ? from[fork] : own },
      base: {
        label: `acme:${targetBranch}`,
        ref: targetBranch,
        sha: commitId('b'),
        user: { login: 'acme' },
        repo: own,
      },
    },
    repository: own,
    sender: { login: 'ada', id: 7, type: 'User' },
    ...(happened.installation ? { installation: { id: happened.installation, node_id: 'I_1' } } : {}),
  }
}

/** The structure is that of Gitea and Forgejo. */
function giteaPullRequest(happened: Happened) {
  const { url, host, path, number, action, branch, targetBranch, head, ...rest } = partsOf(happened)
  const { title, fork, at, draft, isOpen } = rest
  const repository = (of: string, id: number, isFork: boolean) => ({
    id,
    name: of.split('/')[1],
    full_name: of,
    owner: { id: 1, login: of.split('/')[0] },
    private: true,
    fork: isFork,
    html_url: `https://${host}/${of}`,
    clone_url: `https://${host}/${of}.git`,
    default_branch: 'main',
    url: `https://${host}/api/v1/repos/${of}`,
    ssh_url: `ssh://git@${host.split(':')[0]}:2222/${of}.git`,
  })
  const own = repository(path, OWN_ID, false)
  const theirs = fork === 'fork' ? repository(`stranger/${path.split('/')[1]}`, FORK_ID, true) : null
  const actions = { pushed: 'synchronized', merged: 'closed' } as const
  return {
    action: action in actions ? actions[action as keyof typeof actions] : action,
    number,
    pull_request: {
      id: 11,
      url: `${url}/pulls/${number}`,
      number,
      title,
      body: '',
      state: isOpen ? 'open' : 'closed',
      draft,
      user: { id: 1, login: 'ada', username: 'ada' },
      html_url: `${url}/pulls/${number}`,
      updated_at: at,
      merged: action === 'merged',
      merge_base: commitId('b'),
      created_at: '2026-11-20T09:00:00Z',
      base: { label: targetBranch, ref: targetBranch, sha: commitId('b'), repo_id: OWN_ID, repo: own },
      head: {
        label: branch,
        ref: branch,
        sha: head,
        ...(fork ? { repo_id: theirs ? FORK_ID : 0, repo: theirs } : { repo_id: OWN_ID, repo: own }),
      },
    },
    requested_reviewer: null,
    repository: own,
    sender: { id: 1, login: 'ada' },
    commit_id: '',
    review: null,
  }
}

const GITLAB_ACTIONS = {
  opened: 'open',
  reopened: 'reopen',
  pushed: 'update',
  edited: 'update',
  closed: 'close',
  merged: 'merge',
} as const

/** The structure is that of GitLab's documentation of merge request events. */
function gitLabMergeRequest(happened: Happened) {
  const { url, host, path, number, action, branch, targetBranch, head, before, ...rest } = partsOf(happened)
  const { title, fork, at, draft, isOpen } = rest
  const project = (of: string) => ({
    name: of.split('/')[1],
    namespace: of.split('/')[0],
    web_url: `https://${host}/${of}`,
    visibility_level: 20,
    git_ssh_url: `git@${host.split(':')[0]}:${of}.git`,
    git_http_url: `https://${host}/${of}.git`,
    path_with_namespace: of,
    default_branch: 'main',
    homepage: `https://${host}/${of}`,
    url: `https://${host}/${of}.git`,
    http_url: `https://${host}/${of}.git`,
  })
  const sourceId = fork === 'deleted' ? null : fork ? FORK_ID : 15
  return {
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: { id: 4, name: 'Ada', username: 'ada', email: 'ada@example.com' },
    project: { id: 15, ...project(path) },
    repository: { name: path.split('/')[1], url: `https://${host}/${path}.git`, homepage: url },
    object_attributes: {
      id: 99,
      iid: number,
      target_branch: targetBranch,
      source_branch: branch,
      source_project_id: sourceId,
      target_project_id: 15,
      title,
      state_id: 1,
      work_in_progress: draft,
      draft,
      merge_status: 'unchecked',
      state: isOpen ? 'opened' : action === 'merged' ? 'merged' : 'closed',
      created_at: '2026-11-20T09:00:00Z',
      updated_at: at.replace('T', ' ').replace('Z', ' UTC'),
      url: `${url}/-/merge_requests/${number}`,
      source: project(fork ? `stranger/${path.split('/')[1]}` : path),
      target: project(path),
      last_commit: {
        id: head,
        message: 'fixed readme',
        title: 'Update file README.md',
        url: `${url}/-/commit/${head}`,
      },
      action: GITLAB_ACTIONS[action],
      ...(action === 'pushed' ? { oldrev: before ?? commitId('9') } : {}),
    },
    labels: [],
    changes: {},
    assignees: [],
    reviewers: [],
  }
}

const PAYLOADS = { GITHUB: gitHubPullRequest, GITEA: giteaPullRequest, GITLAB: gitLabMergeRequest } as const

export const pullRequestPayloadOf = (provider: Provider, happened: Happened) => PAYLOADS[provider](happened)

/** What the header calls it. */
export const PULL_REQUEST_EVENTS: Readonly<Record<Provider, string>> = {
  GITHUB: 'pull_request',
  GITEA: 'pull_request',
  GITLAB: 'Merge Request Hook',
}
