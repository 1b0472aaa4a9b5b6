import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Telling {
  /** Where deliveries go. */
  url: string
  secret: string
  /** Of the repository's web page. */
  repository: string
  /** Gets each delivery, as it was sent, and the answer. */
  sentPath: string
}

/**
 * Makes a bare repository tell of pushes as Gitea does: signed, with the commits that git itself says were pushed. The
 * push ends when the delivery was answered.
 */
export function tellOfPushes(bareRepository: string, telling: Telling): void {
  const folder = join(bareRepository, 'hooks')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'post-receive')
  writeFileSync(path, `#!${process.execPath}\n(${tell.toString()})(${JSON.stringify(telling)})\n`)
  chmodSync(path, 0o755)
}

/** Runs in the hook, in a process of its own: it sees nothing of this file. */
async function tell({ url, secret, repository, sentPath }: Telling): Promise<void> {
  const { execFileSync } = require('node:child_process')
  const { createHmac, randomUUID } = require('node:crypto')
  const { readFileSync, writeFileSync } = require('node:fs')
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()
  const [before, after, ref] = readFileSync(0, 'utf8').trim().split(' ')
  const range = /^0+$/.test(before) ? after : `${before}..${after}`
  const commits = git('rev-list', range)
    .split('\n')
    .map((id) => {
      const lines = git('diff-tree', '--no-commit-id', '--name-status', '-r', '--root', id).split('\n').filter(Boolean)
      const of = (kind: string) => lines.filter((line) => line[0] === kind).map((line) => line.split('\t')[1])
      const message = git('log', '-1', '--format=%B', id)
      return { id, message, url: `${repository}/commit/${id}`, added: of('A'), removed: of('D'), modified: of('M') }
    })
  const addresses = {
    html_url: repository,
    clone_url: `${repository}.git`,
    ssh_url: 'ssh://git@localhost/team/shop.git',
  }
  const payload = {
    ref,
    before,
    after,
    commits,
    total_commits: commits.length,
    head_commit: commits[0],
    repository: { id: 1, full_name: 'team/shop', ...addresses, default_branch: 'main' },
    pusher: { id: 1, login: 'ada', username: 'ada' },
  }
  const body = JSON.stringify(payload)
  const mac = createHmac('sha256', secret).update(body).digest('hex')
  const id = randomUUID()
  const headers = {
    'content-type': 'application/json',
    'x-gitea-event': 'push',
    'x-gitea-delivery': id,
    'x-github-event': 'push',
    'x-github-delivery': id,
    'x-gitea-signature': mac,
    'x-hub-signature-256': `sha256=${mac}`,
  }
  const response = await fetch(url, { method: 'POST', headers, body })
  writeFileSync(sentPath, JSON.stringify({ headers, body, status: response.status, answer: await response.text() }))
}
