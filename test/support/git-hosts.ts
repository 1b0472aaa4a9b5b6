import { createHmac, randomUUID } from 'node:crypto'
import { Webhook as StandardSigner } from 'standardwebhooks'

/** What somebody has pushed. Fields that are left out are of a push of one commit that changes one file. */
export interface Pushed {
  /** Of the web page of the repository. */
  url: string
  branch?: string
  /** In place of the branch. */
  ref?: string
  before?: string
  after: string
  message?: string
  changed?: readonly string[]
  forced?: boolean
  /** As many commits as the host says that there are; it lists one. */
  total?: number
  defaultBranch?: string
  installation?: number
}

export type Provider = 'GITHUB' | 'GITLAB' | 'GITEA'

export interface Sent {
  headers: Record<string, string>
  body: string
}

export const NO_COMMIT = '0'.repeat(40)
export const commitId = (letter: string): string => letter.repeat(40)

const PARENT = commitId('9')
const author = { name: 'Ada', email: 'ada@example.com', username: 'ada' }

function partsOf({ url, branch = 'main', ref = `refs/heads/${branch}`, before = PARENT, ...pushed }: Pushed) {
  const { host, pathname } = new URL(url)
  const path = pathname.slice(1)
  const { message = 'A change', changed = ['src/api/server.js'], after } = pushed
  const isGone = after === NO_COMMIT
  const commit = {
    id: after,
    message,
    timestamp: '2026-11-20T09:30:00Z',
    url: `${url}/commit/${after}`,
    author,
    added: [],
    modified: changed,
    removed: [],
  }
  return { ...pushed, url, ref, before, host, path, message, commits: isGone ? [] : [commit], isGone }
}

/** The structure is that of GitHub's documentation of the event push. */
function gitHubPush(pushed: Pushed) {
  const { url, ref, before, after, host, path, commits, isGone, ...rest } = partsOf(pushed)
  const { forced = false, defaultBranch = 'main', installation } = rest
  const [owner = '', name = ''] = path.split('/')
  return {
    ref,
    before,
    after,
    base_ref: null,
    compare: `${url}/compare/${before}...${after}`,
    created: before === NO_COMMIT,
    deleted: isGone,
    forced,
    commits,
    head_commit: commits[0] ?? null,
    repository: {
      id: 4711,
      node_id: 'R_4711',
      name,
      full_name: path,
      private: false,
      owner: { login: owner, name: owner },
      html_url: url,
      url,
      git_url: `git://${host}/${path}.git`,
      ssh_url: `git@${host}:${path}.git`,
      clone_url: `${url}.git`,
      default_branch: defaultBranch,
      master_branch: defaultBranch,
    },
    pusher: { name: 'ada', email: author.email },
    sender: { login: 'ada', id: 7, type: 'User' },
    ...(installation === undefined ? {} : { installation: { id: installation, node_id: 'I_1' } }),
  }
}

/** The structure is that of the documentation of Gitea and Forgejo. */
function giteaPush(pushed: Pushed) {
  const { url, ref, before, after, host, path, commits, defaultBranch = 'main', total } = partsOf(pushed)
  const [owner = '', name = ''] = path.split('/')
  return {
    ref,
    before,
    after,
    compare_url: `${url}/compare/${before}...${after}`,
    commits,
    total_commits: total ?? commits.length,
    head_commit: commits[0] ?? null,
    repository: {
      id: 140,
      name,
      full_name: path,
      owner: { id: 1, login: owner, username: owner },
      private: true,
      html_url: url,
      clone_url: `${url}.git`,
      ssh_url: `ssh://git@${host.split(':')[0]}:2222/${path}.git`,
      default_branch: defaultBranch,
      empty: false,
    },
    pusher: { id: 1, login: 'ada', username: 'ada', email: author.email },
    sender: { id: 1, login: 'ada' },
  }
}

/** The structure is that of GitLab's documentation of push events. */
function gitLabPush(pushed: Pushed) {
  const { url, ref, before, after, host, path, commits, isGone, defaultBranch = 'main', total } = partsOf(pushed)
  const [namespace = '', name = ''] = path.split('/')
  const addresses = { git_ssh_url: `git@${host.split(':')[0]}:${path}.git`, git_http_url: `${url}.git` }
  return {
    object_kind: 'push',
    event_name: 'push',
    before,
    after,
    ref,
    ref_protected: true,
    checkout_sha: isGone ? null : after,
    user_id: 4,
    user_name: 'Ada',
    user_username: 'ada',
    project_id: 15,
    project: {
      id: 15,
      name,
      namespace,
      web_url: url,
      visibility_level: 0,
      path_with_namespace: path,
      ...addresses,
      default_branch: defaultBranch,
      homepage: url,
      url: addresses.git_ssh_url,
      http_url: addresses.git_http_url,
    },
    repository: { name, url: addresses.git_ssh_url, homepage: url, visibility_level: 0, ...addresses },
    commits: commits.map((commit) => ({ ...commit, title: commit.message.split('\n')[0] })),
    total_commits_count: total ?? commits.length,
  }
}

const PAYLOADS = { GITHUB: gitHubPush, GITEA: giteaPush, GITLAB: gitLabPush } as const

export const payloadOf = (provider: Provider, pushed: Pushed): object => PAYLOADS[provider](pushed)

interface Way {
  /** Of the delivery; a new one when omitted. */
  id?: string
  event?: string
  /** As a form, which GitHub and Gitea offer. */
  isForm?: boolean
  /** By GitLab's signing token, in place of the secret itself. */
  isStandard?: boolean
}

const macOf = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

/** The headers and the body that a git host sends. */
export function sentBy(provider: Provider, secret: string, payload: object, way: Way = {}): Sent {
  const { id = randomUUID(), isForm = false } = way
  const json = JSON.stringify(payload)
  const body = isForm ? new URLSearchParams({ payload: json }).toString() : json
  const type = { 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' }
  if (provider === 'GITHUB') {
    const own = { 'x-github-event': way.event ?? 'push', 'x-github-delivery': id, 'x-github-hook-id': '292430182' }
    return { headers: { ...type, ...own, 'x-hub-signature-256': `sha256=${macOf(secret, body)}` }, body }
  }
  if (provider === 'GITEA') {
    const mac = macOf(secret, json)
    const own = { 'x-gitea-event': way.event ?? 'push', 'x-gitea-delivery': id, 'x-gitea-signature': mac }
    const like = { 'x-github-event': 'push', 'x-github-delivery': id, 'x-hub-signature-256': `sha256=${mac}` }
    return { headers: { ...type, ...like, ...own }, body }
  }
  const own = { 'x-gitlab-event': way.event ?? 'Push Hook', 'idempotency-key': id, 'x-gitlab-event-uuid': randomUUID() }
  if (!way.isStandard) return { headers: { ...type, ...own, 'x-gitlab-token': secret }, body }
  const at = new Date()
  const signature = new StandardSigner(secret).sign(id, at, body)
  const standard = { 'webhook-id': id, 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)) }
  return { headers: { ...type, ...own, ...standard, 'webhook-signature': signature }, body }
}
