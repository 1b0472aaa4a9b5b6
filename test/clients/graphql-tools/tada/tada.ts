// The same documents for gql.tada, which types them by TypeScript alone: lists apps, and reads an environment.

import { initGraphQLTada, type ResultOf, type TadaDocumentNode } from 'gql.tada'
import { print } from 'graphql'
import type { introspection } from '../generated/graphql-env.d.ts'

const graphql = initGraphQLTada<{
  introspection: introspection
  scalars: { ID: string; DateTime: string; JSON: unknown }
}>()

const appRow = graphql(`
  fragment AppRow on App @_unmask {
    id
    name
    appEnvs(first: 5) {
      nodes {
        id
        status
      }
    }
  }
`)

const apps = graphql(
  `
    query Apps($accountId: ID, $first: Int) {
      apps(accountId: $accountId, first: $first) {
        nodes {
          ...AppRow
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [appRow],
)

export const overview = graphql(`
  query Overview($id: ID!) {
    appEnv(id: $id) {
      name
      status
      createdAt
      latestDeployment {
        version
        image
        status
      }
    }
  }
`)

const { BERTH_URL, BERTH_TOKEN = '', ACCOUNT_ID = '', APP_ENV_ID = '' } = process.env

async function ask<Data, Variables>(document: TadaDocumentNode<Data, Variables>, variables: Variables): Promise<Data> {
  const response = await fetch(`${BERTH_URL}/graphql`, {
    method: 'POST',
    headers: { Authorization: BERTH_TOKEN, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: print(document), variables }),
  })
  const { data, errors } = (await response.json()) as { data: Data; errors?: object[] }
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}

type Status = NonNullable<ResultOf<typeof overview>['appEnv']>['status']

const { apps: page } = await ask(apps, { accountId: ACCOUNT_ID, first: 2 })
const { appEnv } = await ask(overview, { id: APP_ENV_ID })
const status: Status | undefined = appEnv?.status
console.log(
  JSON.stringify({
    apps: page?.nodes.length,
    hasNextPage: page?.pageInfo.hasNextPage,
    status,
    deployment: appEnv?.latestDeployment?.status,
  }),
)
