import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BuildImages } from '../support/build-images.ts'
import { sentBy } from '../support/git-hosts.ts'
import { type Happened, pullRequestPayloadOf } from '../support/git-pull-requests.ts'
import { tellOfPushes } from '../support/git-push-hook.ts'
import { type GitServer, startGitServer } from '../support/git-server.ts'
import { type BuildSite, type BuiltApp, startBuildSite } from './build-site.ts'
import { ask } from './clients.ts'
import type { TestPlatform } from './platform.ts'

let berth: TestPlatform
let images: BuildImages
let site: BuildSite
let git: GitServer
let app: BuiltApp

/** What the git host was told of commits, as its API is called. */
const statuses: string[] = []
const statusApi = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  statuses.push(`${request.url?.split('/').at(-1)} ${JSON.parse(text).state}`)
  response.writeHead(201).end()
})

beforeAll(async () => {
  ;({ berth, images, site } = await startBuildSite({ BERTH_GIT_PRIVATE_HOSTS: 'true' }))
  git = await startGitServer()
  statusApi.listen(0, '127.0.0.1')
  await once(statusApi, 'listening')
})

afterAll(async () => {
  await berth?.stop()
  await git?.close()
  statusApi.closeAllConnections()
  statusApi.close()
})

interface Sent {
  headers: Record<string, string>
  body: string
  status: number
  answer: string
}

const sentPath = () => join(dirname(git.folder('shop')), 'sent.json')
const sent = (): Sent => JSON.parse(readFileSync(sentPath(), 'utf8'))

const files = (words: string) => ({
  Dockerfile: `FROM ${images.node}\nCOPY server.js /\nUSER node\nCMD ["node", "/server.js"]\n`,
  'server.js': `
    const server = require('node:http').createServer((q, r) => r.end('${words}'))
    server.listen(process.env.PORT)
    process.on('SIGTERM', () => process.exit(0))`,
})

/** Commits in a clone, and pushes over HTTP: the server, and Berth, are in this process. */
async function push(changed: Record<string, string>, message = 'A change'): Promise<string> {
  const work = join(dirname(git.folder('shop')), 'clone')
  mkdirSync(work, { recursive: true })
  git.git(work, 'init', '--quiet', '-b', 'main')
  for (const [path, content] of Object.entries(changed)) writeFileSync(join(work, path), content)
  git.git(work, 'add', '-A')
  git.git(work, 'commit', '--quiet', '-m', message)
  const refs = [git.repository('shop'), 'HEAD:refs/heads/main']
  await promisify(execFile)('git', ['push', '--quiet', ...refs], { cwd: work, timeout: 60_000 })
  return git.git(work, 'rev-parse', 'HEAD')
}

const bodyOf = async ({ host }: BuiltApp) => (await ask(berth.platform.ingressUrl ?? '', host)).body
const visit = () => bodyOf(app)

/** A hook of a git host that takes statuses, and the address that it sends to. */
async function createHook(): Promise<{ url: string; secret: string }> {
  const { accounts } = await berth.ok<{ accounts: { accountId: string }[] }>('GET', '/accounts')
  const statusApiUrl = `http://127.0.0.1:${(statusApi.address() as AddressInfo).port}/api/v1`
  const hook = {
    accountId: accounts.at(-1)?.accountId,
    provider: 'GITEA',
    name: 'Loopback',
    statusApiUrl,
    statusToken: 'a-token',
  }
  const { path, secret } = await berth.ok<{ path: string; secret: string }>('POST', '/account/git-hook', hook)
  return { url: `${berth.platform.apiUrl}${path}`, secret }
}

const operations = async () =>
  (await berth.ok<{ operations: unknown[] }>('GET', `/operations?appEnvId=${app.appEnvId}`)).operations.length

test('a git push is built, deployed, and answers; a repeated or a forged delivery does nothing', async () => {
  app = await site.gitApp({ gitRepo: git.repository('shop'), dockerfilePath: 'Dockerfile' })
  const { url, secret } = await createHook()
  await berth.ok('PUT', '/app-env/auto-deploy', { appEnvId: app.appEnvId, watchPaths: ['!README.md'] })
  git.createRepository('shop')
  tellOfPushes(git.folder('shop'), { url, secret, repository: `${git.url}/shop`, sentPath: sentPath() })

  const first = await push(files('first'))
  expect(sent()).toMatchObject({ status: 200, answer: expect.stringContaining('"outcome":"DEPLOYED"') })
  expect(await site.ended(app)).toMatchObject({ kind: 'BUILD', status: 'SUCCEEDED' })
  await expect.poll(visit).toBe('first')
  const status = `/app-env/status?appEnvId=${app.appEnvId}`
  const { currentDeployment } = await berth.ok<{ currentDeployment: object }>('GET', status)
  expect(currentDeployment).toMatchObject({ gitBranch: 'main', gitCommitId: first })

  await expect.poll(() => statuses.at(-1)).toBe(`${first} success`)
  // A build may end before the first is told.
  expect([[], [`${first} pending`]]).toContainEqual(statuses.slice(0, -1))

  const { headers, body } = sent()
  const again = await fetch(url, { method: 'POST', headers, body })
  expect([again.status, await operations()]).toEqual([200, 1])
  const forged = { ...headers, 'x-gitea-signature': 'a'.repeat(64), 'x-gitea-delivery': 'another' }
  const refused = await fetch(url, { method: 'POST', headers: forged, body })
  expect([refused.status, await operations()]).toEqual([401, 1])

  await push({ 'README.md': 'How to use it' })
  expect(sent().answer).toContain('NOT_WATCHED')
  await push({ 'server.js': 'broken(' }, 'Try it [skip ci]')
  expect(sent().answer).toContain('SKIPPED')
  expect(await operations()).toBe(1)

  await push(files('second'))
  expect(await site.ended(app)).toMatchObject({ kind: 'BUILD', status: 'SUCCEEDED' })
  await expect.poll(visit).toBe('second')
}, 240_000)

/** Commits where a git host keeps the head of a pull request: no branch has it. */
function pushPullRequest(words: string): string {
  const work = join(dirname(git.folder('team/preview')), 'preview.work')
  for (const [path, content] of Object.entries(files(words))) writeFileSync(join(work, path), content)
  git.git(work, 'commit', '--quiet', '-a', '-m', words)
  git.git(work, 'push', '--quiet', '--force', git.folder('team/preview'), 'HEAD:refs/pull/12/head')
  return git.git(work, 'rev-parse', 'HEAD')
}

test('a pull request gets an environment that answers, follows its pushes, and goes when it is closed', async () => {
  git.commit('team/preview', files('main'))
  const base = await site.gitApp({ gitRepo: git.repository('team/preview'), dockerfilePath: 'Dockerfile' })
  const { appId, appEnvId: baseAppEnvId } = base
  await berth.ok('PUT', '/app/pull-request-envs', { appId, baseAppEnvId })
  const { url, secret } = await createHook()
  const tell = async (happened: Partial<Happened>) => {
    const payload = pullRequestPayloadOf('GITEA', { url: `${git.url}/team/preview`, ...happened })
    const { headers, body } = sentBy('GITEA', secret, payload, { event: 'pull_request' })
    const response = await fetch(url, { method: 'POST', headers, body })
    return ((await response.json()) as { deliveries: { outcome: string }[] }).deliveries[0]?.outcome
  }
  const listed = () =>
    berth.ok<{ appEnvs: { appEnvId: string; name: string; hosts: string[] }[] }>('GET', `/app-envs?appId=${appId}`)

  const first = pushPullRequest('first')
  expect(await tell({ head: first })).toBe('DEPLOYED')
  const made = (await listed()).appEnvs.find(({ name }) => name === 'pr-12')
  const preview: BuiltApp = { appId, appEnvId: made?.appEnvId ?? '', host: made?.hosts[0] ?? '' }
  expect(await site.ended(preview)).toMatchObject({ kind: 'BUILD', status: 'SUCCEEDED' })
  await expect.poll(() => bodyOf(preview)).toBe('first')
  await expect.poll(() => statuses.at(-1)).toBe(`${first} success`)
  const shown = await berth.ok<object>('GET', `/app-env?appEnvId=${preview.appEnvId}`)
  expect(shown).toMatchObject({ pullRequest: { number: 12, isFork: false }, expiresAt: expect.any(String) })

  const second = pushPullRequest('second')
  expect(await tell({ action: 'pushed', before: first, head: second })).toBe('DEPLOYED')
  expect(await site.ended(preview)).toMatchObject({ kind: 'BUILD', status: 'SUCCEEDED' })
  await expect.poll(() => bodyOf(preview)).toBe('second')
  // Nobody tells of this one: a build by hand takes the head of the pull request, wherever it is by now.
  pushPullRequest('third')
  expect(await site.build(preview)).toMatchObject({ kind: 'BUILD', status: 'SUCCEEDED' })
  await expect.poll(() => bodyOf(preview)).toBe('third')

  expect(await tell({ action: 'closed', head: second })).toBe('DELETED')
  expect((await listed()).appEnvs.map(({ name }) => name)).toEqual(['production'])
  const label = [`berth.env=${preview.appEnvId}`]
  const containers = () => berth.docker.listContainers({ all: true, filters: { label } })
  await expect.poll(containers, { timeout: 60_000 }).toEqual([])
  expect((await ask(berth.platform.ingressUrl ?? '', preview.host)).status).toBe(404)
}, 240_000)
