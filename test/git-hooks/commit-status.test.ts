import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { updateGitHook } from '../../src/services/git-hook/git-hook-commands.ts'
import { commitId, type Provider, payloadOf, sentBy } from '../support/git-hosts.ts'
import { createGitHookWorld, type GitHookWorld } from './git-hook-world.ts'
import { startStatusHost, type ToldStatus } from './status-host.ts'
import { statusTask } from './status-task.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const APP_SECRET = 'the secret of the GitHub App'
const A = commitId('a')

let host: Awaited<ReturnType<typeof startStatusHost>>
let world: GitHookWorld

beforeAll(async () => {
  host = await startStatusHost()
  world = await createGitHookWorld({
    BERTH_GIT_PRIVATE_HOSTS: 'true',
    BERTH_GITHUB_API_URL: host.url,
    BERTH_GITHUB_WEBHOOK_SECRET: APP_SECRET,
    BERTH_GITHUB_APP_ID: '4711',
    BERTH_GITHUB_PRIVATE_KEY: pem,
  })
})
afterAll(async () => {
  await world?.close()
  host.close()
})

/** Runs workers until a condition holds, and stops them. */
async function tellUntil(isDone: () => Promise<boolean> | boolean, { config = world.config, workers = 1 } = {}) {
  const { database, vault, log } = world
  const stopping = new AbortController()
  const loops = Array.from({ length: workers }, () => statusTask({ database, config, vault, log }))
  const running = loops.map((loop) => loop.run(stopping.signal))
  try {
    await expect.poll(() => isDone()).toBe(true)
  } finally {
    stopping.abort()
    await Promise.all(running)
  }
}

const statusOf = (operationId: string) => world.database.commitStatus.findUniqueOrThrow({ where: { operationId } })
const isReported = (operationId: string, state: string) => async () => (await statusOf(operationId)).reported === state

/** What waits for a retry need not be waited for. */
const hurry = (operationId: string) =>
  world.database.$executeRaw`UPDATE commit_status SET due_at = now() WHERE operation_id = ${operationId}`

/** A commit that a push deploys, of a hook that sets statuses. */
async function pushed(provider: Provider = 'GITHUB', fields: Record<string, unknown> = {}) {
  const url = world.repository()
  const hook = await world.hook(provider, { statusApiUrl: `${host.url}/api`, statusToken: 'a-token', ...fields })
  const appEnvId = await world.built({ gitRepo: url })
  await world.push(hook, { url, after: A })
  const [operation] = await world.operationsOf(appEnvId)
  const { cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  const project = provider === 'GITLAB' ? '15' : new URL(url).pathname.slice(1)
  const isAbout = ({ body }: ToldStatus) => [body.context, body.name].includes(`berth/${cliEnvName}`)
  return {
    hook,
    appEnvId,
    project,
    operationId: operation?.id ?? '',
    context: `berth/${cliEnvName}`,
    told: () => host.told.filter(isAbout),
  }
}

describe.each<[Provider, string, string, Record<string, string>]>([
  ['GITHUB', 'pending', 'success', { authorization: 'Bearer a-token' }],
  ['GITEA', 'pending', 'success', { authorization: 'token a-token' }],
  ['GITLAB', 'running', 'success', { 'private-token': 'a-token' }],
])('%s', (provider, pending, success, headers) => {
  test('is told that a commit is being deployed, and how that ended, once each', async () => {
    const { operationId, project, told } = await pushed(provider)
    await tellUntil(isReported(operationId, 'PENDING'))
    await world.endOperation(operationId)
    await tellUntil(isReported(operationId, 'SUCCESS'))
    const path =
      provider === 'GITLAB' ? `/api/projects/${project}/statuses/${A}` : `/api/repos/${project}/statuses/${A}`
    expect(told()).toMatchObject([
      { path, headers, body: { state: pending } },
      { path, headers, body: { state: success } },
    ])
    expect((await statusOf(operationId)).endedAt).not.toBeNull()
  })
})

test('a deployment that fails is a failure', async () => {
  const { operationId, told } = await pushed()
  await world.endOperation(operationId, 'FAILED')
  await tellUntil(isReported(operationId, 'FAILURE'))
  expect(told().map(({ body }) => body.state)).toEqual(['failure'])
})

test('the GitHub App sets statuses with a token for that alone', async () => {
  const url = 'https://github.com/acme/status-shop'
  const app = { gitRepo: 'status-shop', gitNamespace: 'acme', gitProvider: 'GITHUB', gitInstallationId: '4242' }
  const appEnvId = await world.built({ app })
  await world.send(
    '/hooks/git',
    sentBy('GITHUB', APP_SECRET, payloadOf('GITHUB', { url, after: A, installation: 4242 })),
  )
  const [operation] = await world.operationsOf(appEnvId)
  await tellUntil(isReported(operation?.id ?? '', 'PENDING'))
  const minted = host.told.find(({ path }) => path === '/app/installations/4242/access_tokens')
  expect(minted?.body).toEqual({ repositories: ['status-shop'], permissions: { statuses: 'write' } })
  const status = host.told.find(({ path }) => path === `/repos/acme/status-shop/statuses/${A}`)
  expect(status).toMatchObject({ headers: { authorization: 'Bearer ghs_minted' }, body: { state: 'pending' } })
})

test('a host that fails is asked again, and holds up no deployment', async () => {
  const { operationId, hook, told } = await pushed()
  host.answer(503)
  await tellUntil(async () => (await statusOf(operationId)).failures === 1)
  const { gitHookId } = hook
  const failing = await world.database.gitHook.findUniqueOrThrow({ where: { id: gitHookId } })
  expect(failing.statusError).toBe('The git host answered 503 to a status')
  await world.endOperation(operationId)
  host.answer(201)
  await hurry(operationId)
  await tellUntil(isReported(operationId, 'SUCCESS'))
  expect(told().map(({ body }) => body.state)).toEqual(['pending', 'success'])
  expect((await world.database.gitHook.findUniqueOrThrow({ where: { id: gitHookId } })).statusError).toBeNull()
})

test.each([
  ['refuses', 403, {}],
  ['redirects', 302, { location: 'http://127.0.0.1:9/' }],
])('a host that %s is not asked again', async (_what, status, headers) => {
  const { operationId, told } = await pushed()
  host.answer(status, headers)
  await tellUntil(async () => (await statusOf(operationId)).endedAt !== null)
  host.answer(201)
  expect(await statusOf(operationId)).toMatchObject({ reported: null, failures: 1 })
  expect(told()).toHaveLength(1)
})

test('a token goes to no private address, and to nowhere once the hook has none', async () => {
  const first = await pushed()
  const config = { ...world.config, BERTH_GIT_PRIVATE_HOSTS: false }
  await tellUntil(async () => (await statusOf(first.operationId)).endedAt !== null, { config })
  expect((await statusOf(first.operationId)).error).toBe('127.0.0.1 is on a private address, where nothing is sent')
  const second = await pushed()
  await world.perform(updateGitHook, { gitHookId: second.hook.gitHookId, statusApiUrl: null, statusToken: null })
  await tellUntil(async () => (await statusOf(second.operationId)).endedAt !== null)
  expect([...first.told(), ...second.told()]).toEqual([])
})

test('two workers tell of a status once; one whose worker died is told again', async () => {
  const { operationId, told } = await pushed()
  await tellUntil(isReported(operationId, 'PENDING'), { workers: 2 })
  expect(told()).toHaveLength(1)
  // Claimed by a worker that is gone: its time is over, and nothing was recorded.
  await world.database.$executeRaw`
    UPDATE commit_status SET claims = claims + 1, reported = NULL, due_at = now() WHERE operation_id = ${operationId}`
  await tellUntil(isReported(operationId, 'PENDING'))
  expect(told().map(({ body }) => body.state)).toEqual(['pending', 'pending'])
})

test('a hook without a credential sets none', async () => {
  const url = world.repository()
  const hook = await world.hook('GITHUB')
  const appEnvId = await world.built({ gitRepo: url })
  await world.push(hook, { url, after: A })
  const [operation] = await world.operationsOf(appEnvId)
  expect(await world.database.commitStatus.findUnique({ where: { operationId: operation?.id ?? '' } })).toBeNull()
})
