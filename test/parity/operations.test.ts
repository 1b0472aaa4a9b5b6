import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Served } from '../support/serve-world.ts'
import type { World } from '../support/world.ts'
import { type FurnishedWorld, furnishedWorld, type Place } from './read-cases.ts'

let furnished: FurnishedWorld
let world: World
let served: Served
let place: Place & { staging: string; versions: string[] }

beforeAll(async () => {
  furnished = await furnishedWorld()
  ;({ world, served } = furnished)
  const { appEnvId, appId, accountId } = furnished.place
  const { appEnvId: staging } = await world.appEnv({ appId, accountId, name: 'staging' })
  await world.deploy(staging, 'shop:rc')
  const contents = await world.database.content.findMany({ where: { appEnvId }, orderBy: { version: 'asc' } })
  await world.database.content.updateMany({ where: { appEnvId }, data: { imageDigest: 'shop@sha256:abc' } })
  for (const { id } of await world.operationsOf(furnished.place.serviceEnvId)) await world.endOperation(id)
  const content = contents.at(-1)
  const { rolloutId } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  const replica = {
    name: 'shop-0',
    appEnvId,
    contentId: content?.id ?? '',
    rolloutId: rolloutId ?? '',
    index: 0,
    containerId: 'c0',
  }
  await world.database.replica.create({ data: { ...replica, address: '127.0.0.1', port: 80, state: 'READY' } })
  place = { ...furnished.place, staging, versions: contents.map(({ id }) => id) }
})

afterAll(() => furnished.close())

type Variables = Record<string, unknown>
type Operation = readonly [document: string, variables: (of: typeof place) => Variables]

const AN_HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString()

/** What scripts, partners and consoles do most, each as the one document of one request that does it. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  'create an app and deploy it': [
    `mutation ($input: CreateAppInput!) {
      createApp(input: $input) { app { id } appEnv { id url status } operation { id status } }
    }`,
    ({ accountId }) => ({
      input: {
        accountId,
        name: 'New',
        port: 80,
        useImage: true,
        image: 'nginx:alpine',
        appEnv: { name: 'production' },
      },
    }),
  ],
  'create a database': [
    `mutation ($input: CreateAppInput!) {
      createApp(input: $input) { appEnv { id credentials { internalUrl } } operation { kind } }
    }`,
    ({ accountId }) => ({
      input: { accountId, name: 'Orders', dockerPreset: 'POSTGRESQL', appEnv: { name: 'main', disk: 2048 } },
    }),
  ],
  'deploy an image': [
    `mutation ($env: ID!) {
      deployImage(input: { appEnvId: $env, image: "shop:2", idempotencyKey: "build-77" }) {
        message operation { id status deployment { version image } }
      }
    }`,
    ({ appEnvId }) => ({ env: appEnvId }),
  ],
  'see how a deployment ends': [
    `query ($id: ID!) {
      operation(id: $id) { kind status reason message startedAt finishedAt steps { name detail finishedAt } appEnv { name url } }
    }`,
    ({ operationId }) => ({ id: operationId }),
  ],
  'list what runs, with its version': [
    `query ($account: ID!) {
      appEnvs(accountId: $account, status: [RUNNING, UPDATING], orderBy: NAME) {
        totalCount nodes { id name status url app { name } currentDeployment { version image gitCommit { message author } } }
      }
    }`,
    ({ accountId }) => ({ account: accountId }),
  ],
  'find what is not well': [
    `query ($account: ID!) {
      appEnvs(accountId: $account, health: [UNHEALTHY, DEGRADED, UNKNOWN]) { nodes { cliEnvName health observedReason } }
    }`,
    ({ accountId }) => ({ account: accountId }),
  ],
  'list apps by a label': [
    `query ($account: ID!) {
      apps(accountId: $account, labels: ["team=checkout"]) { nodes { name labels { key value } } }
    }`,
    ({ accountId }) => ({ account: accountId }),
  ],
  'label an app': [
    `mutation ($app: ID!) {
      updateApp(input: { appId: $app, labels: [{ key: "team", value: "checkout" }] }) { app { labels { key value } } }
    }`,
    ({ appId }) => ({ app: appId }),
  ],
  'see what is pending': [
    `query ($env: ID!) { appEnv(id: $env) { pendingChanges { hasBuildChanges changes { kind field from to } } } }`,
    ({ appEnvId }) => ({ env: appEnvId }),
  ],
  'compare two versions': [
    `query ($from: ID!, $to: ID!) {
      difference(fromContentId: $from, toContentId: $to) { changes { field from to } }
    }`,
    ({ versions }) => ({ from: versions[0], to: versions[1] }),
  ],
  'compare staging and production': [
    `query ($from: ID!, $to: ID!) {
      difference(fromAppEnvId: $from, toAppEnvId: $to) { hasScaleChanges changes { field from to } }
    }`,
    ({ staging, appEnvId }) => ({ from: staging, to: appEnvId }),
  ],
  'read what a version runs with': [
    `query ($id: ID!) {
      deployment(id: $id) {
        version gitCommitId configuration { port cpu memory startupConfig { command } variables { name value isSecret } }
      }
    }`,
    ({ contentId }) => ({ id: contentId }),
  ],
  'promote a version': [
    `mutation ($to: ID!, $from: ID!) {
      promoteDeployment(input: { appEnvId: $to, fromAppEnvId: $from }) { message operation { id } }
    }`,
    ({ appEnvId, staging }) => ({ to: appEnvId, from: staging }),
  ],
  'roll back': [
    `mutation ($env: ID!, $version: ID!) {
      rollbackAppEnv(input: { appEnvId: $env, targetContentId: $version, dryRun: true }) { message dryRun }
    }`,
    ({ appEnvId, versions }) => ({ env: appEnvId, version: versions[0] }),
  ],
  restart: [
    `mutation ($env: ID!) { restartAppEnv(input: { appEnvId: $env }) { message operation { id kind } } }`,
    ({ staging }) => ({ env: staging }),
  ],
  'set variables and apply them': [
    `mutation ($env: ID!) {
      changeVariables(input: {
        appEnvId: $env, variables: [{ name: "COLOUR", value: "blue" }, { name: "TOKEN", value: "x", isSecret: true }]
        applyImmediately: true
      }) { variables { name value } appliedImmediately operation { id } }
    }`,
    ({ appEnvId }) => ({ env: appEnvId }),
  ],
  'scale and size': [
    `mutation ($env: ID!) {
      changeScaling(input: { appEnvId: $env, containers: 3 }) { appEnv { resources { containers } } message }
      changeResources(input: { appEnvId: $env, cpu: 0.5, memory: 300 }) { appEnv { resources { cpu memory } } }
    }`,
    ({ staging }) => ({ env: staging }),
  ],
  'add a host': [
    `mutation ($env: ID!) {
      addHost(input: { appEnvId: $env, host: "shop.example.com" }) { hostId status cname txtName txtValue }
    }`,
    ({ appEnvId }) => ({ env: appEnvId }),
  ],
  'read errors of several environments': [
    `query ($envs: [ID!]!, $from: DateTime!) {
      logs(appEnvIds: $envs, level: [ERROR], from: $from, first: 100) { nodes { timestamp level message appEnv { name } } }
    }`,
    ({ appEnvId, staging }) => ({ envs: [appEnvId, staging], from: AN_HOUR_AGO }),
  ],
  'read requests and their times': [
    `query ($env: ID!, $from: DateTime!) {
      metricSeriesList(appEnvId: $env, metrics: [REQUESTS, DURATION_P95, CPU_PERCENT], from: $from) {
        metric points { timestamp value }
      }
    }`,
    ({ appEnvId }) => ({ env: appEnvId, from: AN_HOUR_AGO }),
  ],
  'open a terminal': [
    `mutation ($env: ID!) {
      createExec(input: { appEnvId: $env, command: ["sh"], terminal: true, dryRun: true }) { dryRun changes }
    }`,
    ({ appEnvId }) => ({ env: appEnvId }),
  ],
  'run a job': [
    `mutation ($env: ID!) {
      createJobRun(input: { appEnvId: $env, command: "import", args: ["--all"] }) { jobRun { id status trigger } }
    }`,
    ({ jobEnvId }) => ({ env: jobEnvId }),
  ],
  'schedule a job': [
    `mutation ($env: ID!) {
      setJobSchedule(input: { appEnvId: $env, cron: "0 5 * * *", timeZone: "Europe/Berlin" }) {
        jobSchedule { cron nextRuns }
      }
    }`,
    ({ jobEnvId }) => ({ env: jobEnvId }),
  ],
  'back up a database': [
    `mutation ($env: ID!) { backUpAppEnv(input: { appEnvId: $env, dryRun: true }) { message dryRun } }`,
    ({ serviceEnvId }) => ({ env: serviceEnvId }),
  ],
  'read cost and budget': [
    `query ($account: ID!) {
      usage(accountId: $account) { currency total forecast totals { kind amount } }
      budget(accountId: $account) { amount spent }
    }`,
    ({ accountId }) => ({ account: accountId }),
  ],
  'invite a person': [
    `mutation ($account: ID!) {
      createInvitation(input: { accountId: $account, email: "ann@example.com", roles: [TECHNICAL] }) {
        invitation { id status expiresAt } invitationUrl
      }
    }`,
    ({ accountId }) => ({ account: accountId }),
  ],
  'create a token for CI': [
    `mutation ($env: ID!) {
      createToken(input: { kind: ENVIRONMENT, appEnvId: $env, name: "ci" }) { secret token { id kind } }
    }`,
    ({ appEnvId }) => ({ env: appEnvId }),
  ],
  'send deployments to a webhook': [
    `mutation ($account: ID!) {
      createWebhook(input: {
        accountId: $account, name: "Deployments", url: "https://example.com/hook", eventTypes: [OPERATION_SUCCEEDED, OPERATION_FAILED]
      }) { webhook { id eventTypes } secret }
    }`,
    ({ accountId }) => ({ account: accountId }),
  ],
  'read who changed what': [
    `query ($account: ID!, $env: ID!) {
      auditLog(accountId: $account, targetId: $env, first: 20) {
        nodes { action actorType createdAt changes { type field before after } }
      }
    }`,
    ({ accountId, appEnvId }) => ({ account: accountId, env: appEnvId }),
  ],
  'install a solution': [
    `mutation ($account: ID!) {
      installSolution(input: { accountId: $account, solutionSlug: "verdaccio", appName: "Packages", dryRun: true }) { dryRun changes }
    }`,
    ({ accountId }) => ({ account: accountId }),
  ],
  'find anything by a part of its name': [
    `query ($account: ID!) { search(accountId: $account, text: "app") { kind id name } }`,
    ({ accountId }) => ({ account: accountId }),
  ],
}

test.each(Object.entries(OPERATIONS))('%s: one document, one request', async (_name, [document, variables]) => {
  const response = await served.app.request('/graphql', {
    method: 'POST',
    headers: { authorization: world.adminToken, 'content-type': 'application/json' },
    body: JSON.stringify({ query: document, variables: variables(place) }),
  })
  const { data, errors } = (await response.json()) as { data?: object; errors?: { message: string }[] }
  expect(errors?.map(({ message }) => message)).toBeUndefined()
  expect(data).toBeTruthy()
})

test('there are 31 of them', () => expect(Object.keys(OPERATIONS)).toHaveLength(31))
