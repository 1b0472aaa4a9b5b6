// The client of graphql-ws: follows an environment and an operation, and is refused without a valid token.

import { print } from 'graphql'
import { type Client, type ClientOptions, createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { appEnvId, finish, image, report, socketUrl, token, within } from './berth.ts'
import type { DeployMutation, ProgressSubscription, StatusSubscription } from './generated/codegen/graphql.ts'
import { DeployDocument, ProgressDocument, StatusDocument } from './generated/codegen/graphql.ts'

const clientOf = (connectionParams: ClientOptions['connectionParams']): Client =>
  createClient({ url: socketUrl, webSocketImpl: WebSocket, connectionParams, retryAttempts: 0 })

const client = clientOf(() => ({ authorization: `Bearer ${token}` }))
const answers = client.iterate<StatusSubscription>({ query: print(StatusDocument), variables: { appEnvId } })
report('firstMessage', (await answers.next()).value?.data?.appEnvStatusChanged.status)

const input = { appEnvId, image }
const { value: deployed } = await client
  .iterate<DeployMutation>({ query: print(DeployDocument), variables: { input } })
  .next()
const operationId = deployed?.data?.deployImage?.operation?.id
const progress: string[] = []
const untilItEnds = async () => {
  const steps = client.iterate<ProgressSubscription>({ query: print(ProgressDocument), variables: { operationId } })
  for await (const { data } of steps) progress.push(data?.operationProgress.operation?.status ?? 'none')
}
await within(untilItEnds(), 'the operation ends')
report('operation', progress.at(-1))
let cursor = ''
for await (const { data } of answers) {
  cursor = data?.appEnvStatusChanged.cursor ?? ''
  if (data?.appEnvStatusChanged.status === 'RUNNING') break
}
report('cursor', /^\d+$/.test(cursor))

const [refused] = await client
  .iterate({ query: print(StatusDocument), variables: { appEnvId: 'env_none' } })
  .next()
  .then(
    ({ value }) => value?.errors ?? [],
    (errors: { extensions?: Record<string, unknown> }[]) => errors,
  )
report('refused', refused?.extensions?.code)

for (const [name, params] of Object.entries({ withoutToken: {}, withAWrongToken: { Authorization: 'berth_u_no' } })) {
  const closed = await clientOf(params)
    .iterate({ query: '{ __typename }' })
    .next()
    .catch((error: unknown) => error)
  const { code, reason } = closed as { code: number; reason: string }
  report(name, { code, reason })
}
finish()
