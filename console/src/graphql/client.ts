import { cacheExchange } from '@urql/exchange-graphcache'
import { relayPagination } from '@urql/exchange-graphcache/extras'
import { Client, fetchExchange, subscriptionExchange } from 'urql'
import { socket } from './connection.ts'
import { persistentFetch } from './persistent-fetch.ts'

const list = relayPagination()

/**
 * One cache for all screens, by the id of each thing: what one screen reads of it is new on every other. Lists join their
 * pages.
 */
const cache = cacheExchange({
  // What is no thing of its own belongs to what it is read with. A change of the audit log has the id of what was changed.
  keys: Object.fromEntries(
    [
      'AuditChange',
      'BuildResources',
      'Budget',
      'CredentialUsage',
      'Data',
      'Event',
      'GitDeliveryEnvironment',
      'Machine',
      'Member',
      'Plan',
      'Region',
      'RegionEngine',
      'Usage',
      'UsageBuilds',
      'UsageLine',
      'UsageOfLabel',
      'UsageStatement',
      'UsageStatementLine',
      'UsageTotal',
      'WebhookAttempt',
    ].map((type) => [type, () => null]),
  ),
  resolvers: {
    Query: {
      accounts: list,
      appEnvs: list,
      apps: list,
      auditLog: list,
      authorizations: list,
      backups: list,
      credentials: list,
      deployments: list,
      events: list,
      gitDeliveries: list,
      gitHooks: list,
      invitations: list,
      jobRuns: list,
      members: list,
      operations: list,
      statements: list,
      tokens: list,
      usageLines: list,
      users: list,
      volumes: list,
      webhookDeliveries: list,
      webhooks: list,
    },
    // Not its operations: screens read a few of the newest, of different number, and joined pages would begin with old ones.
    AppEnv: { deployments: list, jobRuns: list, backups: list },
  },
})

export const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  requestPolicy: 'cache-and-network',
  fetch: persistentFetch,
  fetchOptions: { credentials: 'same-origin' },
  exchanges: [
    cache,
    subscriptionExchange({
      forwardSubscription: ({ query = '', variables }) => ({
        subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query, variables }, sink as never) }),
      }),
    }),
    fetchExchange,
  ],
})
