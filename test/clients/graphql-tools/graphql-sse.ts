// The client of graphql-sse: follows an environment by a connection for each subscription; the other mode is refused.
import { print } from 'graphql'
import { type Client, createClient, NetworkError } from 'graphql-sse'
import { appEnvId, finish, image, report, token, url } from './berth.ts'
import type { DeployMutation, OverviewQuery, StatusSubscription } from './generated/codegen/graphql.ts'
import { DeployDocument, OverviewDocument, StatusDocument } from './generated/codegen/graphql.ts'

const clientOf = (authorization: string): Client =>
  createClient({ url, headers: { Authorization: authorization }, retryAttempts: 0 })
const client = clientOf(token)

const query = await client.iterate<OverviewQuery>({ query: print(OverviewDocument), variables: { appEnvId } }).next()
report('query', query.value?.data?.appEnv?.status)

const answers = client.iterate<StatusSubscription>({ query: print(StatusDocument), variables: { appEnvId } })
report('firstMessage', (await answers.next()).value?.data?.appEnvStatusChanged.status)
const input = { appEnvId, image }
const deployed = await client.iterate<DeployMutation>({ query: print(DeployDocument), variables: { input } }).next()
report('mutation', deployed.value?.data?.deployImage?.success)
const seen: string[] = []
for await (const { data } of answers) {
  seen.push(data?.appEnvStatusChanged.status ?? 'none')
  if (data?.appEnvStatusChanged.status === 'RUNNING') break
}
report('followed', [seen.includes('UPDATING'), seen.at(-1)])

const refused = await client.iterate({ query: print(StatusDocument), variables: { appEnvId: 'env_none' } }).next()
report('refused', refused.value?.errors?.[0]?.extensions?.code)

/** How a client that must be refused is. */
async function refusalOf(refusing: Pick<Client, 'iterate'>) {
  const error: unknown = await refusing
    .iterate({ query: print(StatusDocument), variables: { appEnvId } })
    .next()
    .catch((error: unknown) => error)
  if (!(error instanceof NetworkError)) return String(error)
  return error.message
}
const stranger = await refusalOf(clientOf('berth_u_nonsense'))
report('withoutToken', stranger)
const single = createClient<true>({
  url,
  singleConnection: true,
  headers: { Authorization: token },
  retryAttempts: 0,
})
report('singleConnection', await refusalOf(single as unknown as Client))
finish()
