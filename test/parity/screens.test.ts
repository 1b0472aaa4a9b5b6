import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Served } from '../support/serve-world.ts'
import type { World } from '../support/world.ts'
import { type FurnishedWorld, furnishedWorld, type Place } from './read-cases.ts'

let furnished: FurnishedWorld
let world: World
let served: Served
let place: Place

beforeAll(async () => {
  furnished = await furnishedWorld()
  ;({ world, served, place } = furnished)
})

afterAll(() => furnished.close())

type Variables = Record<string, unknown>

/** What a page of a console shows, each as the one document that its author would write. */
const SCREENS: Readonly<Record<string, [document: string, variables: (place: Place) => Variables]>> = {
  overview: [
    `query ($account: ID!) {
      me { id username email }
      account(id: $account) { name plan budget { amount spent } apps { totalCount } }
      appEnvs(accountId: $account, first: 200, orderBy: NAME) {
        totalCount
        nodes { id name cliEnvName status health observedReason url app { id name type } region { name }
          currentDeployment { version image gitCommitId deployedAt } }
      }
      operations(accountId: $account, status: [QUEUED, RUNNING]) { nodes { id kind status appEnvId requester { username } } }
      failing: appEnvs(accountId: $account, health: [UNHEALTHY, DEGRADED]) { totalCount }
    }`,
    ({ accountId }) => ({ account: accountId }),
  ],
  environment: [
    `query ($env: ID!) {
      appEnv(id: $env) {
        id name status health observedAt observedReason url sleeping sleepReason
        app { id name type labels { key value } } account { id name } region { name }
        replicas { desired running ready } restarts { count lastAt lastReason }
        currentDeployment { id version image gitCommitId gitBranch deployedAt requester { username } }
        pendingChanges { hasBuildChanges hasDeployChanges changes { field } }
        operations(first: 5) { nodes { id kind status message requester { username } } }
        pods { name status restartCount startedAt }
        hosts { host url status reason }
        logs(first: 20) { nodes { timestamp message stream } }
        metrics { used { cpu memory } measuredAt }
      }
    }`,
    ({ appEnvId }) => ({ env: appEnvId }),
  ],
  deployments: [
    `query ($env: ID!, $after: String) {
      appEnv(id: $env) {
        deployments(first: 20, after: $after) {
          totalCount
          nodes { id version status reason message image gitBranch gitCommitId createdAt deployedAt canRollback
            cannotRollbackReason requester { username } promotedFrom { appEnvId version } }
          pageInfo { hasNextPage endCursor }
        }
      }
    }`,
    ({ appEnvId }) => ({ env: appEnvId }),
  ],
  logs: [
    `query ($env: ID!, $search: String) {
      logs(appEnvId: $env, first: 200, search: $search, level: [ERROR, WARNING]) {
        nodes { id timestamp level message text containerName stream } pageInfo { hasNextPage endCursor }
      }
    }`,
    ({ appEnvId }) => ({ env: appEnvId, search: 'refused' }),
  ],
  variables: [
    `query ($env: ID!) {
      appEnv(id: $env) { version variables { id name value type isSecret } pendingChanges { changes { field } } }
    }`,
    ({ appEnvId }) => ({ env: appEnvId }),
  ],
  metrics: [
    `query ($env: ID!) {
      metricSeriesList(appEnvId: $env, metrics: [CPU_PERCENT, MEMORY_PERCENT, REQUESTS, DURATION_P95]) {
        metric points { timestamp value }
      }
    }`,
    ({ appEnvId }) => ({ env: appEnvId }),
  ],
  database: [
    `query ($env: ID!) {
      appEnv(id: $env) {
        name credentials { username database internalUrl } backupSchedule { cron keepCount } nextBackupAt volume { volumeId path }
        backups { totalCount nodes { id kind status date finishedAt size verified operation { status message } } }
      }
    }`,
    ({ serviceEnvId }) => ({ env: serviceEnvId }),
  ],
  job: [
    `query ($env: ID!) {
      appEnv(id: $env) {
        jobSchedule { cron timeZone enabled nextRuns }
        jobRuns(first: 20) {
          totalCount
          nodes { id status trigger exitCode durationMs queuedAt requester { username } attempts { number exitCode } }
        }
      }
    }`,
    ({ jobEnvId }) => ({ env: jobEnvId }),
  ],
  solutions: [
    `query ($account: ID!) {
      solutions(accountId: $account) { solutionSlug name description category }
      installations(accountId: $account) {
        nodes { id appName status requester { username } components { key state appEnv { id status } operation { message } } }
      }
    }`,
    ({ accountId }) => ({ account: accountId }),
  ],
  activity: [
    `query ($account: ID!) {
      auditLog(accountId: $account, first: 20) {
        nodes { id action createdAt actorId targetType targetId changes { field before after } } pageInfo { endCursor }
      }
      events(accountId: $account, first: 20) { nodes { cursor type createdAt appEnv { name } operation { message } } }
    }`,
    ({ accountId }) => ({ account: accountId }),
  ],
  members: [
    `query ($account: ID!) {
      account(id: $account) {
        members { totalCount nodes { userId email roles appEnvIds user { username } } }
        invitations { nodes { id email roles status expiresAt } }
      }
    }`,
    ({ accountId }) => ({ account: accountId }),
  ],
  tokens: [
    `query ($account: ID!) {
      tokens { nodes { id name kind scopes lastUsedAt expiresAt } }
      authorizations { nodes { id clientName scopes status } }
      credentials(accountId: $account) { nodes { id name type isDefault checkedAt } }
    }`,
    ({ accountId }) => ({ account: accountId }),
  ],
  webhooks: [
    `query ($account: ID!, $webhook: ID!) {
      webhooks(accountId: $account) { nodes { id name address enabled disabledReason eventTypes } }
      webhookDeliveries(webhookId: $webhook, status: [FAILED, PENDING]) { nodes { id status eventType error lastAttemptAt } }
    }`,
    ({ accountId, webhookId }) => ({ account: accountId, webhook: webhookId }),
  ],
  gitHooks: [
    `query ($account: ID!) {
      gitHooks(accountId: $account) { nodes { id name provider path app { name } } }
      gitDeliveries(accountId: $account, first: 20) {
        nodes { id outcome repository branch pusher createdAt environments { appEnv { name } operation { status } } }
      }
    }`,
    ({ accountId }) => ({ account: accountId }),
  ],
  palette: [
    `query ($account: ID!, $text: String!) {
      search(accountId: $account, text: $text) { kind id name app { name } appEnv { status } }
    }`,
    ({ accountId }) => ({ account: accountId, text: 'cache' }),
  ],
  refresh: [
    `query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on AppEnv { status health } ... on Operation { progress: status message } } }`,
    ({ appEnvId, operationId }) => ({ ids: [appEnvId, operationId] }),
  ],
}

const costs: string[] = []

test.each(Object.entries(SCREENS))('%s is one request', async (name, [document, variables]) => {
  const query = document.replace(/\}\s*$/, ' requestCost { requested allowed } }')
  const response = await served.app.request('/graphql', {
    method: 'POST',
    headers: { authorization: world.adminToken, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: variables(place) }),
  })
  const { data, errors } = (await response.json()) as {
    data: { requestCost: { requested: number; allowed: number } }
    errors?: { message: string }[]
  }
  expect(errors?.map(({ message }) => message)).toBeUndefined()
  const { requested, allowed } = data.requestCost
  costs.push(`${name}: 1 request, ${requested} objects of ${allowed}`)
  // The rest is for what a page shows besides.
  expect(requested).toBeLessThan(allowed / 2)
})

afterAll(() => console.info(costs.join('\n')))
