import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commitId, type Provider, sentBy } from '../support/git-hosts.ts'
import { pullRequestPayloadOf } from '../support/git-pull-requests.ts'
import { createPullRequestWorld, type PullRequestWorld } from './pull-request-world.ts'

const [A, B] = [commitId('a'), commitId('b')]

let world: PullRequestWorld

beforeAll(async () => {
  world = await createPullRequestWorld()
})
afterAll(() => world?.close())

const PROVIDERS: [Provider, string][] = [
  ['GITHUB', 'refs/pull/12/head'],
  ['GITLAB', 'refs/merge-requests/12/head'],
  ['GITEA', 'refs/pull/12/head'],
]

describe.each(PROVIDERS)('%s', (provider, ref) => {
  test('a pull request gets an environment, a new build with each push, and loses it when it is closed', async () => {
    const url = world.repository()
    const hook = await world.hook(provider)
    const { appId } = await world.previewed({ url, settings: { expiresAfterHours: 2 } })
    expect(await world.tell(hook, { url, head: A })).toMatchObject({ status: 200, outcome: 'DEPLOYED', reason: null })
    const [appEnv, ...more] = await world.envsOf(appId)
    expect([appEnv, more]).toMatchObject([{ name: 'pr-12', slug: 'pr-12', gitBranch: 'feature' }, []])
    expect(appEnv?.pullRequest).toEqual({ number: 12, ref, isFork: false })
    expect(appEnv?.hosts.map(({ host }) => host)).toEqual([`${appEnv?.cliEnvName}.berth.localhost`])
    const hoursLeft = ((appEnv?.expiresAt?.getTime() ?? 0) - Date.now()) / 3_600_000
    expect(hoursLeft).toBeGreaterThan(1)
    expect(hoursLeft).toBeLessThan(3)
    const appEnvId = appEnv?.id ?? ''
    const [operation] = await world.operationsOf(appEnvId)
    expect(operation).toMatchObject({ kind: 'BUILD', requestedBy: 'git-hook' })
    const content = await world.database.content.findUniqueOrThrow({ where: { id: operation?.contentId ?? '' } })
    // The address is the app's, the ref is made here: nothing in a delivery is gone to.
    const source = { kind: 'git', url: `${url}.git`, branch: 'feature', commit: A, ref, installationId: null }
    expect(content.buildPlan).toMatchObject({ source })
    expect(await world.newest()).toMatchObject({ pullRequestNumber: 12, branch: 'feature', commitId: A, pusher: 'ada' })

    await world.tell(hook, { url, action: 'pushed', before: A, head: B })
    expect(await world.commitsOf(appEnvId)).toEqual([A, B])
    const closed = await world.tell(hook, { url, action: provider === 'GITLAB' ? 'merged' : 'closed', head: B })
    expect(closed).toMatchObject({ status: 200, outcome: 'DELETED' })
    expect(await world.envsOf(appId)).toEqual([])
    const operations = await world.operationsOf(appEnvId)
    expect(operations.map(({ kind, status }) => [kind, status])).toEqual([
      ['BUILD', 'CANCELLED'],
      ['BUILD', 'CANCELLED'],
      ['DELETE', 'QUEUED'],
    ])
    const audit = await world.database.auditEntry.findMany({
      where: { action: 'deployPullRequest', actorId: hook.gitHookId },
      orderBy: { id: 'asc' },
    })
    const details = { actor: 'git-hook', pullRequestNumber: 12, environments: [{ appEnvId, deleted: true }] }
    expect(audit.map(({ actorType }) => actorType)).toEqual(['SYSTEM', 'SYSTEM', 'SYSTEM'])
    expect(audit.at(-1)?.details).toMatchObject(details)
  })

  test('once reopened it gets one of the same name, and another pull request one of its own', async () => {
    const url = world.repository()
    const hook = await world.hook(provider)
    const { appId } = await world.previewed({ url })
    await world.tell(hook, { url })
    await world.tell(hook, { url, action: 'closed' })
    expect(await world.tell(hook, { url, action: 'reopened' })).toMatchObject({ outcome: 'DEPLOYED' })
    await world.tell(hook, { url, number: 13, branch: 'other', draft: true })
    expect((await world.envsOf(appId)).map(({ slug }) => slug)).toEqual(['pr-12', 'pr-13'])
  })

  test.each(['fork', 'deleted'] as const)(
    'one from a fork (%s) gets nothing, unless forks are allowed',
    async (fork) => {
      const url = world.repository()
      const hook = await world.hook(provider)
      const strict = await world.previewed({ url, settings: { copySecrets: true } })
      expect(await world.tell(hook, { url, fork })).toMatchObject({ outcome: 'IGNORED', reason: 'FORK' })
      expect(await world.envsOf(strict.appId)).toEqual([])
      const other = world.repository()
      const secret = { name: 'PASSWORD', value: 'hunter2', isSecret: true }
      const base = { envVars: [secret, { name: 'GREETING', value: 'hello' }] }
      const settings = { copySecrets: true, allowForks: true }
      const { appId } = await world.previewed({ url: other, base, settings })
      expect(await world.tell(hook, { url: other, fork })).toMatchObject({ outcome: 'DEPLOYED' })
      const [appEnv] = await world.envsOf(appId)
      expect(appEnv?.pullRequest).toMatchObject({ isFork: true })
      // Whatever copySecrets says.
      expect(appEnv?.variables.map(({ name }) => name)).toEqual(['GREETING'])
    },
  )

  test('a forged or a repeated delivery, and one out of order, does nothing', async () => {
    const url = world.repository()
    const hook = await world.hook(provider)
    const { appId } = await world.previewed({ url })
    const forged = await world.tell({ ...hook, secret: `${hook.secret}x` }, { url })
    expect([forged.status, await world.envsOf(appId)]).toEqual([401, []])
    const way = { id: 'delivery-1' }
    const opened = { url, head: A, at: '2026-11-20T10:00:00Z' } as const
    const pushed = { url, action: 'pushed', before: A, head: B, at: '2026-11-20T10:00:09Z' } as const
    const answers = await Promise.all([1, 2, 3].map(() => world.tell(hook, opened, way)))
    expect(answers.map(({ outcome }) => outcome)).toEqual(['DEPLOYED', 'DEPLOYED', 'DEPLOYED'])
    const [appEnv] = await world.envsOf(appId)
    await world.tell(hook, pushed)
    await world.tell(hook, opened, way)
    // Another hook tells late, under another id.
    const late = await world.tell(hook, opened)
    expect(late).toMatchObject({ outcome: 'IGNORED', reason: 'OUT_OF_ORDER' })
    expect(await world.tell(hook, { ...pushed })).toMatchObject({ reason: 'ALREADY_DEPLOYED' })
    expect(await world.commitsOf(appEnv?.id ?? '')).toEqual([A, B])
  })

  test('one that was closed before its opening arrives gets nothing', async () => {
    const url = world.repository()
    const hook = await world.hook(provider)
    const { appId } = await world.previewed({ url })
    // All of it within one second.
    const at = '2026-11-20T11:00:00Z'
    await world.tell(hook, { url, action: 'closed', head: B, at })
    for (const happened of [
      { url, head: A, at },
      { url, action: 'pushed', before: A, head: B, at },
    ] as const)
      expect(await world.tell(hook, happened)).toMatchObject({ outcome: 'IGNORED', reason: 'OUT_OF_ORDER' })
    expect(await world.envsOf(appId)).toEqual([])
    expect(await world.tell(hook, { url, action: 'reopened', head: B, at })).toMatchObject({ outcome: 'DEPLOYED' })
  })

  test.each([
    ['edited', { action: 'edited' }, 'OTHER_EVENT'],
    ['into another branch', { targetBranch: 'legacy' }, 'TARGET_BRANCH'],
    ['titled [skip preview]', { title: 'Try it [skip preview]' }, 'SKIPPED'],
    ['closed and unknown', { action: 'closed' }, 'NO_ENVIRONMENT'],
  ] as const)('one that is %s gets nothing', async (_what, happened, reason) => {
    const url = world.repository()
    const hook = await world.hook(provider)
    const { appId } = await world.previewed({ url, settings: { targetBranches: ['main'] } })
    expect(await world.tell(hook, { url, ...happened })).toMatchObject({ status: 200, outcome: 'IGNORED', reason })
    expect(await world.envsOf(appId)).toEqual([])
  })
})

test('Gitea lets readers push to refs/for of a repository: what comes of that is a stranger’s', async () => {
  const url = world.repository()
  const hook = await world.hook('GITEA')
  const { appId } = await world.previewed({ url, settings: { copySecrets: true } })
  const payload = pullRequestPayloadOf('GITEA', { url }) as { pull_request: { head: object } }
  Object.assign(payload.pull_request.head, { label: '', ref: 'refs/pull/12/head' })
  const sent = sentBy('GITEA', hook.secret, payload, { event: 'pull_request' })
  expect((await world.send(hook.path, sent)).body.deliveries).toMatchObject([{ reason: 'FORK' }])
  expect(await world.envsOf(appId)).toEqual([])
})

test.each<Provider>(['GITHUB', 'GITLAB', 'GITEA'])(
  'a body of %s that is none of a pull request is said to be so',
  async (provider) => {
    const hook = await world.hook(provider)
    const event = provider === 'GITLAB' ? 'Merge Request Hook' : 'pull_request'
    const sent = sentBy(
      provider,
      hook.secret,
      { object_kind: 'merge_request', action: 'opened', number: -1 },
      { event },
    )
    expect((await world.send(hook.path, sent)).body.deliveries).toMatchObject([{ reason: 'UNREADABLE' }])
  },
)
