// urql: a query, a page by variables, a mutation, refusals, and a subscription through graphql-ws.
import { Client, cacheExchange, fetchExchange, subscriptionExchange } from '@urql/core'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { accountId, appEnvId, finish, image, report, socketUrl, token, url, within } from './berth.ts'
import { AppsDocument, DeployDocument, OverviewDocument, StatusDocument } from './generated/codegen/graphql.ts'

function clientOf(authorization: string): Client {
  const sockets = createClient({
    url: socketUrl,
    webSocketImpl: WebSocket,
    connectionParams: async () => ({ Authorization: `Bearer ${authorization}` }),
  })
  return new Client({
    url,
    preferGetMethod: false,
    exchanges: [
      cacheExchange,
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: sockets.subscribe({ query, variables: variables as Record<string, unknown> }, sink),
          }),
        }),
      }),
    ],
    fetchOptions: { headers: { authorization: `Bearer ${authorization}` } },
  })
}

const client = clientOf(token)
const pages: number[] = []
let after: string | null = null
do {
  const { data, error }: Awaited<ReturnType<typeof page>> = await page(after)
  if (error) throw error
  pages.push(data?.account?.apps.edges.length ?? 0)
  const { hasNextPage, endCursor = null } = data?.account?.apps.pageInfo ?? {}
  after = hasNextPage ? (endCursor ?? null) : null
} while (after !== null && pages.length < 50)
report('pages', { first: pages[0], total: pages.reduce((sum, size) => sum + size, 0) })

function page(after: string | null) {
  return client.query(AppsDocument, { accountId, first: 2, after }).toPromise()
}

const seen: string[] = []
const following = new Promise<void>((resolve, reject) => {
  client.subscription(StatusDocument, { appEnvId }).subscribe(({ data, error }) => {
    if (error) return reject(error)
    seen.push(data?.appEnvStatusChanged.status ?? 'none')
    if (seen.length > 1 && seen.at(-1) === 'RUNNING') resolve()
  })
})
const deployed = await client.mutation(DeployDocument, { input: { appEnvId, image, waitSeconds: 60 } }).toPromise()
report('deployed', deployed.data?.deployImage?.operation?.status)
await within(following, 'the environment runs')
report('followed', [seen.includes('UPDATING'), seen.at(-1)])

// A mutation of an environment makes what was read of it stale.
const overview = await client.query(OverviewDocument, { appEnvId }).toPromise()
report('overview', [overview.data?.appEnv?.status, overview.data?.appEnv?.deployments.nodes[0]?.status])

const refused = await client.mutation(DeployDocument, { input: { appEnvId, image: 'NOT AN IMAGE' } }).toPromise()
report('refused', refused.error?.graphQLErrors[0]?.extensions.code)
const stranger = await clientOf('berth_u_nonsense').query(OverviewDocument, { appEnvId }).toPromise()
report('withoutToken', {
  status: stranger.error?.response?.status,
  code: stranger.error?.graphQLErrors[0]?.extensions.code,
})
finish()
