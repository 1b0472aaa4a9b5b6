import { cacheExchange } from '@urql/exchange-graphcache'
import { relayPagination } from '@urql/exchange-graphcache/extras'
import { Client, fetchExchange, subscriptionExchange } from 'urql'
import { socket } from './connection.ts'

const list = relayPagination()

/**
 * One cache for all screens, by the id of each thing: what one screen reads of it is new on every other. Lists join their
 * pages.
 */
const cache = cacheExchange({
  resolvers: {
    Query: {
      appEnvs: list,
      apps: list,
      auditLog: list,
      backups: list,
      deployments: list,
      events: list,
      gitDeliveries: list,
      jobRuns: list,
      operations: list,
      usageLines: list,
      webhookDeliveries: list,
    },
    // Not its operations: screens read a few of the newest, of different number, and joined pages would begin with old ones.
    AppEnv: { deployments: list, jobRuns: list, backups: list },
  },
})

export const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  requestPolicy: 'cache-and-network',
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
