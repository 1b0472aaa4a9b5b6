// Apollo Client: a normalized cache, pages of a connection, persisted queries, mutations, refusals, and subscriptions.
import { createHash } from 'node:crypto'
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, InMemoryCache, ServerError } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { getMainDefinition, relayStylePagination } from '@apollo/client/utilities'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { accountId, appEnvId, finish, image, report, socketUrl, token, url, within } from './berth.ts'
import {
  AppsDocument,
  DeployDocument,
  OverviewDocument,
  ServingFragmentDoc,
  StatusDocument,
} from './generated/codegen/graphql.ts'

const MAX_PAGES = 50

/** The bodies of the requests over HTTP. */
const sent: string[] = []
const counted: typeof fetch = (input, init) => {
  sent.push(String(init?.body))
  return fetch(input, init)
}

function clientOf(authorization: string) {
  const http = new HttpLink({ uri: url, headers: { authorization }, fetch: counted })
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const sockets = createClient({
    url: socketUrl,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: authorization },
  })
  const link = ApolloLink.split(
    ({ query }) => {
      const definition = getMainDefinition(query)
      return definition.kind === 'OperationDefinition' && definition.operation === 'subscription'
    },
    new GraphQLWsLink(sockets),
    new PersistedQueryLink({ sha256 }).concat(http),
  )
  const typePolicies = { Account: { fields: { apps: relayStylePagination() } } }
  return new ApolloClient({ link, cache: new InMemoryCache({ typePolicies }) })
}

const client = clientOf(token)

const first = await client.query({ query: AppsDocument, variables: { accountId, first: 2 } })
report('firstPage', first.data?.account?.apps.edges.length)
// A hash first; upon the answer that none is kept, the text, and no hash again.
report(
  'persistedQueries',
  sent.map((body) => Object.keys(JSON.parse(body)).sort()),
)

const before = sent.length
const apps = client.watchQuery({ query: AppsDocument, variables: { accountId, first: 2 } })
apps.subscribe(() => {})
report('requestsForWhatIsCached', sent.length - before)

let pageInfo = first.data?.account?.apps.pageInfo
for (let pages = 0; pageInfo?.hasNextPage && pages < MAX_PAGES; pages += 1) {
  const { data } = await apps.fetchMore({ variables: { after: pageInfo.endCursor ?? null } })
  pageInfo = data?.account?.apps.pageInfo
}
const all = client.readQuery({ query: AppsDocument, variables: { accountId, first: 2 } })
const ids = all?.account?.apps.edges.map(({ node }) => node.id) ?? []
report('allPages', ids.length === all?.account?.apps.totalCount && new Set(ids).size === ids.length)
report(
  'otherRequests',
  sent.slice(before).every((body) => 'query' in JSON.parse(body)),
)

await client.query({ query: OverviewDocument, variables: { appEnvId } })
const seen: string[] = []
const subscription = new Promise<void>((resolve, reject) => {
  client.subscribe({ query: StatusDocument, variables: { appEnvId } }).subscribe({
    next: ({ data, error }) => {
      if (error) return reject(error)
      seen.push(data?.appEnvStatusChanged.status ?? 'none')
      if (seen.length > 1 && seen.at(-1) === 'RUNNING') resolve()
    },
    error: reject,
  })
})
const { data: deployed } = await client.mutate({
  mutation: DeployDocument,
  variables: { input: { appEnvId, image, waitSeconds: 60 } },
})
report('deployed', { success: deployed?.deployImage?.success, status: deployed?.deployImage?.operation?.status })
await within(subscription, 'the environment runs')
report('followed', [seen.includes('UPDATING'), seen.at(-1)])
const serving = client.cache.readFragment({
  id: client.cache.identify({ __typename: 'AppEnv', id: appEnvId }) ?? '',
  fragment: ServingFragmentDoc,
  fragmentName: 'Serving',
})
report('normalized', serving?.status)

const refused = await client
  .mutate({ mutation: DeployDocument, variables: { input: { appEnvId, image: 'NOT AN IMAGE' } } })
  .catch((error: unknown) => error)
if (CombinedGraphQLErrors.is(refused)) {
  const { code, fields } = refused.errors[0]?.extensions ?? {}
  report('refused', { code, fields: (fields as { field: string }[]).map(({ field }) => field) })
}
const { data: partial, error } = await client.query({
  query: OverviewDocument,
  variables: { appEnvId: 'env_none' },
  errorPolicy: 'all',
})
report('notFound', { partial, code: CombinedGraphQLErrors.is(error) && error.errors[0]?.extensions?.code })

const stranger = await clientOf('berth_u_nonsense')
  .query({ query: OverviewDocument, variables: { appEnvId } })
  .catch((error: unknown) => error)
report(
  'withoutToken',
  CombinedGraphQLErrors.is(stranger)
    ? stranger.errors[0]?.extensions?.code
    : ServerError.is(stranger)
      ? stranger.statusCode
      : String(stranger),
)
finish()
