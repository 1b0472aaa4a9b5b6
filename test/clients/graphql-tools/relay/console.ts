// What Relay's compiler reads. A program takes the artifacts that it makes of them: no plug-in of a bundler is needed.
import { graphql } from 'relay-runtime'

export const apps = graphql`
  query consoleAppsQuery($accountId: ID!, $count: Int!) {
    account(id: $accountId) {
      id
      ...consoleAppList_account @arguments(count: $count)
    }
  }
`

export const appList = graphql`
  fragment consoleAppList_account on Account
  @argumentDefinitions(count: { type: "Int!" }, cursor: { type: "String" })
  @refetchable(queryName: "consoleAppListPageQuery") {
    name
    apps(first: $count, after: $cursor) @connection(key: "AppList_apps") {
      totalCount
      edges {
        node {
          ...consoleAppRow_app
        }
      }
    }
  }
`

export const appRow = graphql`
  fragment consoleAppRow_app on App @refetchable(queryName: "consoleAppRowRefetchQuery") {
    name
    appEnvs(first: 5) {
      nodes {
        id
        name
        status
      }
    }
  }
`

export const overview = graphql`
  query consoleOverviewQuery($appEnvId: ID!) {
    appEnv(id: $appEnvId) @required(action: THROW) {
      name
      ...consoleDeployments_appEnv
    }
  }
`

export const deployments = graphql`
  fragment consoleDeployments_appEnv on AppEnv
  @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "String" })
  @refetchable(queryName: "consoleDeploymentsPageQuery") {
    status
    health
    deployments(first: $count, after: $cursor) @connection(key: "Deployments_deployments", filters: []) {
      edges {
        node {
          version
          image
          status
          requester {
            username
          }
        }
      }
    }
  }
`

export const found = graphql`
  query consoleNodeQuery($id: ID!) {
    node(id: $id) {
      __typename
      ...consoleAppRow_app @alias(as: "app")
    }
  }
`

export const create = graphql`
  mutation consoleCreateAppMutation($input: CreateAppInput!, $connections: [ID!]!) {
    createApp(input: $input) {
      app @appendNode(connections: $connections, edgeTypeName: "AppEdge") {
        id
        name
        ...consoleAppRow_app
      }
    }
  }
`

export const remove = graphql`
  mutation consoleDeleteAppMutation($input: DeleteAppInput!) {
    deleteApp(input: $input) {
      message
    }
  }
`

export const status = graphql`
  subscription consoleStatusSubscription($appEnvId: ID!) {
    appEnvStatusChanged(appEnvId: $appEnvId) {
      cursor
      status
      appEnv {
        id
        ...consoleDeployments_appEnv
      }
    }
  }
`
