import { newId } from '../../src/domain/ids.ts'
import { createInvitation } from '../../src/services/account/invitation-commands.ts'
import { setAutoDeploy } from '../../src/services/auto-deploy/auto-deploy-commands.ts'
import { createCredential } from '../../src/services/credential/credential-commands.ts'
import { createGitHook } from '../../src/services/git-hook/git-hook-commands.ts'
import { createJobRun } from '../../src/services/job-run/create-job-run.ts'
import { setJobSchedule } from '../../src/services/job-schedule/schedule-commands.ts'
import { setPullRequestEnvs } from '../../src/services/pull-request-envs/pull-request-envs-commands.ts'
import { installSolution } from '../../src/services/solution/install-solution.ts'
import { inspectSource } from '../../src/services/source/inspect-source.ts'
import { setBudget } from '../../src/services/usage/budget-commands.ts'
import { createWebhook } from '../../src/services/webhook/webhook-commands.ts'
import { advertisedRepository, REACHABLE_REPOSITORY } from '../support/advertised-branches.ts'
import { authorised } from '../support/authorization.ts'
import { receivedDelivery } from '../support/git-delivery.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { endedDelivery } from '../support/webhook-delivery.ts'
import { createWorld, type World } from '../support/world.ts'
import type { Query } from './read-apis.ts'

/** Ids of one thing of each kind, all of one account. */
export type Place = Awaited<ReturnType<typeof furnish>>

export interface ReadCase {
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
export const CASES: Record<string, ReadCase> = {
  getApp: { query: ({ appId }) => ({ appId }), field: byId('appId', 'app') },
  listApps: below('accountId', 'apps'),
  getAppEnv: { query: ({ appEnvId }) => ({ appEnvId }), field: byId('appEnvId', 'appEnv', 'id preventDestroy') },
  listAppEnvs: below('accountId', 'appEnvs'),
  getAppEnvReferences: below('appEnvId', 'referencedBy', 'appEnvs { appEnvId envName variables { name } } otherCount'),
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
  getHostDns: {
    query: ({ appEnvId, hostId }) => ({ appEnvId, hostId }),
    field: ({ appEnvId, hostId }) =>
      `hostDns(appEnvId: "${appEnvId}", hostId: "${hostId}") { hostId host leadsHere answers { a } certificate { state } }`,
  },
  getBackup: { query: ({ backupKey }) => ({ backupKey }), field: byId('backupKey', 'backup', 'id kind status date') },
  listBackups: below('appEnvId', 'backups'),
  getVolume: { query: ({ volumeId }) => ({ volumeId }), field: byId('volumeId', 'volume', 'id path isAttached') },
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
  getDeploymentConfiguration: {
    query: ({ contentId }) => ({ contentId }),
    field: ({ contentId }) =>
      `deploymentConfiguration(contentId: "${contentId}") { version image cpu memory variables { name value } }`,
  },
  getDifference: {
    query: ({ contentId, appEnvId }) => ({ fromContentId: contentId, toAppEnvId: appEnvId }),
    field: ({ contentId, appEnvId }) =>
      `difference(fromContentId: "${contentId}", toAppEnvId: "${appEnvId}") { hasDeployChanges changes { field from to } }`,
  },
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
  getLogsDownload: {
    query: ({ appEnvId }) => ({ appEnvId }),
    field: ({ appEnvId }) => `logsDownload(appEnvId: "${appEnvId}") { url expiresAt }`,
  },
  getOperation: { query: ({ operationId }) => ({ operationId }), field: byId('operationId', 'operation') },
  listOperations: below('appEnvId', 'operations'),
  getAccount: { query: ({ accountId }) => ({ accountId }), field: byId('accountId', 'account') },
  searchAccount: {
    query: ({ accountId }) => ({ accountId, text: 'App' }),
    field: ({ accountId }) => `search(accountId: "${accountId}", text: "App") { kind id name }`,
  },
  getAuditEntry: {
    query: ({ auditId }) => ({ auditId }),
    field: byId('auditId', 'auditEntry', 'id action sequence actorType'),
  },
  listAudit: below('accountId', 'auditLog'),
  listEvents: below('accountId', 'events', 'nodes { cursor type }'),
  getUsage: {
    query: ({ accountId }) => ({ accountId, from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }),
    field: ({ accountId }) => `usage(accountId: "${accountId}") { currency total forecast totals { kind amount } }`,
  },
  listStatements: below('accountId', 'statements', 'nodes { month total }'),
  getBudget: below('accountId', 'budget', 'amount currency spent alerts'),
  listAccounts: { field: () => 'accounts { nodes { id } }' },
  listSolutions: {
    query: ({ accountId }) => ({ accountId }),
    field: ({ accountId }) => `solutions(accountId: "${accountId}") { solutionSlug components { key type } }`,
  },
  getInstallation: {
    query: ({ installationId }) => ({ installationId }),
    field: byId('installationId', 'installation', 'id status components { key state }'),
  },
  listInstallations: below('accountId', 'installations'),
  listUsers: { field: () => 'users { nodes { id username email accountCount } }' },
  listPlans: { field: () => 'plans { code name maxZClouds }' },
  listMachines: { field: () => 'machines { regions engine cpus memoryMb loadAverage diskFreeMb measuredAt }' },
  listRegionEngines: { field: () => 'regionEngines { region engine engineReachable }' },
  listRegions: below('accountId', 'regions', 'code'),
  listDatabasePresets: {
    field: () => 'databasePresets { dockerPreset versions { image } limits { disk { max } } settings { name min } }',
  },
  getMember: {
    query: ({ accountId, userId }) => ({ accountId, userId }),
    field: ({ accountId, userId }) => `member(accountId: "${accountId}", userId: "${userId}") { userId email roles }`,
  },
  listMembers: below('accountId', 'members', 'nodes { userId }'),
  getInvitation: {
    query: ({ invitationId }) => ({ invitationId }),
    field: byId('invitationId', 'invitation', 'id email roles status'),
  },
  listInvitations: below('accountId', 'invitations'),
  getCredential: {
    query: ({ credentialId }) => ({ credentialId }),
    field: byId('credentialId', 'credential', 'id data { key value } version'),
  },
  listCredentialUsages: {
    query: ({ credentialId }) => ({ credentialId }),
    field: ({ credentialId }) => `credentialUsages(credentialId: "${credentialId}") { kind name count }`,
  },
  listCredentials: below('accountId', 'credentials'),
  getWebhook: { query: ({ webhookId }) => ({ webhookId }), field: byId('webhookId', 'webhook', 'id address version') },
  listWebhooks: below('accountId', 'webhooks'),
  getWebhookDelivery: {
    query: ({ deliveryId }) => ({ deliveryId }),
    field: byId('deliveryId', 'webhookDelivery', 'id status eventCursor'),
  },
  listWebhookAttempts: {
    query: ({ deliveryId }) => ({ deliveryId }),
    field: ({ deliveryId }) => `webhookAttempts(deliveryId: "${deliveryId}") { number durationMs error }`,
  },
  listWebhookDeliveries: {
    query: ({ webhookId }) => ({ webhookId }),
    field: ({ webhookId }) => `webhookDeliveries(webhookId: "${webhookId}") { nodes { id } }`,
  },
  getGitHook: { query: ({ gitHookId }) => ({ gitHookId }), field: byId('gitHookId', 'gitHook', 'id path version') },
  listGitHooks: below('accountId', 'gitHooks'),
  getGitDelivery: {
    query: ({ gitDeliveryId }) => ({ gitDeliveryId }),
    field: byId('gitDeliveryId', 'gitDelivery', 'id outcome environments { appEnvId operationId }'),
  },
  listGitDeliveries: below('accountId', 'gitDeliveries'),
  getGitBranches: {
    query: ({ accountId, gitRepo }) => ({ accountId, gitRepo }),
    field: ({ accountId, gitRepo }) =>
      `gitBranches(accountId: "${accountId}", gitRepo: "${gitRepo}") { url defaultBranch branches { name commit } isComplete }`,
  },
  getSourceInspection: {
    query: ({ inspectionId }) => ({ inspectionId }),
    field: ({ inspectionId }) => `sourceInspection(inspectionId: "${inspectionId}") { id url status preset ports }`,
  },
  getGitRepositories: below('accountId', 'gitRepositories', 'repositories { gitNamespace gitRepo } isComplete'),
  getAutoDeploy: {
    query: ({ gitEnvId }) => ({ appEnvId: gitEnvId }),
    field: ({ gitEnvId }) => `autoDeploy(appEnvId: "${gitEnvId}") { appEnvId userId watchPaths }`,
  },
  getBuildCache: {
    query: ({ appEnvId }) => ({ appEnvId }),
    field: ({ appEnvId }) => `buildCache(appEnvId: "${appEnvId}") { appEnvId sizeMb measuredAt clearRequestedAt }`,
  },
  getPullRequestEnvs: {
    query: ({ gitAppId }) => ({ appId: gitAppId }),
    field: ({ gitAppId }) => `pullRequestEnvs(appId: "${gitAppId}") { appId userId baseAppEnvId maxAppEnvs }`,
  },
  getToken: { query: ({ tokenId }) => ({ tokenId }), field: byId('tokenId', 'token', 'id kind scopes') },
  listTokens: below('appEnvId', 'tokens'),
  getAuthorization: {
    query: ({ authorizationId }) => ({ authorizationId }),
    field: byId('authorizationId', 'authorization', 'id clientName scopes status'),
  },
  listAuthorizations: { field: () => 'authorizations { nodes { id } }' },
  getUserToken: { field: () => 'userToken { tokenId kind scopes userId username email currentAccountId }' },
}

export async function furnish(world: World) {
  const { appEnvId, appId, accountId } = await world.appEnv({
    accountId: await world.account(),
    envVars: [{ name: 'GREETING', value: 'hello' }],
  })
  await world.deploy(appEnvId)
  const [operation] = await world.operationsOf(appEnvId)
  const database = { name: 'Cache', dockerPreset: 'REDIS', port: undefined, useImage: undefined, image: undefined }
  const { appEnvId: serviceEnvId } = await world.appEnv({ accountId, app: database })
  const job = { name: 'Import', dockerPreset: 'JOB', port: undefined, jobConfig: { command: 'import' } }
  const { appEnvId: jobEnvId } = await world.appEnv({ accountId, app: job })
  await world.deploy(jobEnvId)
  const { jobRunId } = await world.perform(createJobRun, { appEnvId: jobEnvId })
  await world.perform(setJobSchedule, { appEnvId: jobEnvId, cron: '0 4 * * *' })
  const solution = { accountId, solutionSlug: 'verdaccio', appName: 'Registry', region: 'local' }
  const { installationId } = await world.perform(installSolution, solution)
  const invited = { accountId, email: 'invited@example.com', roles: ['AUDIT'] }
  const { invitationId } = await world.perform(createInvitation, invited)
  const { authorizationId } = await authorised(world)
  const { userId } = await world.user({ accountId })
  const { tokenId, token: ofAppEnv } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
  const login = { accountId, type: 'BASIC_AUTH', name: 'login', data: { username: 'ann', password: 'secret' } }
  const { credentialId } = await world.perform(createCredential, login)
  const receiver = { accountId, name: 'Receiver', url: 'https://receiver.example.com/' }
  const { webhookId } = await world.perform(createWebhook, receiver)
  const deliveryId = await endedDelivery(world.database, webhookId)
  await world.perform(setBudget, { accountId, amount: '250' })
  const gitApp = { useImage: undefined, image: undefined, gitRepo: 'https://git.example.com/acme/shop' }
  const { appEnvId: gitEnvId, appId: gitAppId } = await world.appEnv({ accountId, app: gitApp, branch: 'main' })
  await world.perform(setPullRequestEnvs, { appId: gitAppId, baseAppEnvId: gitEnvId })
  await world.perform(setAutoDeploy, { appEnvId: gitEnvId })
  const gitHook = await world.perform(createGitHook, { accountId, provider: 'GITHUB', name: 'Hook' })
  const gitDeliveryId = await receivedDelivery(world, gitHook)
  const gitRepo = await advertisedRepository()
  const { inspectionId } = await world.perform(inspectSource, { accountId, gitRepo })
  const audit = await world.user({ accountId, roles: ['AUDIT'] })
  const restricted = await world.user({ accountId, roles: ['ADMIN'], appEnvIds: [] })
  const stranger = await world.user({ accountId: await world.account() })
  const operationId = operation?.id ?? ''
  const backupKey = await keptBackup(world, { accountId, appEnvId, operationId })
  const volume = await world.database.volume.findFirstOrThrow({ where: { appEnvId: serviceEnvId } })
  const [entry] = await world.auditOf(appEnvId)
  const variable = await world.database.variable.findFirstOrThrow({ where: { appEnvId } })
  const tokens = { ofAppEnv, auditor: audit.token, restricted: restricted.token, stranger: stranger.token }
  return {
    jobEnvId,
    jobRunId,
    installationId,
    invitationId,
    authorizationId,
    webhookId,
    deliveryId,
    gitAppId,
    gitEnvId,
    gitHookId: gitHook.gitHookId,
    gitDeliveryId,
    appEnvId,
    serviceEnvId,
    appId,
    accountId,
    userId,
    tokenId,
    credentialId,
    operationId,
    backupKey,
    volumeId: volume.id,
    auditId: entry?.id ?? '',
    variableId: variable.id,
    contentId: operation?.contentId ?? '',
    gitRepo,
    inspectionId,
    hostId: (await world.database.host.findFirstOrThrow({ where: { appEnvId } })).id,
    tokens: { admin: world.adminToken, ...tokens },
  }
}

/** A second one of each kind that a list has, after the first. */
export async function furnishAgain(world: World, place: Place) {
  const { accountId, appEnvId, jobEnvId, webhookId } = place
  const { perform, database } = world
  await world.deploy(appEnvId)
  await perform(createJobRun, { appEnvId: jobEnvId })
  await perform(installSolution, { accountId, solutionSlug: 'verdaccio', appName: 'Other', region: 'local' })
  await perform(createInvitation, { accountId, email: 'second@example.com', roles: ['AUDIT'] })
  await authorised(world)
  await world.token({ kind: 'ENVIRONMENT', appEnvId })
  const login = { accountId, type: 'BASIC_AUTH', name: 'second', data: { username: 'ann', password: 'secret' } }
  await perform(createCredential, login)
  await perform(createWebhook, { accountId, name: 'Second', url: 'https://second.example.com/' })
  await endedDelivery(database, webhookId)
  await receivedDelivery(world, await perform(createGitHook, { accountId, provider: 'GITHUB', name: 'Second' }))
  const volume = { path: '/data', diskMb: 1, regionCode: 'local' }
  for (const id of ['vol_01h455vb4pex5vsknk084sn02q', 'vol_01h455vb4pex5vsknk084sn03q'])
    await database.volume.create({ data: { id, accountId, appEnvId, cliEnvName: 'kept', ...volume } })
  await keptBackup(world, place)
}

async function keptBackup(
  { database }: World,
  { accountId, appEnvId, operationId }: Pick<Place, 'accountId' | 'appEnvId' | 'operationId'>,
): Promise<string> {
  const of = { accountId, appEnvId, operationId, cliEnvName: 'kept', presetVersion: 'REDIS_8', kind: 'MANUAL' as const }
  const id = newId('bak')
  await database.backup.create({ data: { id, sealedKey: 'sealed', ...of } })
  return id
}

export interface FurnishedWorld {
  world: World
  served: Served
  place: Place
  close(): Promise<void>
}

/** A world with two things of each kind that a list has, and its APIs. */
export async function furnishedWorld(): Promise<FurnishedWorld> {
  const world = await createWorld({ settings: REACHABLE_REPOSITORY })
  const served = serveWorld(world)
  const place = await furnish(world)
  await furnishAgain(world, place)
  return {
    world,
    served,
    place,
    async close() {
      await served.close()
      await world.close()
    },
  }
}
