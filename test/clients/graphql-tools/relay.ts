// Relay: its store, pages of a connection, the refetch of a node, mutations of a connection, and a subscription.
import { createClient } from 'graphql-ws'
import {
  ConnectionHandler,
  commitMutation,
  createOperationDescriptor,
  Environment,
  type FetchFunction,
  fetchQuery,
  type GraphQLResponse,
  type GraphQLTaggedNode,
  getRequest,
  getSelector,
  Network,
  Observable,
  RecordSource,
  requestSubscription,
  Store,
  type SubscribeFunction,
  type Variables,
} from 'relay-runtime'
import { WebSocket } from 'ws'
import { accountId, appEnvId, finish, report, socketUrl, token, url, within } from './berth.ts'
import appList, { type consoleAppList_account$data } from './generated/relay/consoleAppList_account.graphql.ts'
import appListPage from './generated/relay/consoleAppListPageQuery.graphql.ts'
import appRow, { type consoleAppRow_app$data } from './generated/relay/consoleAppRow_app.graphql.ts'
import appRowRefetch from './generated/relay/consoleAppRowRefetchQuery.graphql.ts'
import apps, { type consoleAppsQuery } from './generated/relay/consoleAppsQuery.graphql.ts'
import create, { type consoleCreateAppMutation } from './generated/relay/consoleCreateAppMutation.graphql.ts'
import remove, { type consoleDeleteAppMutation } from './generated/relay/consoleDeleteAppMutation.graphql.ts'
import deployments, {
  type consoleDeployments_appEnv$data,
} from './generated/relay/consoleDeployments_appEnv.graphql.ts'
import found, { type consoleNodeQuery } from './generated/relay/consoleNodeQuery.graphql.ts'
import overview, { type consoleOverviewQuery } from './generated/relay/consoleOverviewQuery.graphql.ts'
import status, { type consoleStatusSubscription } from './generated/relay/consoleStatusSubscription.graphql.ts'

const ask: FetchFunction = async ({ text }, variables) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: text, variables }),
  })
  return (await response.json()) as GraphQLResponse
}

const sockets = createClient({
  url: socketUrl,
  webSocketImpl: WebSocket,
  connectionParams: { Authorization: token },
})
const follow: SubscribeFunction = ({ text }, variables) =>
  Observable.create((sink) =>
    sockets.subscribe<NonNullable<object>>(
      { query: text ?? '', variables },
      sink as unknown as Parameters<typeof sockets.subscribe<NonNullable<object>>>[1],
    ),
  )

const environment = new Environment({
  network: Network.create(ask, follow),
  store: new Store(new RecordSource()),
})

/** What the store has of a fragment, where a query has led to it. */
function fragmentOf<Data>(fragment: GraphQLTaggedNode, reference: unknown): Data {
  const selector = getSelector(fragment as Parameters<typeof getSelector>[0], reference)
  if (selector?.kind !== 'SingularReaderSelector') throw new Error('The fragment is not there')
  const { data, isMissingData } = environment.lookup(selector)
  if (isMissingData) throw new Error('Some of the fragment is missing in the store')
  return data as Data
}

/** Keeps what a query has read, as a component that shows it does. */
function retained(query: GraphQLTaggedNode, variables: Variables) {
  const operation = createOperationDescriptor(getRequest(query), variables)
  environment.retain(operation)
  return environment.lookup(operation.fragment).data as Record<string, unknown>
}

const variables = { accountId, count: 2 }
await fetchQuery<consoleAppsQuery>(environment, apps, variables).toPromise()
const account = () => retained(apps, variables).account
const list = () => fragmentOf<consoleAppList_account$data>(appList, account())
report('firstPage', list().apps.edges.length)

const connection = () =>
  environment.getStore().getSource().get(ConnectionHandler.getConnectionID(accountId, 'AppList_apps'))
const pageInfo = () => {
  const reference = connection()?.pageInfo as { __ref: string } | undefined
  return environment
    .getStore()
    .getSource()
    .get(reference?.__ref ?? '') as { hasNextPage: boolean; endCursor: string } | undefined
}
for (let pages = 0; pageInfo()?.hasNextPage && pages < 50; pages += 1)
  await fetchQuery(environment, appListPage, { id: accountId, count: 2, cursor: pageInfo()?.endCursor }).toPromise()
report('allPages', list().apps.edges.length === list().apps.totalCount)

const [edge] = list().apps.edges
const { id: appId, name } = fragmentOf<consoleAppRow_app$data>(appRow, edge?.node)
await fetchQuery(environment, appRowRefetch, { id: appId }).toPromise()
const node = await fetchQuery<consoleNodeQuery>(environment, found, { id: appId }).toPromise()
report('node', [node?.node?.__typename, fragmentOf<consoleAppRow_app$data>(appRow, node?.node?.app).name === name])

const before = list().apps.edges.length
const connections = [ConnectionHandler.getConnectionID(accountId, 'AppList_apps')]
const input = { accountId, name: 'Made by Relay', port: 80, useImage: true, image: 'nginx:alpine' }
const made = await new Promise<consoleCreateAppMutation['response']>((resolve, reject) => {
  commitMutation<consoleCreateAppMutation>(environment, {
    mutation: create,
    variables: { input, connections },
    onCompleted: (response, errors) => (errors ? reject(new Error(JSON.stringify(errors))) : resolve(response)),
    onError: reject,
  })
})
report('appended', list().apps.edges.length - before)
const madeId = made.createApp?.app?.id ?? ''
const refusal = await new Promise<unknown>((resolve) => {
  commitMutation<consoleCreateAppMutation>(environment, {
    mutation: create,
    variables: { input: { ...input, name: '' }, connections },
    onCompleted: (_response, errors) =>
      resolve((errors?.[0] as { extensions?: { code?: string } } | undefined)?.extensions?.code),
    // Relay throws where nothing but errors came.
    onError: (error) =>
      resolve(
        (error as { source?: { errors?: { extensions?: { code?: string } }[] } }).source?.errors?.[0]?.extensions?.code,
      ),
  })
})
report('refused', refusal)
await new Promise<void>((resolve, reject) => {
  commitMutation<consoleDeleteAppMutation>(environment, {
    mutation: remove,
    variables: { input: { appId: madeId } },
    updater: (store) => {
      const listed = store.get(connections[0] ?? '')
      if (listed) ConnectionHandler.deleteNode(listed, madeId)
    },
    onCompleted: () => resolve(),
    onError: reject,
  })
})
report('removed', list().apps.edges.length - before)

await fetchQuery<consoleOverviewQuery>(environment, overview, { appEnvId }).toPromise()
const shown = retained(overview, { appEnvId }).appEnv
report('overview', fragmentOf<consoleDeployments_appEnv$data>(deployments, shown).deployments.edges[0]?.node.status)
const followed = new Promise<string | null | undefined>((resolve, reject) => {
  requestSubscription<consoleStatusSubscription>(environment, {
    subscription: status,
    variables: { appEnvId },
    onNext: (message) => resolve(message?.appEnvStatusChanged.status),
    onError: reject,
  })
})
report('followed', await within(followed, 'the status comes'))
finish()
