import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schema } from '../../src/api/graphql/schema.ts'
import type { AnyCommand } from '../../src/calls/command.ts'
import { revokeInvitation } from '../../src/services/account/invitation-commands.ts'
import { removeMember } from '../../src/services/account/member-commands.ts'
import { deleteApp } from '../../src/services/app/delete-app.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { deleteAutoDeploy } from '../../src/services/auto-deploy/auto-deploy-commands.ts'
import { deleteCredential } from '../../src/services/credential/delete-credential.ts'
import { deleteGitHook } from '../../src/services/git-hook/git-hook-commands.ts'
import { deleteJobSchedule } from '../../src/services/job-schedule/schedule-commands.ts'
import { revokeAuthorization } from '../../src/services/oauth/authorization-commands.ts'
import { deletePullRequestEnvs } from '../../src/services/pull-request-envs/pull-request-envs-commands.ts'
import { removeInstallation } from '../../src/services/solution/remove-installation.ts'
import { revokeToken } from '../../src/services/token/token-commands.ts'
import { deleteBudget } from '../../src/services/usage/budget-commands.ts'
import { deleteWebhook } from '../../src/services/webhook/webhook-commands.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { readGraphQL, readMcp, readRest } from './read-apis.ts'
import { CASES, furnish, type Place } from './read-cases.ts'

let world: World
let served: Served
let cells = 0

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
})

afterAll(async () => {
  await served.close()
  await world.close()
  console.info(`gone: ${cells} cells`)
})

type Key = Exclude<keyof Place, 'tokens'>

interface Deletion {
  what: string
  command: AnyCommand
  input: (place: Place) => Record<string, unknown>
  /** Ids of which nothing may be found any more. */
  gone: Key[]
  /** Reads that are gone, of what is there still. */
  reads?: string[]
}

/** Every call that takes something away, and all that goes with it. */
const DELETIONS: Deletion[] = [
  {
    what: 'an environment',
    command: deleteAppEnv,
    input: ({ appEnvId }) => ({ appEnvId }),
    gone: ['appEnvId', 'contentId', 'hostId', 'tokenId'],
  },
  {
    what: 'an app',
    command: deleteApp,
    input: ({ appId }) => ({ appId }),
    gone: ['appId', 'appEnvId', 'contentId', 'hostId', 'tokenId'],
  },
  {
    what: 'an environment of a job',
    command: deleteAppEnv,
    input: ({ jobEnvId }) => ({ appEnvId: jobEnvId }),
    gone: ['jobEnvId', 'jobRunId'],
  },
  {
    what: 'an environment of a managed service',
    command: deleteAppEnv,
    input: ({ serviceEnvId }) => ({ appEnvId: serviceEnvId }),
    gone: ['serviceEnvId'],
  },
  {
    what: 'an app that is built from git',
    command: deleteApp,
    input: ({ gitAppId }) => ({ appId: gitAppId }),
    gone: ['gitAppId', 'gitEnvId'],
  },
  {
    what: 'an installation',
    command: removeInstallation,
    input: ({ installationId }) => ({ installationId }),
    gone: ['installationId'],
  },
  {
    what: 'a credential',
    command: deleteCredential,
    input: ({ credentialId }) => ({ credentialId }),
    gone: ['credentialId'],
  },
  {
    what: 'a webhook',
    command: deleteWebhook,
    input: ({ webhookId }) => ({ webhookId }),
    gone: ['webhookId', 'deliveryId'],
  },
  { what: 'a git hook', command: deleteGitHook, input: ({ gitHookId }) => ({ gitHookId }), gone: ['gitHookId'] },
  {
    what: 'a member',
    command: removeMember,
    input: ({ accountId, userId }) => ({ accountId, userId }),
    gone: ['userId'],
  },
  {
    what: 'a budget',
    command: deleteBudget,
    input: ({ accountId }) => ({ accountId }),
    gone: [],
    reads: ['getBudget'],
  },
  {
    what: 'a schedule',
    command: deleteJobSchedule,
    input: ({ jobEnvId }) => ({ appEnvId: jobEnvId }),
    gone: [],
    reads: ['getJobSchedule'],
  },
  {
    what: 'automatic deployment',
    command: deleteAutoDeploy,
    input: ({ gitEnvId }) => ({ appEnvId: gitEnvId }),
    gone: [],
    reads: ['getAutoDeploy'],
  },
  {
    what: 'the environments of pull requests',
    command: deletePullRequestEnvs,
    input: ({ gitAppId }) => ({ appId: gitAppId }),
    gone: [],
    reads: ['getPullRequestEnvs'],
  },
]

/** What can be read after it was taken away, and why. */
const STAYS: Readonly<Record<string, string>> = {
  'an environment of a managed service listBackups':
    'backups are kept for their own deletion, and are found by the id of the environment',
  'an environment listBackups': 'as those of a managed service: what never had any has none',
  'an app listBackups': 'as those of a managed service: what never had any has none',
  'an environment of a job listBackups': 'as those of a managed service: what never had any has none',
  'a git hook getGitDelivery': 'what a git host has sent is a log, which the account keeps',
}

/** Ended on purpose, and listed as such for a while: a list of what was given away has to show that it was taken back. */
const ENDED: [what: string, command: AnyCommand, key: Key, shown: object][] = [
  ['a token', revokeToken, 'tokenId', { revokedAt: expect.any(String) }],
  ['an invitation', revokeInvitation, 'invitationId', { status: 'REVOKED' }],
  ['an authorization', revokeAuthorization, 'authorizationId', { status: 'REVOKED' }],
]

/** The ids that a read is asked with. */
function keysOf(name: string, place: Place): Set<string> {
  const asked = new Set<string>()
  const watched = new Proxy(place, {
    get(target, key) {
      asked.add(String(key))
      return Reflect.get(target, key)
    },
  })
  CASES[name]?.query?.(watched)
  return asked
}

/** The subscriptions, each with the argument that names what it follows. */
const FOLLOWED: Readonly<Record<string, [argument: string, key: Key][]>> = {
  appEnvStatusChanged: [
    ['appEnvId', 'appEnvId'],
    ['appEnvId', 'jobEnvId'],
    ['appEnvId', 'serviceEnvId'],
    ['appEnvId', 'gitEnvId'],
  ],
  appEnvLogs: [
    ['appEnvId', 'appEnvId'],
    ['appEnvId', 'jobEnvId'],
  ],
  metrics: [['appEnvId', 'appEnvId']],
  buildLogs: [['appEnvId', 'appEnvId']],
  jobRunChanged: [['jobRunId', 'jobRunId']],
  installationChanged: [['installationId', 'installationId']],
  accountEvents: [],
  operationProgress: [],
}

async function follow(subscription: string, argument: string, id: string): Promise<string> {
  const response = await served.app.request('/graphql', {
    method: 'POST',
    headers: { authorization: world.adminToken, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: `subscription { ${subscription}(${argument}: "${id}") { __typename } }` }),
    signal: AbortSignal.timeout(20_000),
  })
  return response.text()
}

test('every subscription is asked, or follows what cannot be deleted or outlives it', () => {
  const all = Object.keys(schema.getSubscriptionType()?.getFields() ?? {})
  expect(all.filter((name) => !(name in FOLLOWED))).toEqual([])
})

describe.each(DELETIONS.map((one) => [one.what, one] as const))('after %s was deleted', (what, deletion) => {
  test('every read, node and subscription by each of its ids finds nothing', async () => {
    const place = await furnish(world)
    const { command, input, gone, reads = [] } = deletion
    await world.perform(command, input(place))
    const asked = Object.keys(CASES).filter(
      (name) => reads.includes(name) || gone.some((key) => keysOf(name, place).has(key)),
    )
    expect(asked).not.toEqual([])
    for (const name of asked.filter((one) => !(`${what} ${one}` in STAYS))) {
      const { query, field } = CASES[name] as (typeof CASES)[string]
      const codes = {
        rest: (await readRest(served, world.adminToken, name, query?.(place))).code,
        graphql: (await readGraphQL(served, world.adminToken, field(place))).code,
        mcp: (await readMcp(served, world.adminToken, name, query?.(place))).code,
      }
      expect([name, codes]).toEqual([name, { rest: 'NOT_FOUND', graphql: 'NOT_FOUND', mcp: 'NOT_FOUND' }])
      cells += 3
    }
    for (const key of gone) {
      const { code } = await readGraphQL(served, world.adminToken, `node(id: "${place[key]}") { id }`)
      expect([key, code]).toEqual([key, 'NOT_FOUND'])
      cells += 1
    }
    for (const [subscription, follows] of Object.entries(FOLLOWED))
      for (const [argument, key] of follows.filter(([, one]) => gone.includes(one))) {
        expect(await follow(subscription, argument, place[key]), subscription).toContain('"code":"NOT_FOUND"')
        cells += 1
      }
  })
})

test.each(ENDED)('%s that was taken back says so', async (_what, command, key, shown) => {
  const place = await furnish(world)
  await world.perform(command, { [key]: place[key] })
  const [name] = Object.entries(CASES).find(([one]) => one.startsWith('get') && keysOf(one, place).has(key)) ?? ['']
  const { body } = await readRest(served, world.adminToken, name, { [key]: place[key] })
  expect(body).toMatchObject(shown)
})
