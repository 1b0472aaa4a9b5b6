import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tellOfPushes } from '../support/git-push-hook.ts'
import { type GitServer, startGitServer } from '../support/git-server.ts'
import { eventually } from './support/eventually.ts'
import { EXCEPTIONS } from './support/exceptions.ts'
import { sourceFiles } from './support/images.ts'
import { type SharedBerth, sharedBerth } from './support/shared-berth.ts'

let berth: SharedBerth
let git: GitServer

beforeAll(async () => {
  ;[berth, git] = await Promise.all([sharedBerth(EXCEPTIONS), startGitServer()])
})
afterAll(() => git?.close())

const appOf = (repository: string) =>
  berth.createApp({ gitRepo: git.repository(repository), dockerfilePath: 'Dockerfile' }, { branch: 'main' })

const untilRelease = (host: string, release: string) =>
  berth.untilAnswer(host, ({ text }) => text.includes(`"release":"${release}"`))

test('an app is built from git, and the same commit only once', async () => {
  const commit = git.commit('shop', await sourceFiles('first'))
  const { appEnvId, host } = await appOf('shop')
  await berth.post('/app-env/build', { appEnvId })
  expect((await untilRelease(host, 'first')).status).toBe(200)
  const { currentDeployment } = await berth.statusOf(appEnvId)
  expect(currentDeployment).toMatchObject({ type: 'BUILD', gitBranch: 'main', gitCommitId: commit })
  await berth.post('/app-env/build', { appEnvId })
  const again = (await berth.statusOf(appEnvId)).currentDeployment
  expect(again.imageDigest).toBe(currentDeployment.imageDigest)

  git.commit('shop', await sourceFiles('second'))
  await berth.post('/app-env/build', { appEnvId })
  expect((await untilRelease(host, 'second')).status).toBe(200)
  await berth.post('/app-env/rollback', { appEnvId, targetContentId: currentDeployment.contentId })
  expect((await untilRelease(host, 'first')).status).toBe(200)
  const logs = await berth.get('/logs', { appEnvId, type: 'BUILD' })
  expect(logs.logs.length).toBeGreaterThan(0)
})

test('a build that fails says why, and what serves goes on', async () => {
  git.commit('broken', await sourceFiles('whole'))
  const { appEnvId, host } = await appOf('broken')
  await berth.post('/app-env/build', { appEnvId })
  await untilRelease(host, 'whole')
  git.commit('broken', {
    Dockerfile: `${(await sourceFiles('x')).Dockerfile}\nRUN ["node", "-e", "process.exit(3)"]\n`,
  })
  const body = { appEnvId }
  const answer = await berth.call('POST', '/app-env/build', { body, headers: { prefer: 'wait=240' } })
  expect(answer.headers.get('operation-status')).toBe('FAILED')
  expect(answer.body.message).toContain('Version 2 failed')
  expect((await untilRelease(host, 'whole')).status).toBe(200)
})

test('a pushed commit is deployed; a repeated and a forged delivery do nothing', async () => {
  git.createRepository('pushed')
  const { accountId, appEnvId, host } = await appOf('pushed')
  await berth.ok('PUT', '/app-env/auto-deploy', { body: { appEnvId } })
  const { path, secret } = await berth.post('/account/git-hook', { accountId, provider: 'GITEA', name: 'Here' })
  const url = `${berth.url}${path}`
  const folder = git.folder('pushed')
  const sentPath = join(dirname(folder), 'pushed.sent.json')
  tellOfPushes(folder, { url, secret, repository: `${git.url}/pushed`, sentPath })
  await push('pushed', await sourceFiles('pushed'))
  const { headers, body, answer } = JSON.parse(readFileSync(sentPath, 'utf8'))
  expect(answer).toContain('"outcome":"DEPLOYED"')
  expect((await untilRelease(host, 'pushed')).status).toBe(200)

  const operations = async () => (await berth.get('/operations', { appEnvId })).operations.length
  const repeated = await fetch(url, { method: 'POST', headers, body })
  const forged = { ...headers, 'x-gitea-signature': 'a'.repeat(64), 'x-gitea-delivery': 'another' }
  const refused = await fetch(url, { method: 'POST', headers: forged, body })
  expect([repeated.status, refused.status, await operations()]).toEqual([200, 401, 1])
  const read = async () => (await berth.get('/account/git-hook/deliveries', { accountId })).gitDeliveries
  const deliveries = await eventually('the delivery is listed', read, ({ length }) => length > 0)
  expect(deliveries[0]).toMatchObject({ outcome: 'DEPLOYED' })
})

async function push(name: string, files: Record<string, string>): Promise<void> {
  const work = join(dirname(git.folder(name)), `${name}.clone`)
  mkdirSync(work, { recursive: true })
  git.git(work, 'init', '--quiet', '-b', 'main')
  for (const [path, content] of Object.entries(files)) writeFileSync(join(work, path), content)
  git.git(work, 'add', '-A')
  git.git(work, 'commit', '--quiet', '-m', 'A change')
  const refs = [git.repository(name), 'HEAD:refs/heads/main']
  await promisify(execFile)('git', ['push', '--quiet', ...refs], { cwd: work, timeout: 120_000 })
}
