import type { Fixture } from './fixture.ts'
import { UNKNOWN } from './fixture.ts'
import { entriesOf, mutation } from './fragments.ts'

/** Apps, and features of every mutation and connection: versions, dry runs, idempotency, pages. */
export async function graphqlApps(fixture: Fixture): Promise<void> {
  const appId = await createApps(fixture)
  await readApps(fixture, appId)
  await changeApps(fixture, appId)
  await deleteApps(fixture, appId)
}

const CREATE = mutation('createApp', 'app { ...App }')
const UPDATE = mutation('updateApp', 'app { id port version } environmentsAffected notApplied { appEnvId reason }')
const DELETE = mutation('deleteApp', 'message')

async function createApps({ graphql, accountId }: Fixture): Promise<string> {
  const shop = { name: 'Shop', accountId, port: 8080, useImage: true, image: 'shop:1' }
  const { body } = await graphql('create an app', CREATE, { input: shop })
  await graphql('create an app from source', CREATE, {
    input: {
      name: 'Source',
      accountId,
      port: 3000,
      dockerPreset: 'NEXT_JS',
      dockerPresetVersion: 'NEXT_JS_NODE_JS_22',
      gitProvider: 'GITHUB',
      gitNamespace: 'acme',
      gitRepo: 'shop',
      gitInstallationId: '42',
      builder: 'DOCKER',
      buildArgs: 'A=1',
      contextDir: './web',
      healthCheckPath: '/ready',
      healthCheckHeaders: entriesOf({ Host: 'shop.test' }),
    },
  })
  await graphql('create a job', CREATE, {
    input: {
      name: 'Migrate',
      accountId,
      appType: 'JOB',
      jobConfig: { command: 'migrate', concurrencyPolicy: 'REJECT' },
    },
  })
  await graphql('create a function', CREATE, {
    input: { name: 'Resize', accountId, dockerPreset: 'FUNCTION', port: 80, functionConfig: { maxScale: 2 } },
  })
  await graphql('create an app, dry', CREATE, { input: { ...shop, name: 'Never', dryRun: true } })
  const keyed = { ...shop, name: 'Blog', idempotencyKey: 'once' }
  await graphql('create an app with a key', mutation('createApp', 'app { id }'), { input: keyed })
  await graphql('create an app with a key again', mutation('createApp', 'app { id }'), { input: keyed })
  await graphql('create another app with the same key', CREATE, { input: { ...keyed, port: 81 } })
  await graphql('create an app with fields that contradict', CREATE, {
    input: { ...shop, image: 'Not An Image', port: 70_000 },
  })
  await graphql('create a database with an image', CREATE, { input: { ...shop, dockerPreset: 'REDIS' } })
  await graphql('create an app in an unknown account', CREATE, { input: { ...shop, accountId: `acc_${UNKNOWN}` } })
  await graphql('create an app as a reader', CREATE, { input: shop }, { as: 'reader' })
  return body.data.createApp.app.id
}

async function readApps({ graphql, accountId, appEnv }: Fixture, appId: string): Promise<void> {
  await appEnv(appId)
  const one =
    'query ($id: ID!) { app(id: $id) { ...App appEnvs(first: 1) { nodes { ...AppEnvBriefly } pageInfo { ...Page } } } }'
  await graphql('read an app', one, { id: appId })
  await graphql('read an unknown app', one, { id: `app_${UNKNOWN}` })
  await graphql('read an app of others', one, { id: appId }, { as: 'stranger' })
  const page = `query ($first: Int, $after: String, $last: Int, $before: String, $accountId: ID) {
    apps(first: $first, after: $after, last: $last, before: $before, accountId: $accountId) {
      edges { cursor node { id name } } nodes { slug } pageInfo { ...Page }
    } }`
  const { body } = await graphql('list apps, first page', page, { first: 2 })
  const { endCursor, startCursor } = body.data.apps.pageInfo
  await graphql('list apps, second page', page, { first: 2, after: endCursor })
  await graphql('list apps, backwards', page, { last: 1, before: endCursor })
  await graphql('list apps before the first', page, { last: 1, before: startCursor })
  await graphql('list apps of an account', page, { accountId })
  await graphql('list too many apps', page, { first: 100_000 })
  await graphql('list apps by a bad cursor', page, { after: 'nonsense' })
  await graphql('list apps by a foreign cursor', page, { after: Buffer.from('GPC:S:x').toString('base64') })
  await graphql('list apps of an unknown account', page, { accountId: `acc_${UNKNOWN}` })
  const node = `query ($id: ID!) { node(id: $id) { __typename id ... on App { name } } }`
  await graphql('read an app as a node', node, { id: appId })
  await graphql('read an unknown node', node, { id: `app_${UNKNOWN}` })
  await graphql('read a node of no kind', node, { id: 'nonsense' })
  await graphql('read a node of others', node, { id: appId }, { as: 'stranger' })
  const nodes = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }'
  await graphql('read several nodes', nodes, { ids: [appId, `app_${UNKNOWN}`] })
  await graphql('read too many nodes', nodes, { ids: Array.from({ length: 101 }, () => appId) })
  const search = 'query ($text: String!) { search(text: $text) { kind id name app { id } } }'
  await graphql('search an account', search, { text: 'shop' })
  await graphql('search for nothing', search, { text: '' })
  const cost = '{ apps(first: 5) { totalCount nodes { id } } requestCost { requested allowed parts { field cost } } }'
  await graphql('read the cost of a request', cost)
  await graphql('read the cost of a request without a token', cost, {}, { as: 'none' })
}

async function changeApps({ graphql }: Fixture, appId: string): Promise<void> {
  const input = { appId, port: 81 }
  await graphql('change an app', UPDATE, { input: { ...input, healthCheckPath: '/healthz' } })
  await graphql('change an app at its version', UPDATE, { input: { appId, port: 82, expectedVersion: 2 } })
  await graphql('change an app at an old version', UPDATE, { input: { ...input, expectedVersion: 1 } })
  await graphql('change an app and apply it', UPDATE, { input: { appId, port: 83, applyImmediately: true } })
  await graphql('change an app, dry', UPDATE, { input: { appId, port: 84, dryRun: true } })
  await graphql('change an unknown app', UPDATE, { input: { ...input, appId: `app_${UNKNOWN}` } })
  await graphql('change an app as a reader', UPDATE, { input }, { as: 'reader' })
}

async function deleteApps({ graphql }: Fixture, appId: string): Promise<void> {
  await graphql('delete an app as TECHNICAL', DELETE, { input: { appId } }, { as: 'technical' })
  await graphql('delete an app, dry', DELETE, { input: { appId, dryRun: true } })
  await graphql('delete an app', DELETE, { input: { appId } })
  await graphql('delete an app again', DELETE, { input: { appId } })
}
