// Creates an app, deploys it, waits, reads its log and deletes it, through GraphQL. Types come from the schema.
import { print } from '@0no-co/graphql.web'
import { initGraphQLTada, type TadaDocumentNode } from 'gql.tada'
import type { introspection } from './schema-env.d.ts'
import { image, pause, port, token, url } from './settings.ts'

const graphql = initGraphQLTada<{ introspection: introspection; scalars: { DateTime: string; JSON: unknown } }>()

type Answer<Data> = { data?: Data | null; errors?: { message: string; extensions?: { code?: string } }[] }

async function ask<Data, Variables>(document: TadaDocumentNode<Data, Variables>, variables: Variables): Promise<Data> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { Authorization: token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: print(document), variables }),
  })
  const { data, errors } = (await response.json()) as Answer<Data>
  const [first] = errors ?? []
  if (first) throw new Error(`${first.extensions?.code}: ${first.message}`)
  if (!data) throw new Error('An answer without data')
  return data
}

const CreateApp = graphql(`
  mutation CreateApp($input: CreateAppInput!) { createApp(input: $input) { app { id } } }
`)
const CreateAppEnv = graphql(`
  mutation CreateAppEnv($input: CreateAppEnvInput!) { createAppEnv(input: $input) { appEnv { id cliEnvName } } }
`)
const DeployImage = graphql(`
  mutation DeployImage($input: DeployImageInput!) { deployImage(input: $input) { message operation { id } } }
`)
const Status = graphql(`
  query Status($id: ID!) {
    appEnv(id: $id) { status health latestDeployment { version status isSuccess isFailed reason message } }
  }
`)
const Logs = graphql(`
  query Logs($appEnvId: ID!) { logs(appEnvId: $appEnvId, first: 10) { nodes { timestamp stream message } } }
`)
const Me = graphql(`
  query Me { account { id } }
`)
const DeleteApp = graphql(`
  mutation DeleteApp($input: DeleteAppInput!) { deleteApp(input: $input) { message } }
`)

/** What is only null for a dry run, or after an error that was thrown already. */
function present<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error('Nothing where something was expected')
  return value
}

async function ended(id: string) {
  for (;;) {
    const { appEnv } = await ask(Status, { id })
    const { latestDeployment, status } = present(appEnv)
    if (latestDeployment?.isFailed) throw new Error(`${latestDeployment.reason}: ${latestDeployment.message}`)
    if (latestDeployment?.isSuccess) return { ...latestDeployment, status }
    await pause()
  }
}

const accountId = present((await ask(Me, {})).account).id
const app = { name: 'Typed GraphQL', accountId, port, useImage: true, image }
const appId = present((await ask(CreateApp, { input: app })).createApp?.app).id
const appEnv = { name: 'production', accountId, appId, region: 'local' }
const appEnvId = present((await ask(CreateAppEnv, { input: appEnv })).createAppEnv?.appEnv).id

const { deployImage } = await ask(DeployImage, { input: { appEnvId, image, waitSeconds: 60 } })
console.log(present(deployImage).message)

const deployment = await ended(appEnvId)
console.log(`version ${deployment.version} is DEPLOYED, the environment is ${deployment.status}`)

/** Lines reach the log a moment after the program wrote them. */
async function firstLines(tries = 20) {
  const { logs } = await ask(Logs, { appEnvId })
  const lines = present(logs).nodes
  if (lines.length > 0 || tries === 0) return lines
  await pause()
  return firstLines(tries - 1)
}

const lines = await firstLines()
for (const { timestamp, stream, message } of lines) console.log(`${timestamp} ${stream} ${message}`)

const { deleteApp } = await ask(DeleteApp, { input: { appId } })
console.log(present(deleteApp).message)
