import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedPlan } from '../../src/domain/build-plan.ts'
import { recordedConfiguration } from '../../src/domain/configuration.ts'
import { updateMember } from '../../src/services/account/member-commands.ts'
import { deleteApp } from '../../src/services/app/delete-app.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { changeHealthcheck } from '../../src/services/app-env/setting-commands.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { deletePullRequestEnvs } from '../../src/services/pull-request-envs/pull-request-envs-commands.ts'
import { commitId, sentBy } from '../support/git-hosts.ts'
import { type Happened, pullRequestPayloadOf } from '../support/git-pull-requests.ts'
import { createPullRequestWorld, type PullRequestWorld } from './pull-request-world.ts'

const [A, B, C] = [commitId('a'), commitId('b'), commitId('c')]

const APP_SECRET = 'the secret of the GitHub App'

let world: PullRequestWorld

beforeAll(async () => {
  world = await createPullRequestWorld({
    BERTH_OPERATION_RATE_LIMIT: '3',
    BERTH_GITHUB_WEBHOOK_SECRET: APP_SECRET,
    BERTH_GITHUB_APP_ID: '1',
    BERTH_GITHUB_PRIVATE_KEY: 'PRIVATE KEY',
  })
})
afterAll(() => world?.close())

describe('what the environment is like', () => {
  test('size and settings are those of the base, data and secrets are not', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const database = await world.previewed({ url: world.repository(), settings: null })
    const { cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: database.baseAppEnvId } })
    const of = (name: string) => `\${${name}}`
    const envVars = [
      { name: 'GREETING', value: 'hello' },
      { name: 'MODE', value: 'preview', type: 'BOTH' },
      { name: 'PASSWORD', value: 'hunter2', isSecret: true },
      { name: 'LOGIN', value: `ada:${of('PASSWORD')}` },
      { name: 'UPSTREAM', value: of(`${cliEnvName}.internalUrl`) },
      { name: 'CALLS', value: `${of('UPSTREAM')}/v1` },
    ]
    const startupConfig = { command: 'node server.js' }
    const base = { envVars, startupConfig, zClouds: 2, containers: 3, volume: { path: '/data', disk: 2048 } }
    const { appId, baseAppEnvId } = await world.previewed({ url, base })
    expect(await world.tell(hook, { url })).toMatchObject({ outcome: 'DEPLOYED' })
    const [appEnv] = await world.envsOf(appId)
    expect(appEnv).toMatchObject({ zClouds: 2, containers: 1, startupConfig, preventDestroy: false })
    expect(appEnv?.variables.map(({ name }) => name)).toEqual(['GREETING', 'MODE'])
    const { environments } = await world.newest()
    expect(environments).toMatchObject([
      { appId, message: expect.stringMatching(/: CALLS, LOGIN, PASSWORD, UPSTREAM$/) },
    ])
    const own = await world.database.appEnv.findUniqueOrThrow({ where: { id: baseAppEnvId } })
    expect(appEnv?.volume).toMatchObject({ path: '/data', diskMb: 2048 })
    expect(appEnv?.volumeId).not.toBe(own.volumeId)
    await world.tell(hook, { url, action: 'closed' })
    const volumes = await world.database.volume.findMany({ where: { appEnvId: appEnv?.id ?? '' } })
    expect(volumes.map(({ deletedAt }) => deletedAt === null)).toEqual([false])
    expect((await world.database.volume.findUniqueOrThrow({ where: { id: own.volumeId ?? '' } })).deletedAt).toBeNull()
  })

  test('secrets are copied where that was asked for', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const base = { envVars: [{ name: 'PASSWORD', value: 'hunter2', isSecret: true }] }
    const { appId } = await world.previewed({ url, base, settings: { copySecrets: true } })
    await world.tell(hook, { url })
    const [appEnv] = await world.envsOf(appId)
    expect(appEnv?.variables).toMatchObject([{ name: 'PASSWORD', isSecret: true }])
    // One that became a stranger's since is not built with them.
    const taken = await world.tell(hook, { url, action: 'pushed', before: A, head: B, fork: 'fork' })
    expect(taken).toMatchObject({ reason: 'FORK' })
    expect(await world.commitsOf(appEnv?.id ?? '')).toEqual([A])
  })
})

const key = (value: string) => ({ 'X-Key': value })

/** What an environment of a pull request gets where app and base have build arguments and headers of health checks. */
async function lent(happened: Partial<Happened>, settings: Record<string, unknown>) {
  const url = world.repository()
  const hook = await world.hook('GITHUB')
  const app = { buildArgs: 'TOKEN=hush', healthCheckPath: '/', healthCheckHeaders: key('app') }
  const { appId, baseAppEnvId } = await world.previewed({ url, app, settings })
  const probe = { path: '/', headers: key('probe') }
  await world.perform(changeHealthcheck, { appEnvId: baseAppEnvId, headers: key('base'), liveness: probe })
  await world.tell(hook, { url, ...happened })
  const [appEnv] = await world.envsOf(appId)
  const content = await world.database.content.findFirstOrThrow({ where: { appEnvId: appEnv?.id ?? '' } })
  const { healthCheck } = recordedConfiguration(content)
  return [recordedPlan(content)?.buildArgs, healthCheck.headers, healthCheck.liveness?.headers]
}

test('labels of the base are copied', async () => {
  const url = world.repository()
  const hook = await world.hook('GITHUB')
  const { appId, baseAppEnvId } = await world.previewed({ url })
  await world.perform(updateAppEnv, { appEnvId: baseAppEnvId, labels: { team: 'checkout' } })
  await world.tell(hook, { url })
  const [made] = await world.envsOf(appId)
  const where = { appEnvId: made?.id ?? '' }
  expect(await world.database.appEnvLabel.findMany({ where })).toMatchObject([{ key: 'team', value: 'checkout' }])
})

test('headers of the base are copied with its secrets; forks get none, and no build arguments', async () => {
  expect(await lent({}, { copySecrets: true })).toEqual(['TOKEN=hush', key('base'), key('probe')])
  expect(await lent({}, {})).toEqual(['TOKEN=hush', {}, {}])
  expect(await lent({ fork: 'fork' }, { allowForks: true, copySecrets: true })).toEqual([null, {}, {}])
})

test('the headers of the app itself hold for its pull requests, and for no fork', async () => {
  const url = world.repository()
  const hook = await world.hook('GITHUB')
  const app = { healthCheckPath: '/', healthCheckHeaders: key('app') }
  const { appId } = await world.previewed({ url, app, settings: { allowForks: true } })
  await world.tell(hook, { url })
  await world.tell(hook, { url, number: 13, fork: 'fork' })
  const headers = (await world.envsOf(appId)).map(
    async ({ id: appEnvId }) =>
      recordedConfiguration(await world.database.content.findFirstOrThrow({ where: { appEnvId } })).healthCheck.headers,
  )
  expect(await Promise.all(headers)).toEqual([key('app'), {}])
})

describe('limits', () => {
  test('maxAppEnvs, the plan and the account each say so, and leave nothing half made', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const { appId } = await world.previewed({ url, settings: { maxAppEnvs: 1 } })
    await world.tell(hook, { url })
    const refused = await world.tell(hook, { url, number: 13 }, { id: 'thirteen' })
    expect(refused).toMatchObject({ outcome: 'IGNORED', reason: 'TOO_MANY_PULL_REQUEST_ENVS' })
    await world.tell(hook, { url, action: 'closed' })
    // The host sends it again.
    expect(await world.tell(hook, { url, number: 13 }, { id: 'thirteen' })).toMatchObject({ outcome: 'DEPLOYED' })
    expect((await world.envsOf(appId)).map(({ name }) => name)).toEqual(['pr-13'])
    await world.tell(hook, { url, number: 13, action: 'closed' })

    const { maxAppEnvs } = await world.database.plan.findUniqueOrThrow({ where: { code: 'standard' } })
    await world.database.plan.update({ where: { code: 'standard' }, data: { maxAppEnvs: 1 } })
    const beyond = await world.tell(hook, { url, number: 14 })
    await world.database.plan.update({ where: { code: 'standard' }, data: { maxAppEnvs } })
    expect(beyond).toMatchObject({ outcome: 'IGNORED', reason: 'PLAN_LIMIT' })
    expect((await world.newest()).message).toContain('maxAppEnvs')

    // Refused after the environment was made: what cannot be built is not left there.
    await world.database.app.update({ where: { id: appId }, data: { builder: 'NIXPACKS' } })
    const events = await world.database.event.count()
    expect(await world.tell(hook, { url, number: 15 })).toMatchObject({ reason: 'BUILDER_NOT_AVAILABLE' })
    expect([await world.envsOf(appId), (await world.database.event.count()) - events]).toEqual([[], 0])
  })

  test('closing and reopening is limited like other operations', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    await world.previewed({ url })
    const reasons: (string | null)[] = []
    for (let round = 0; round < 4; round += 1) {
      await world.tell(hook, { url, action: round === 0 ? 'opened' : 'reopened' })
      reasons.push((await world.newest()).reason)
      await world.tell(hook, { url, action: 'closed' })
    }
    expect(reasons).toEqual([null, null, null, 'TOO_MANY_OPERATIONS'])
  })

  test('a name that is taken is not taken over', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const { appId } = await world.previewed({ url, base: { name: 'pr-12' } })
    expect(await world.tell(hook, { url })).toMatchObject({ reason: 'NAME_TAKEN' })
    await world.tell(hook, { url, action: 'closed' })
    expect((await world.envsOf(appId)).map(({ name }) => name)).toEqual(['pr-12'])
  })
})

describe('whose rights', () => {
  test('those of whoever turned it on, as they are now; closing needs none', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const { userId, token } = await world.user()
    const { appId } = await world.previewed({ url, as: token })
    await world.tell(hook, { url })
    await world.perform(updateMember, { accountId: world.accountId, userId, roles: ['BILLING'] })
    expect(await world.tell(hook, { url, number: 13 })).toMatchObject({ reason: 'RIGHTS_LOST' })
    const pushed = await world.tell(hook, { url, action: 'pushed', before: A, head: B })
    expect(pushed).toMatchObject({ reason: 'RIGHTS_LOST' })
    expect(await world.tell(hook, { url, action: 'closed' })).toMatchObject({ outcome: 'DELETED' })
    expect(await world.envsOf(appId)).toEqual([])
  })

  test('secrets ask for the right to see them, with each delivery', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const { userId, token } = await world.user({ roles: ['ADMIN'] })
    const { appId } = await world.previewed({ url, as: token, settings: { copySecrets: true } })
    await world.perform(updateMember, { accountId: world.accountId, userId, roles: ['TECHNICAL'] })
    expect(await world.tell(hook, { url })).toMatchObject({ reason: 'RIGHTS_LOST' })
    await world.perform(updateMember, { accountId: world.accountId, userId, roles: ['ADMIN'], appEnvIds: [] })
    expect(await world.tell(hook, { url, number: 13 })).toMatchObject({ reason: 'RIGHTS_LOST' })
    expect(await world.envsOf(appId)).toEqual([])
  })
})

describe('people', () => {
  test('turn it off: nothing new, and what is there goes when it is closed', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const { appId } = await world.previewed({ url })
    await world.tell(hook, { url })
    await world.perform(deletePullRequestEnvs, { appId })
    const pushed = await world.tell(hook, { url, action: 'pushed', before: A, head: B })
    expect(pushed).toMatchObject({ reason: 'PULL_REQUEST_ENVS_OFF' })
    expect(await world.tell(hook, { url, number: 13 })).toMatchObject({ reason: 'NO_ENVIRONMENT' })
    expect(await world.tell(hook, { url, action: 'closed' })).toMatchObject({ outcome: 'DELETED' })
    expect(await world.envsOf(appId)).toEqual([])
  })

  test('delete the base, and nothing is made; delete the environment, and the next push makes it again', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const { appId, baseAppEnvId } = await world.previewed({ url })
    await world.tell(hook, { url, head: A })
    const [first] = await world.envsOf(appId)
    await world.perform(deleteAppEnv, { appEnvId: first?.id ?? '' })
    expect(await world.tell(hook, { url, action: 'pushed', before: A, head: B })).toMatchObject({ outcome: 'DEPLOYED' })
    const [second] = await world.envsOf(appId)
    expect(second?.name).toBe('pr-12')
    await world.perform(deleteAppEnv, { appEnvId: baseAppEnvId })
    expect(await world.tell(hook, { url, number: 13 })).toMatchObject({ reason: 'BASE_DELETED' })
    expect(await world.tell(hook, { url, action: 'pushed', before: B, head: C })).toMatchObject({ outcome: 'DEPLOYED' })
  })

  test('delete the environment or the app, and volumes of pull requests go with it', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const { appId, baseAppEnvId } = await world.previewed({ url, base: { volume: { path: '/data', disk: 2048 } } })
    await world.tell(hook, { url })
    await world.tell(hook, { url, number: 13 })
    const made = (await world.envsOf(appId)).map(({ id }) => id)
    const [first] = made
    const where = { appEnvId: { in: [...made, baseAppEnvId] }, deletedAt: null }
    const kept = () => world.database.volume.findMany({ where })
    expect((await kept()).length).toBe(3)
    await world.perform(deleteAppEnv, { appEnvId: first ?? '' })
    expect((await kept()).length).toBe(2)
    await world.perform(deleteApp, { appId })
    expect((await kept()).map(({ appEnvId }) => appEnvId)).toEqual([baseAppEnvId])
  })

  test('protect it: it outlives its pull request until they stop that', async () => {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const { appId } = await world.previewed({ url })
    await world.tell(hook, { url })
    const [appEnv] = await world.envsOf(appId)
    await world.perform(updateAppEnv, { appEnvId: appEnv?.id ?? '', preventDestroy: true })
    expect(await world.tell(hook, { url, action: 'closed' })).toMatchObject({ reason: 'PREVENT_DESTROY' })
    const [kept] = await world.envsOf(appId)
    expect(kept?.expiresAt?.getTime()).toBeLessThanOrEqual(Date.now() + 60_000)
    expect(await world.tell(hook, { url, action: 'reopened' })).toMatchObject({ reason: 'ALREADY_DEPLOYED' })
    const [reopened] = await world.envsOf(appId)
    expect(reopened?.expiresAt?.getTime()).toBeGreaterThan(Date.now() + 3_600_000)
  })
})

describe('which apps', () => {
  test('each of the repository; with a hook of one app that one; pushes to the branch deploy none of them', async () => {
    const url = world.repository()
    const [one, other] = [await world.previewed({ url }), await world.previewed({ url })]
    const stranger = await world.previewed({ url: world.repository() })
    const own = await world.hook('GITHUB', { appId: one.appId })
    const all = await world.hook('GITHUB')
    const count = async () =>
      Promise.all([one, other, stranger].map(async ({ appId }) => (await world.envsOf(appId)).length))
    await world.tell(own, { url })
    expect(await count()).toEqual([1, 0, 0])
    await world.tell(all, { url })
    expect(await count()).toEqual([1, 1, 0])
    const [appEnv] = await world.envsOf(one.appId)
    await world.push(all, { url, branch: 'feature', after: B })
    expect(await world.newest()).toMatchObject({ reason: 'NO_ENVIRONMENT' })
    expect(await world.commitsOf(appEnv?.id ?? '')).toEqual([A])
    expect(await world.tell(all, { url, action: 'closed' })).toMatchObject({ outcome: 'DELETED' })
    expect(await count()).toEqual([0, 0, 0])
  })

  test('what the hook of one app says is no word about another', async () => {
    const url = world.repository()
    const [one, other] = [await world.previewed({ url }), await world.previewed({ url })]
    const own = await world.hook('GITHUB', { appId: one.appId })
    const hook = await world.hook('GITHUB', { appId: other.appId })
    const all = await world.hook('GITHUB')
    const [later, before] = ['2027-11-20T10:00:00Z', '2026-11-20T10:00:00Z']
    for (const number of [12, 13]) await world.tell(own, { url, number, action: 'closed', at: later })
    expect(await world.tell(hook, { url, at: before })).toMatchObject({ outcome: 'DEPLOYED' })
    expect(await world.tell(all, { url, number: 13, at: before })).toMatchObject({ outcome: 'DEPLOYED' })
    expect((await world.newest()).environments).toMatchObject([
      { appId: one.appId, outcome: 'IGNORED', reason: 'OUT_OF_ORDER' },
      { appId: other.appId, outcome: 'DEPLOYED' },
    ])
    expect([(await world.envsOf(one.appId)).length, (await world.envsOf(other.appId)).length]).toEqual([0, 2])
    expect(await world.tell(own, { url, number: 13, at: before })).toMatchObject({ reason: 'OUT_OF_ORDER' })
  })

  test('those that are built through the installation of the GitHub App, which tells without a hook', async () => {
    const url = 'https://github.com/acme/app-shop'
    const app = { gitRepo: 'app-shop', gitNamespace: 'acme', gitProvider: 'GITHUB', gitInstallationId: '4242' }
    const theirs = await world.previewed({ url, app, accountId: await world.account() })
    const mine = await world.previewed({ url, app })
    const other = await world.previewed({ url, app: { ...app, gitInstallationId: '4343' } })
    const tell = async (happened: Partial<Happened>) => {
      const payload = pullRequestPayloadOf('GITHUB', { url, installation: 4242, ...happened })
      return world.send('/hooks/git', sentBy('GITHUB', APP_SECRET, payload, { event: 'pull_request' }))
    }
    const count = async () =>
      Promise.all([mine, theirs, other].map(async ({ appId }) => (await world.envsOf(appId)).length))
    const { body } = await tell({})
    expect(body.deliveries).toMatchObject([{ outcome: 'DEPLOYED' }, { outcome: 'DEPLOYED' }])
    expect(await count()).toEqual([1, 1, 0])
    await tell({ action: 'merged' })
    expect(await count()).toEqual([0, 0, 0])
  })
})

test('two hooks that tell at the same time, out of order, leave nothing of what is closed', async () => {
  const url = world.repository()
  const hooks = await Promise.all(['GITHUB', 'GITHUB', 'GITHUB'].map(() => world.hook('GITHUB')))
  const { appId } = await world.previewed({ url, settings: { maxAppEnvs: 20 } })
  for (let number = 1; number <= 6; number += 1) {
    const of = { url, number, branch: `feature-${number}` }
    const happened: Happened[] = [
      { ...of, action: 'closed', head: B, at: '2026-11-20T10:00:02Z' },
      { ...of, action: 'pushed', before: A, head: B, at: '2026-11-20T10:00:01Z' },
      { ...of, head: A, at: '2026-11-20T10:00:00Z' },
    ]
    await Promise.all(hooks.map((hook, at) => world.tell(hook, happened[at] as Happened)))
  }
  expect((await world.envsOf(appId)).map(({ name }) => name)).toEqual([])
})
