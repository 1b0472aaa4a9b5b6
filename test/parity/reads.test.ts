import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/domain/ids.ts'
import { createCredential } from '../../src/services/credential/credential-commands.ts'
import { createJobRun } from '../../src/services/job-run/create-job-run.ts'
import { setJobSchedule } from '../../src/services/job-schedule/schedule-commands.ts'
import { installSolution } from '../../src/services/solution/install-solution.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { type Answer, type Query, readGraphQL, readMcp, readRest, reads } from './read-apis.ts'

/** Ids of one thing of each kind, all of one account. */
type Place = Awaited<ReturnType<typeof furnish>>

interface ReadCase {
  query?: (place: Place) => Query
  field: (place: Place) => string
}

const byId =
  (key: keyof Place, field: string, fields = 'id'): ReadCase['field'] =>
  (place) =>
    `${field}(id: "${place[key]}") { ${fields} }`

/** `{ appEnvId }` in REST, `appEnvId:` in GraphQL. */
const below = (key: 'accountId' | 'appEnvId', field: string, fields = 'nodes { id }'): ReadCase => ({
  query: (place) => ({ [key]: place[key] }),
  field: (place) => `${field}(${key}: "${place[key]}") { ${fields} }`,
})

/** Every GET of REST by its operationId, and the field of GraphQL that reads the same. */
const CASES: Record<string, ReadCase> = {
  getApp: { query: ({ appId }) => ({ appId }), field: byId('appId', 'app') },
  listApps: below('accountId', 'apps'),
  getAppEnv: { query: ({ appEnvId }) => ({ appEnvId }), field: byId('appEnvId', 'appEnv', 'id preventDestroy') },
  listAppEnvs: below('accountId', 'appEnvs'),
  getAppEnvStatus: {
    query: ({ appEnvId }) => ({ appEnvId }),
    field: byId('appEnvId', 'appEnv', 'status url health replicas { ready } latestDeployment { version }'),
  },
  getVariables: {
    query: ({ appEnvId }) => ({ appEnvId }),
    field: byId('appEnvId', 'appEnv', 'variables { id name value type isSecret }'),
  },
  getServiceCredentials: {
    query: ({ serviceEnvId }) => ({ appEnvId: serviceEnvId }),
    field: byId('serviceEnvId', 'appEnv', 'credentials { username password database internalUrl externalUrl }'),
  },
  listHosts: {
    query: ({ appEnvId }) => ({ appEnvId }),
    field: byId('appEnvId', 'appEnv', 'hosts { id host url status reason }'),
  },
  getHost: {
    query: ({ appEnvId, hostId }) => ({ appEnvId, hostId }),
    field: byId('appEnvId', 'appEnv', 'hosts { id host status }'),
  },
  listBackups: below('appEnvId', 'backups'),
  listVolumes: below('accountId', 'volumes'),
  getJobRun: { query: ({ jobRunId }) => ({ jobRunId }), field: byId('jobRunId', 'jobRun', 'id status trigger') },
  listJobRuns: {
    query: ({ jobEnvId }) => ({ appEnvId: jobEnvId }),
    field: ({ jobEnvId }) => `jobRuns(appEnvId: "${jobEnvId}") { nodes { id } }`,
  },
  getJobSchedule: {
    query: ({ jobEnvId }) => ({ appEnvId: jobEnvId }),
    field: ({ jobEnvId }) => `jobSchedule(appEnvId: "${jobEnvId}") { cron revision }`,
  },
  getAppEnvHistory: below('appEnvId', 'deployments', 'nodes { version canRollback cannotRollbackReason }'),
  getAppEnvToken: below('appEnvId', 'appEnvToken', 'tokenId cliEnvName'),
  listPods: below('appEnvId', 'pods', 'name status lastTermination { exitCode outOfMemory }'),
  getMetrics: below(
    'appEnvId',
    'metrics',
    'used { cpu memory } resources { cpu { allocated used usagePercent updatedAt } } containers { ready } measuredAt',
  ),
  getMetricsSeries: {
    query: ({ appEnvId }) => ({ appEnvId, metric: 'cpu_percent' }),
    field: ({ appEnvId }) => `metricsSeries(appEnvId: "${appEnvId}", metric: CPU_PERCENT) { timestamp value }`,
  },
  listLogs: below('appEnvId', 'logs', 'nodes { message stream }'),
  getOperation: { query: ({ operationId }) => ({ operationId }), field: byId('operationId', 'operation') },
  listOperations: below('appEnvId', 'operations'),
  getAccount: { query: ({ accountId }) => ({ accountId }), field: byId('accountId', 'account') },
  listAudit: below('accountId', 'auditLog'),
  listAccounts: { field: () => 'accounts { nodes { id } }' },
  listRegions: below('accountId', 'regions', 'code'),
  listDatabasePresets: {
    field: () => 'databasePresets { dockerPreset versions { image } limits { disk { max } } settings { name min } }',
  },
  getMember: {
    query: ({ accountId, userId }) => ({ accountId, userId }),
    field: ({ accountId, userId }) => `member(accountId: "${accountId}", userId: "${userId}") { userId email roles }`,
  },
  listSolutions: {
    query: ({ accountId }) => ({ accountId }),
    field: ({ accountId }) => `solutions(accountId: "${accountId}") { solutionSlug components { key type } }`,
  },
  getInstallation: {
    query: ({ installationId }) => ({ installationId }),
    field: byId('installationId', 'installation', 'id status components { key state }'),
  },
  listInstallations: below('accountId', 'installations'),
  listMembers: below('accountId', 'members', 'nodes { userId }'),
  getCredential: {
    query: ({ credentialId }) => ({ credentialId }),
    field: byId('credentialId', 'credential', 'id data version'),
  },
  listCredentials: below('accountId', 'credentials'),
  getToken: { query: ({ tokenId }) => ({ tokenId }), field: byId('tokenId', 'token', 'id kind scopes') },
  listTokens: below('appEnvId', 'tokens'),
  getUserToken: { field: () => 'userToken { tokenId kind scopes userId username email currentAccountId }' },
}

async function furnish(world: World) {
  const { appEnvId, appId, accountId } = await world.appEnv({ accountId: await world.account() })
  await world.deploy(appEnvId)
  const [operation] = await world.operationsOf(appEnvId)
  const database = { name: 'Cache', dockerPreset: 'REDIS', port: undefined, useImage: undefined, image: undefined }
  const { appEnvId: serviceEnvId } = await world.appEnv({ accountId, app: database })
  const job = { name: 'Import', dockerPreset: 'JOB', port: undefined, jobConfig: { command: 'import' } }
  const { appEnvId: jobEnvId } = await world.appEnv({ accountId, app: job })
  await world.deploy(jobEnvId)
  const { jobRunId } = await world.perform(createJobRun, { appEnvId: jobEnvId })
  await world.perform(setJobSchedule, { appEnvId: jobEnvId, cron: '0 4 * * *' })
  const { userId } = await world.user({ accountId })
  const { tokenId, token: ofAppEnv } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
  const login = { accountId, type: 'BASIC_AUTH', name: 'login', data: { username: 'ann', password: 'secret' } }
  const { credentialId } = await world.perform(createCredential, login)
  const solution = { accountId, solutionSlug: 'verdaccio', appName: 'Registry', region: 'local' }
  const { installationId } = await world.perform(installSolution, solution)
  const audit = await world.user({ accountId, roles: ['AUDIT'] })
  const restricted = await world.user({ accountId, roles: ['ADMIN'], appEnvIds: [] })
  const stranger = await world.user({ accountId: await world.account() })
  const tokens = { ofAppEnv, auditor: audit.token, restricted: restricted.token, stranger: stranger.token }
  return {
    ...{ jobEnvId, jobRunId, installationId },
    ...{ appEnvId, serviceEnvId, appId, accountId, userId, tokenId, credentialId, operationId: operation?.id ?? '' },
    contentId: operation?.contentId ?? '',
    hostId: (await world.database.host.findFirstOrThrow({ where: { appEnvId } })).id,
    tokens: { admin: world.adminToken, ...tokens },
  }
}

let world: World
let served: Served
let place: Place

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  place = await furnish(world)
})

afterAll(async () => {
  await served.close()
  await world.close()
})

/** A refusal has an id of its own each time; metrics say when they were read. */
const withoutMoment = ({ body: { requestId: _id, timestamp: _now, ...body }, code }: Answer) => ({ body, code })

async function throughBoth(name: string, at: Place, token: string) {
  const { query, field } = CASES[name] as ReadCase
  const rest = await readRest(served, token, name, query?.(at))
  return { rest, graphql: await readGraphQL(served, token, field(at)) }
}

test('every GET of REST has its field in GraphQL', () => {
  expect(Object.keys(CASES).sort()).toEqual(reads.map(({ name }) => name).sort())
})

describe.each(Object.keys(CASES))('%s', (name) => {
  test('is granted and refused alike through both APIs', async () => {
    for (const [who, token] of Object.entries(place.tokens)) {
      const { rest, graphql } = await throughBoth(name, place, token)
      expect(graphql.code, who).toBe(rest.code)
      if (who === 'admin') expect([rest.code, graphql.body]).toEqual([null, expect.anything()])
      if (who === 'stranger' && CASES[name]?.query) expect(rest.code).toBe('FORBIDDEN')
    }
  })

  test('is NOT_FOUND through both APIs when it does not exist', async () => {
    if (!CASES[name]?.query) return
    const unknown = Object.entries(place).map(([key, id]) => {
      return [key, typeof id === 'string' ? newId(id.split('_')[0] as 'app') : id]
    })
    const { rest, graphql } = await throughBoth(name, Object.fromEntries(unknown), world.adminToken)
    expect([rest.code, graphql.code]).toEqual(['NOT_FOUND', 'NOT_FOUND'])
  })
})

test.each(Object.keys(CASES))('%s has the same body through MCP, and is refused in the same words', async (name) => {
  for (const [who, token] of Object.entries(place.tokens)) {
    const query = CASES[name]?.query?.(place)
    const rest = await readRest(served, token, name, query)
    const mcp = await readMcp(served, token, name, query)
    expect(withoutMoment(mcp), who).toEqual(withoutMoment(rest))
  }
})

test('everything with an id is found as a node', async () => {
  const { appEnvId, appId, accountId, tokenId, credentialId, operationId } = place
  for (const id of [appEnvId, appId, accountId, tokenId, credentialId, operationId]) {
    const { code, body } = await readGraphQL(served, world.adminToken, `node(id: "${id}") { id }`)
    expect([code, body]).toEqual([null, { id }])
  }
})

test('both APIs answer the same about the caller, a token and an environment’s token', async () => {
  const own = await throughBoth('getUserToken', place, place.tokens.auditor)
  expect(own.rest.body).toMatchObject(own.graphql.body)
  const appEnv = await throughBoth('getAppEnvToken', place, world.adminToken)
  expect(appEnv.rest.body).toMatchObject(appEnv.graphql.body)
  expect(appEnv.graphql.body.tokenId).toBe(place.tokenId)
  const { id, ...token } = (await throughBoth('getToken', place, world.adminToken)).graphql.body
  expect({ id, ...token }).toEqual({ id: place.tokenId, kind: 'ENVIRONMENT', scopes: [] })
  const member = await throughBoth('getMember', place, world.adminToken)
  expect(member.rest.body).toMatchObject(member.graphql.body)
})

test('operations are newest first in both APIs, page after page', async () => {
  const { appEnvId } = await world.appEnv()
  for (let index = 0; index < 5; index += 1) await world.deploy(appEnvId, `nginx:${index}`)
  const newestFirst = (await world.operationsOf(appEnvId)).map(({ id }) => id).reverse()
  const rest: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query = { appEnvId, limit: '2', ...(cursor ? { cursor } : {}) }
    const { body } = await readRest(served, world.adminToken, 'listOperations', query)
    rest.push(...body.operations.map(({ operationId }: { operationId: string }) => operationId))
    cursor = body.nextCursor
  }
  const graphql: string[] = []
  for (let after: string | null = ''; after !== null; ) {
    const field = `operations(appEnvId: "${appEnvId}", first: 2${after ? `, after: "${after}"` : ''}) {
      nodes { id } pageInfo { hasNextPage endCursor }
    }`
    const { body } = await readGraphQL(served, world.adminToken, field)
    graphql.push(...body.nodes.map(({ id }: { id: string }) => id))
    after = body.pageInfo.hasNextPage ? body.pageInfo.endCursor : null
  }
  expect([rest, graphql]).toEqual([newestFirst, newestFirst])
})
