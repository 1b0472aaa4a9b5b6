import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../src/domain/ids.ts'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'

const statements: string[] = []
let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld({
    onQuery: (sql) => statements.push(sql),
    settings: { BERTH_GRAPHQL_MAX_COST: '1000000' },
  })
})
afterAll(() => world.close())

const FIELDS = {
  'plain fields': 'id name status',
  relations: 'id app { name } region { name } hosts { host } account { name }',
  'status fields':
    'health replicas { ready } currentVersion currentDeployment { version canRollback cannotRollbackReason }',
  'the configuration': 'pendingChanges { changes { field } } variables { name value }',
  history: 'latestDeployment { version } operations(first: 5) { nodes { kind deployment { version } } }',
  'versions and the newest': 'latestDeployment { version } deployments(first: 5) { nodes { version canRollback } }',
}

/** The number of statements of an operation, for an account with so many apps of three environments each. */
async function count(apps: number, fields: string): Promise<number> {
  await grow(apps)
  const document = `{ apps(first: 100) { nodes { id name appEnvs(first: 10) { nodes { ${fields} } } } } }`
  statements.length = 0
  const { data, errors } = await world.query(document)
  expect(errors).toBeUndefined()
  expect(data.apps.nodes).toHaveLength(apps)
  expect(data.apps.nodes[0].appEnvs.nodes).toHaveLength(3)
  // The caller is authenticated twice a second, so that query would count for some operations and not for others.
  return statements.filter((sql) => !/(FROM|UPDATE) ("public"\.)?"(token|user|membership)"/.test(sql)).length
}

let grown = 0

/** Inserted directly: creating three hundred environments through the services would take a minute. */
async function grow(apps: number): Promise<void> {
  const { database, accountId, vault } = world
  const account = await database.account.findUniqueOrThrow({ where: { id: accountId } })
  for (; grown < apps; grown += 1) {
    const appId = newId('app')
    const app = { id: appId, accountId, name: `App ${grown}`, slug: `app-${grown}`, port: 80, useImage: true }
    await database.app.create({ data: app })
    for (const slug of ['one', 'two', 'three']) await createAppEnv(appId, slug, vault.forAccount(account).sealVariable)
  }
}

type Seal = ReturnType<GraphQLWorld['vault']['forAccount']>['sealVariable']

async function createAppEnv(appId: string, slug: string, seal: Seal): Promise<void> {
  const { database, accountId } = world
  const [appEnvId, contentId] = [newId('env'), newId('con')]
  const cliEnvName = `default-app-${grown}-${slug}`
  const names = { name: slug, slug, cliEnvName, deploymentName: cliEnvName }
  await database.appEnv.create({ data: { id: appEnvId, accountId, appId, regionCode: 'local', ...names } })
  const configuration = {
    port: 80,
    zClouds: 1,
    startup: null,
    healthCheck: { path: null, port: null, headers: {} },
    variables: [],
  }
  const content = {
    id: contentId,
    accountId,
    appEnvId,
    version: 1,
    type: 'IMAGE_FROM',
    image: 'nginx:1',
    configuration,
  } as const
  await database.content.create({ data: { ...content, status: 'DEPLOYED', deployedAt: new Date() } })
  await database.appEnv.update({ where: { id: appEnvId }, data: { currentContentId: contentId, status: 'RUNNING' } })
  await database.variable.create({
    data: { ...seal({ name: 'A', value: 'b', type: 'DEPLOY', isSecret: true }), appEnvId },
  })
  await database.host.create({ data: { id: newId('host'), appEnvId, host: `${cliEnvName}.test` } })
  const operation = {
    id: newId('op'),
    accountId,
    appEnvId,
    contentId,
    kind: 'DEPLOY_IMAGE',
    status: 'SUCCEEDED',
  } as const
  const rest = { previousStatus: 'PENDING', maxAttempts: 5, deadlineAt: new Date(), requestId: 'req_test' } as const
  await database.operation.create({ data: { ...operation, ...rest } })
}

describe('the number of SQL statements is the same for 1, 10 and 100 apps with 3 environments each', () => {
  const counted: Record<string, number[]> = {}
  for (const apps of [1, 10, 100]) {
    test(`${apps} apps`, async () => {
      for (const [what, fields] of Object.entries(FIELDS)) {
        counted[what] = [...(counted[what] ?? []), await count(apps, fields)]
        expect(counted[what], what).toEqual(counted[what].map(() => counted[what]?.[0]))
      }
    })
  }
})
