import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { updateApp } from '../../src/services/app/update-app.ts'
import { deleteGitHook, rotateGitHookSecret } from '../../src/services/git-hook/git-hook-commands.ts'
import { commitId, NO_COMMIT, type Provider, payloadOf, sentBy } from '../support/git-hosts.ts'
import { createGitHookWorld, type GitHookWorld } from './git-hook-world.ts'

const [A, B, C] = [commitId('a'), commitId('b'), commitId('c')]
const APP_SECRET = 'the secret of the GitHub App'

let world: GitHookWorld

beforeAll(async () => {
  world = await createGitHookWorld({
    BERTH_GITHUB_WEBHOOK_SECRET: APP_SECRET,
    BERTH_GITHUB_APP_ID: '1',
    BERTH_GITHUB_PRIVATE_KEY: 'PRIVATE KEY',
    BERTH_GIT_HOOK_LIMIT_KB: '64',
  })
})
afterAll(() => world?.close())

const PROVIDERS: Provider[] = ['GITHUB', 'GITLAB', 'GITEA']

describe.each(PROVIDERS)('a push that %s tells of', (provider) => {
  test('builds the commit in the environment of that repository and branch, once', async () => {
    const url = world.repository()
    const hook = await world.hook(provider)
    const appEnvId = await world.built({ gitRepo: `${url}.git` })
    const others = [
      await world.built({ gitRepo: url, branch: 'staging' }),
      await world.built({ gitRepo: world.repository() }),
      await world.built({ gitRepo: url, watchPaths: null }),
    ]
    const way = { id: 'the-same-delivery' }
    expect(await world.push(hook, { url, after: A }, way)).toMatchObject({
      status: 200,
      body: { deliveries: [{ outcome: 'DEPLOYED', reason: null }] },
    })
    const [operation, ...more] = await world.operationsOf(appEnvId)
    expect([operation, more]).toMatchObject([{ kind: 'BUILD', status: 'QUEUED', requestedBy: 'git-hook' }, []])
    const content = await world.database.content.findUniqueOrThrow({ where: { id: operation?.contentId ?? '' } })
    expect(content).toMatchObject({ gitCommitId: A, gitBranch: 'main' })
    expect(content.buildPlan).toMatchObject({ source: { kind: 'git', url: `${url}.git`, branch: 'main', commit: A } })
    expect(await world.newest()).toMatchObject({
      source: hook.gitHookId,
      deliveryKey: way.id,
      provider,
      branch: 'main',
      commitId: A,
      pusher: 'ada',
      outcome: 'DEPLOYED',
      repository: new URL(url).host + new URL(url).pathname,
      environments: [{ appEnvId, outcome: 'DEPLOYED', operationId: operation?.id }],
    })
    const audit = await world.database.auditEntry.findFirst({
      where: { action: 'deployPush' },
      orderBy: { id: 'desc' },
    })
    expect(audit).toMatchObject({
      actorType: 'SYSTEM',
      actorId: hook.gitHookId,
      details: { actor: 'git-hook', address: 'unknown' },
    })

    const again = await world.push(hook, { url, after: A }, way)
    expect(again).toMatchObject({ status: 200, body: { deliveries: [{ outcome: 'DEPLOYED' }] } })
    expect(await world.operationsOf(appEnvId)).toHaveLength(1)
    for (const other of others) expect(await world.operationsOf(other)).toEqual([])
  })

  test('is refused without the right signature, and changes nothing', async () => {
    const url = world.repository()
    const hook = await world.hook(provider)
    const appEnvId = await world.built({ gitRepo: url })
    const payload = payloadOf(provider, { url, after: A })
    const right = sentBy(provider, hook.secret, payload)
    const unsigned = { 'content-type': 'application/json', 'x-github-event': 'push', 'x-gitlab-event': 'Push Hook' }
    const before = await world.database.gitDelivery.count()
    const wrong = [
      sentBy(provider, `${hook.secret}x`, payload),
      sentBy(provider, '', payload),
      { headers: unsigned, body: right.body },
      // GitLab's token says nothing of the body; the signatures do.
      ...(provider === 'GITLAB' ? [] : [{ ...right, body: right.body.replace(A, B) }]),
    ]
    for (const sent of wrong)
      expect(await world.send(hook.path, sent)).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } })
    const elsewhere = await world.hook(provider)
    expect((await world.send(elsewhere.path, right)).status).toBe(401)
    expect(await world.operationsOf(appEnvId)).toEqual([])
    expect(await world.database.gitDelivery.count()).toBe(before)
  })

  test('is found by any spelling of the repository', async () => {
    const url = world.repository()
    const hook = await world.hook(provider)
    const spelled = await world.built({ gitRepo: url.replace('acme', 'Acme').replace('https:', 'http:') })
    const appEnvId = await world.built({ gitRepo: `${url}.git`, branch: 'trunk' })
    await world.push(hook, { url, branch: 'trunk', after: A, defaultBranch: 'trunk' })
    expect([await world.commitsOf(spelled), await world.commitsOf(appEnvId)]).toEqual([[], [A]])
    await world.push(hook, { url, after: B })
    expect([await world.commitsOf(spelled), await world.commitsOf(appEnvId)]).toEqual([[B], [A]])
  })

  test.each([
    ['a tag', { ref: 'refs/tags/v1', after: A }, 'NO_BRANCH'],
    ['a deleted branch', { before: A, after: NO_COMMIT }, 'BRANCH_DELETED'],
    ['[skip ci]', { after: A, message: 'Reword\n\n[skip ci]' }, 'SKIPPED'],
    ['[ci skip]', { after: A, message: '[CI SKIP] Reword' }, 'SKIPPED'],
    ['another branch', { branch: 'feature/x', after: A }, 'NO_ENVIRONMENT'],
    ['paths that are not watched', { after: A, changed: ['docs/index.md', 'src/README.md'] }, 'NOT_WATCHED'],
  ] as const)('deploys nothing where it is of %s', async (_what, pushed, reason) => {
    const url = world.repository()
    const hook = await world.hook(provider)
    const appEnvId = await world.built({ gitRepo: url, watchPaths: ['src/**', '!**/*.md'] })
    const { status, body } = await world.push(hook, { url, ...pushed })
    expect([status, body.deliveries[0]]).toMatchObject([200, { outcome: 'IGNORED', reason }])
    expect(await world.operationsOf(appEnvId)).toEqual([])
    expect(await world.newest()).toMatchObject({ source: hook.gitHookId, outcome: 'IGNORED', reason })
    await world.push(hook, { url, after: B })
    expect(await world.commitsOf(appEnvId)).toEqual([B])
  })

  test('is deployed where the host did not list what it changes', async () => {
    const url = world.repository()
    const hook = await world.hook(provider)
    const appEnvId = await world.built({ gitRepo: url, watchPaths: ['src/**'] })
    const listed = { changed: ['docs/index.md'] }
    await world.push(hook, { url, ...listed, before: NO_COMMIT, after: A })
    await world.push(hook, { url, before: A, after: B, changed: [] })
    const incomplete = provider === 'GITHUB' ? { forced: true } : { total: 40 }
    await world.push(hook, { url, ...listed, ...incomplete, before: B, after: C })
    expect(await world.commitsOf(appEnvId)).toEqual([A, B, C])
  })

  test('says when it is no push, or not of this kind of git host', async () => {
    const hook = await world.hook(provider)
    const other = { event: provider === 'GITLAB' ? 'Tag Push Hook' : 'issues' }
    const answers = [
      await world.send(hook.path, sentBy(provider, hook.secret, { zen: 'Keep it small.' }, other)),
      await world.send(hook.path, sentBy(provider, hook.secret, { object_kind: 'push', ref: 7 })),
    ]
    expect(answers.map(({ body }) => body.deliveries[0].reason)).toEqual(['OTHER_EVENT', 'UNREADABLE'])
  })
})

describe('what only some git hosts send', () => {
  test.each<Provider>(['GITHUB', 'GITEA'])('%s may send a form', async (provider) => {
    const url = world.repository()
    const hook = await world.hook(provider)
    const appEnvId = await world.built({ gitRepo: url })
    expect(await world.push(hook, { url, after: A }, { isForm: true })).toMatchObject({ status: 200 })
    expect(await world.commitsOf(appEnvId)).toEqual([A])
  })

  test('GitLab’s signing token proves a delivery, for a few minutes', async () => {
    const url = world.repository()
    const hook = await world.hook('GITLAB')
    const appEnvId = await world.built({ gitRepo: url })
    const sent = sentBy('GITLAB', hook.secret, payloadOf('GITLAB', { url, after: A }), { isStandard: true })
    const late = String(Number(sent.headers['webhook-timestamp']) - 600)
    const old = { ...sent, headers: { ...sent.headers, 'webhook-timestamp': late } }
    // A secret in the clear must not stand in for a signature that does not hold.
    const both = { ...sent, body: sent.body.replace(A, B), headers: { ...sent.headers, 'x-gitlab-token': hook.secret } }
    expect((await world.send(hook.path, old)).status).toBe(401)
    expect((await world.send(hook.path, both)).status).toBe(401)
    expect((await world.send(hook.path, sent)).status).toBe(200)
    expect(await world.commitsOf(appEnvId)).toEqual([A])
  })

  test('Forgejo signs under its own name', async () => {
    const url = world.repository()
    const hook = await world.hook('GITEA')
    const appEnvId = await world.built({ gitRepo: url })
    const { headers, body } = sentBy('GITEA', hook.secret, payloadOf('GITEA', { url, after: A }))
    const forgejo = Object.entries(headers)
      .filter(([name]) => !/^x-(github|hub)/.test(name))
      .map(([name, value]) => [name.replace('gitea', 'forgejo'), value])
    expect(await world.send(hook.path, { headers: Object.fromEntries(forgejo), body })).toMatchObject({ status: 200 })
    expect(await world.commitsOf(appEnvId)).toEqual([A])
  })

  test('GitHub pings a new hook', async () => {
    const hook = await world.hook('GITHUB')
    const { body } = await world.send(hook.path, sentBy('GITHUB', hook.secret, { zen: 'Small.' }, { event: 'ping' }))
    expect(body.deliveries).toMatchObject([{ outcome: 'IGNORED', reason: 'PING' }])
  })
})

describe('the GitHub App', () => {
  test('tells each account that has proved the installation, and nobody else', async () => {
    const url = 'https://github.com/acme/app-shop'
    const [mine, theirs] = [world.accountId, await world.account()]
    const app = { gitRepo: 'app-shop', gitNamespace: 'acme', gitProvider: 'GITHUB', gitInstallationId: '4242' }
    const first = await world.built({ app })
    const second = await world.built({ app, accountId: theirs })
    const otherInstallation = await world.built({ app: { ...app, gitInstallationId: '4343' } })
    const stranger = await world.built({ gitRepo: url, accountId: await world.account() })
    const sent = sentBy('GITHUB', APP_SECRET, payloadOf('GITHUB', { url, after: A, installation: 4242 }))
    const { status, body } = await world.send('/hooks/git', sent)
    expect([status, body.deliveries.length]).toEqual([200, 2])
    const commits = await Promise.all([first, second, otherInstallation, stranger].map(world.commitsOf))
    expect(commits).toEqual([[A], [A], [], []])
    expect(await world.newest(mine)).toMatchObject({ source: 'github-app' })
    await world.send('/hooks/git', sent)
    expect(await world.operationsOf(first)).toHaveLength(1)
    const wrong = sentBy('GITHUB', 'another secret', payloadOf('GITHUB', { url, after: B, installation: 4242 }))
    expect((await world.send('/hooks/git', wrong)).status).toBe(401)
  })
})

describe('the hook itself', () => {
  test('takes the former secret for a while after a rotation; a deleted one takes nothing', async () => {
    const hook = await world.hook('GITHUB')
    const url = world.repository()
    const { secret } = await world.perform(rotateGitHookSecret, { gitHookId: hook.gitHookId })
    const both = [await world.push(hook, { url, after: A }), await world.push({ ...hook, secret }, { url, after: A })]
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    await world.database.gitHook.update({ where: { id: hook.gitHookId }, data: { formerSecretUntil: new Date(0) } })
    expect((await world.push(hook, { url, after: A })).status).toBe(401)
    await world.perform(deleteGitHook, { gitHookId: hook.gitHookId })
    expect((await world.push({ ...hook, secret }, { url, after: A })).status).toBe(401)
    const log = await world.database.gitDelivery.findMany({ where: { source: hook.gitHookId } })
    expect(log.map(({ reason }) => reason)).toEqual(['NO_ENVIRONMENT', 'NO_ENVIRONMENT'])
  })

  test('refuses a body that is too large, another method, and a hook that is unknown or named twice', async () => {
    const hook = await world.hook('GITHUB')
    const large = sentBy('GITHUB', hook.secret, { padding: 'x'.repeat(65 * 1024) })
    expect((await world.send(hook.path, large)).status).toBe(413)
    const sent = sentBy('GITHUB', hook.secret, {})
    const unknown = '/hooks/git?hook=ghook_01h455vb4pex5vsknk084sn02q'
    expect((await world.send(unknown, sent)).status).toBe(401)
    expect((await world.send(`${hook.path}&hook=${hook.gitHookId}`, sent)).status).toBe(401)
  })

  test('keeps as many deliveries as it is told to', async () => {
    const few = await createGitHookWorld({ BERTH_GIT_DELIVERIES: '3' })
    try {
      const hook = await few.hook('GITHUB')
      for (const id of ['1', '2', '3', '4', '5'])
        await few.push(hook, { url: 'https://git.example.com/acme/shop', after: A }, { id })
      const kept = await few.database.gitDelivery.findMany({ orderBy: { id: 'asc' } })
      expect(kept.map(({ deliveryKey }) => deliveryKey)).toEqual(['3', '4', '5'])
    } finally {
      await few.close()
    }
  })

  test('counts its deliveries, however many come from one address', async () => {
    const few = await createGitHookWorld({ BERTH_RATE_LIMIT: '4', BERTH_ANONYMOUS_RATE_LIMIT: '3' })
    try {
      const [hook, other] = [await few.hook('GITHUB'), await few.hook('GITHUB')]
      const url = 'https://git.example.com/acme/shop'
      const statuses = async (times: number, path: string, secret: string) => {
        const found: number[] = []
        for (let count = 0; count < times; count += 1)
          found.push((await few.send(path, sentBy('GITHUB', secret, payloadOf('GITHUB', { url, after: A })))).status)
        return found
      }
      expect(await statuses(6, hook.path, hook.secret)).toEqual([200, 200, 200, 200, 200, 429])
      expect(await statuses(1, other.path, other.secret)).toEqual([200])
      expect(await statuses(5, '/hooks/git?hook=nonsense', hook.secret)).toEqual([401, 401, 401, 429, 429])
      expect(await statuses(1, other.path, other.secret)).toEqual([200])
    } finally {
      await few.close()
    }
  })
})

test('an app that gets another repository is deployed by its pushes, and by none of the former one', async () => {
  const [former, url] = [world.repository(), world.repository()]
  const hook = await world.hook('GITHUB')
  const appEnvId = await world.built({ gitRepo: former })
  const { appId } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  await world.push(hook, { url: former, after: A })
  await world.perform(updateApp, { appId, gitRepo: url })
  await world.push(hook, { url: former, after: B })
  expect(await world.newest()).toMatchObject({ outcome: 'IGNORED', reason: 'NO_ENVIRONMENT' })
  await world.push(hook, { url, after: C })
  expect(await world.commitsOf(appEnvId)).toEqual([A, C])
  const versions = await world.database.content.findMany({ where: { appEnvId }, orderBy: { version: 'asc' } })
  expect(versions.map(({ buildPlan }) => (buildPlan as { source: { url: string } }).source.url)).toEqual([former, url])
})
