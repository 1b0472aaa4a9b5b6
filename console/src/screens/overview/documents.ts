import { EnvironmentState, OperationState } from '../../graphql/documents.ts'
import { graphql } from '../../graphql/graphql.ts'

/** Trouble and what runs now, whatever the list below shows. */
export const Overview = graphql(
  `
  query Overview($accountId: ID!, $since: DateTime!) {
    troubled: appEnvs(accountId: $accountId, health: [UNHEALTHY, DEGRADED], first: 20) { totalCount nodes { ...EnvironmentState } }
    failed: operations(accountId: $accountId, status: [FAILED], from: $since, first: 20) {
      nodes { ...OperationState appEnv { ...EnvironmentState } }
    }
    open: operations(accountId: $accountId, status: [QUEUED, RUNNING], first: 20) {
      totalCount
      nodes { ...OperationState appEnv { ...EnvironmentState } }
    }
  }
`,
  [EnvironmentState, OperationState],
)

export const Environments = graphql(
  `
  query Environments($accountId: ID!, $first: Int!, $after: String, $status: [AppEnvStatus!], $health: [Health!]) {
    appEnvs(accountId: $accountId, first: $first, after: $after, orderBy: NAME, status: $status, health: $health) {
      totalCount
      nodes { ...EnvironmentState }
      pageInfo { hasNextPage endCursor }
    }
  }
`,
  [EnvironmentState],
)

/** By a part of the name that the command line uses, which has the names of account, app and environment. */
export const EnvironmentsNamed = graphql(
  `
  query EnvironmentsNamed($accountId: ID!, $text: String!) {
    search(accountId: $accountId, text: $text, limit: 50) { kind id appEnv { ...EnvironmentState } }
  }
`,
  [EnvironmentState],
)
