import { commitId, payloadOf, sentBy } from '../support/git-hosts.ts'
import { type Happened, pullRequestPayloadOf } from '../support/git-pull-requests.ts'
import { type Fixture, UNKNOWN } from './fixture.ts'
import { mutation } from './fragments.ts'

const unknown = { gitHookId: `ghook_${UNKNOWN}` }
const unknownDelivery = { gitDeliveryId: `gdlv_${UNKNOWN}` }
const url = 'https://git.example.com/acme/shop'

const request = ({ accountId }: Fixture, fields: Record<string, unknown> = {}) => ({
  accountId,
  provider: 'GITEA',
  name: 'Hook',
  ...fields,
})

/** An environment that is built from the branch main. */
async function built({ app, appEnv }: Fixture): Promise<string> {
  const appId = await app({ useImage: false, image: undefined, gitRepo: url })
  return appEnv(appId, { branch: 'main' })
}

/** A delivery, as a git host sends it; its headers and its signature are other ones each time. */
async function push({ origin }: Fixture, path: string, secret: string, id: string): Promise<void> {
  const sent = sentBy('GITEA', secret, payloadOf('GITEA', { url, after: commitId('a') }), { id })
  const response = await fetch(`${origin}${path}`, { method: 'POST', ...sent })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
}

export async function restGitHooks(fixture: Fixture): Promise<void> {
  const { rest, accountId } = fixture
  const { body } = await rest('create one', 'POST /account/git-hook', request(fixture))
  const { gitHookId, path } = body
  await rest('create one of an unknown git host', 'POST /account/git-hook', request(fixture, { provider: 'OTHER' }))
  await rest('create one as a reader', 'POST /account/git-hook', request(fixture), { as: 'reader' })
  await rest('read it', 'GET /account/git-hook', { gitHookId })
  await rest('read an unknown one', 'GET /account/git-hook', unknown)
  await rest('list them', 'GET /account/git-hooks', { accountId })
  await rest('list them as a stranger', 'GET /account/git-hooks', { accountId }, { as: 'stranger' })
  const statuses = { statusApiUrl: 'https://git.example.com/api/v1', statusToken: 'a-token' }
  await rest('change it', 'PUT /account/git-hook', { gitHookId, name: 'Other', ...statuses })
  await rest('change an unknown one', 'PUT /account/git-hook', { ...unknown, name: 'Other' })
  await rest('give it a token without an address', 'PUT /account/git-hook', { gitHookId, statusToken: 'another' })
  const { secret } = (await rest('rotate its secret', 'POST /account/git-hook/rotate-secret', { gitHookId })).body
  await rest('rotate an unknown secret', 'POST /account/git-hook/rotate-secret', unknown)
  const appEnvId = await built(fixture)
  await rest('read auto-deploy before it is on', 'GET /app-env/auto-deploy', { appEnvId })
  await rest('set auto-deploy', 'PUT /app-env/auto-deploy', { appEnvId, watchPaths: ['src/**'] })
  await rest('set it to no pattern', 'PUT /app-env/auto-deploy', { appEnvId, watchPaths: ['[a'] })
  await rest('read auto-deploy', 'GET /app-env/auto-deploy', { appEnvId })
  await push(fixture, path, secret, 'delivery-1')
  const listed = await rest('list what came', 'GET /account/git-hook/deliveries', { accountId, outcome: 'DEPLOYED' })
  await rest('list what came to a stranger', 'GET /account/git-hook/deliveries', { accountId }, { as: 'stranger' })
  const { gitDeliveryId } = listed.body.gitDeliveries[0]
  await rest('read what came', 'GET /account/git-hook/delivery', { gitDeliveryId })
  await rest('read an unknown delivery', 'GET /account/git-hook/delivery', unknownDelivery)
  await rest('turn auto-deploy off', 'DELETE /app-env/auto-deploy', { appEnvId })
  await rest('turn it off again', 'DELETE /app-env/auto-deploy', { appEnvId })
  await rest('delete it', 'DELETE /account/git-hook', { gitHookId })
  await rest('delete it again', 'DELETE /account/git-hook', { gitHookId })
}

export async function graphqlGitHooks(fixture: Fixture): Promise<void> {
  const { graphql, accountId } = fixture
  const fields = 'gitHook { ...GitHook } secret'
  const create = mutation('createGitHook', fields)
  const { body } = await graphql('create one', create, { input: request(fixture) })
  const { id: gitHookId, path } = body.data.createGitHook.gitHook
  await graphql('create one as a reader', create, { input: request(fixture) }, { as: 'reader' })
  const read = 'query ($id: ID!) { gitHook(id: $id) { ...GitHook } }'
  await graphql('read it', read, { id: gitHookId })
  await graphql('read an unknown one', read, { id: unknown.gitHookId })
  const list =
    'query ($accountId: ID) { gitHooks(accountId: $accountId) { nodes { ...GitHook } pageInfo { ...Page } } }'
  await graphql('list them', list, { accountId })
  await graphql('list them as a stranger', list, { accountId }, { as: 'stranger' })
  const update = mutation('updateGitHook', 'gitHook { ...GitHook }')
  await graphql('change it', update, { input: { gitHookId, name: 'Other', expectedVersion: 1 } })
  await graphql('change it at an old version', update, { input: { gitHookId, name: 'Third', expectedVersion: 1 } })
  const rotate = mutation('rotateGitHookSecret', fields)
  const rotated = await graphql('rotate its secret', rotate, { input: { gitHookId, expectedVersion: 2 } })
  await graphql('rotate an unknown secret', rotate, { input: unknown })
  const appEnvId = await built(fixture)
  const auto = 'query ($id: ID) { autoDeploy(appEnvId: $id) { ...AutoDeploy } }'
  await graphql('read auto-deploy before it is on', auto, { id: appEnvId })
  const set = mutation('setAutoDeploy', 'autoDeploy { appEnvId userId watchPaths createdAt updatedAt }')
  await graphql('set auto-deploy', set, { input: { appEnvId } })
  await graphql('set it to no pattern', set, { input: { appEnvId, watchPaths: ['[a'] } })
  await graphql('read auto-deploy', auto, { id: appEnvId })
  await push(fixture, path, rotated.body.data.rotateGitHookSecret.secret, 'delivery-1')
  const deliveries =
    'query ($accountId: ID, $hook: ID) { gitDeliveries(accountId: $accountId, gitHookId: $hook, outcome: DEPLOYED) { nodes { ...GitDelivery } pageInfo { ...Page } } }'
  const listed = await graphql('list what came', deliveries, { accountId, hook: gitHookId })
  await graphql('list what came to a stranger', deliveries, { accountId }, { as: 'stranger' })
  const delivery = 'query ($id: ID!) { gitDelivery(id: $id) { ...GitDelivery } }'
  await graphql('read what came', delivery, { id: listed.body.data.gitDeliveries.nodes[0].id })
  await graphql('read an unknown delivery', delivery, { id: unknownDelivery.gitDeliveryId })
  const off = mutation('deleteAutoDeploy', 'message')
  await graphql('turn auto-deploy off', off, { input: { appEnvId } })
  await graphql('turn it off again', off, { input: { appEnvId } })
  const remove = mutation('deleteGitHook', 'message')
  await graphql('delete it', remove, { input: { gitHookId } })
  await graphql('delete it again', remove, { input: { gitHookId } })
}

/** What happened to the pull request 12, as a git host tells of it. */
async function happen({ origin }: Fixture, path: string, secret: string, happened: Partial<Happened>): Promise<void> {
  const at = happened.action === 'closed' ? '2026-11-20T10:00:00Z' : '2026-11-20T09:00:00Z'
  const payload = pullRequestPayloadOf('GITEA', { url, at, ...happened })
  const sent = sentBy('GITEA', secret, payload, { event: 'pull_request', id: `pull-request-${at}` })
  const response = await fetch(`${origin}${path}`, { method: 'POST', ...sent })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
}

export async function restPullRequestEnvs(fixture: Fixture): Promise<void> {
  const { rest, accountId, ask } = fixture
  const baseAppEnvId = await built(fixture)
  const { appId } = (await ask('GET', '/app-env', { appEnvId: baseAppEnvId })).body
  await rest('read before it is on', 'GET /app/pull-request-envs', { appId })
  await rest('turn it on', 'PUT /app/pull-request-envs', { appId, baseAppEnvId, targetBranches: ['main'] })
  await rest('like an unknown environment', 'PUT /app/pull-request-envs', { appId, baseAppEnvId: `env_${UNKNOWN}` })
  await rest('as a reader', 'PUT /app/pull-request-envs', { appId, baseAppEnvId }, { as: 'reader' })
  await rest(
    'with secrets, as one who may not see them',
    'PUT /app/pull-request-envs',
    {
      appId,
      baseAppEnvId,
      copySecrets: true,
    },
    { as: 'technical' },
  )
  await rest('read it', 'GET /app/pull-request-envs', { appId })
  await rest('read it as a stranger', 'GET /app/pull-request-envs', { appId }, { as: 'stranger' })
  const { path, secret } = (await ask('POST', '/account/git-hook', request(fixture))).body
  await happen(fixture, path, secret, {})
  const listed = await rest('list what came', 'GET /account/git-hook/deliveries', { accountId })
  const [{ appEnvId }] = listed.body.gitDeliveries[0].environments
  await rest('read the environment', 'GET /app-env', { appEnvId })
  await rest('change its branch', 'PATCH /app-env/branch', { appEnvId, gitBranch: 'main' })
  await happen(fixture, path, secret, { action: 'closed' })
  await rest('list what came after it was closed', 'GET /account/git-hook/deliveries', { accountId, limit: 1 })
  await rest('turn it off', 'DELETE /app/pull-request-envs', { appId })
  await rest('turn it off again', 'DELETE /app/pull-request-envs', { appId })
}

export async function graphqlPullRequestEnvs(fixture: Fixture): Promise<void> {
  const { graphql, ask } = fixture
  const baseAppEnvId = await built(fixture)
  const { appId } = (await ask('GET', '/app-env', { appEnvId: baseAppEnvId })).body
  const read = 'query ($id: ID!) { pullRequestEnvs(appId: $id) { ...PullRequestEnvs } }'
  await graphql('read before it is on', read, { id: appId })
  const fields =
    'pullRequestEnvs { appId userId baseAppEnvId targetBranches expiresAfterHours maxAppEnvs copySecrets allowForks createdAt updatedAt }'
  const set = mutation('setPullRequestEnvs', fields)
  await graphql('turn it on', set, { input: { appId, baseAppEnvId, maxAppEnvs: 3 } })
  await graphql('for ever', set, { input: { appId, baseAppEnvId, expiresAfterHours: 100_000 } })
  await graphql('as a reader', set, { input: { appId, baseAppEnvId } }, { as: 'reader' })
  await graphql('read it', read, { id: appId })
  await graphql('read it as a stranger', read, { id: appId }, { as: 'stranger' })
  const { path, secret } = (await ask('POST', '/account/git-hook', request(fixture))).body
  await happen(fixture, path, secret, {})
  const environments =
    'query ($id: ID!) { app(id: $id) { appEnvs { nodes { name pullRequest { number isFork } expiresAt } } } }'
  await graphql('read the environments', environments, { id: appId })
  const off = mutation('deletePullRequestEnvs', 'message')
  await graphql('turn it off', off, { input: { appId } })
  await graphql('turn it off again', off, { input: { appId } })
}
