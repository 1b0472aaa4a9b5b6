import { graphql } from './graphql.ts'

/** What changes of an environment without a call of this page, wherever it is shown. */
export const EnvironmentState = graphql(`
  fragment EnvironmentState on AppEnv {
    id name cliEnvName status health observedAt observedReason url sleeping sleepReason sleepDepth currentVersion version
    app { id name type }
    region { code name }
    replicas { desired running ready }
    pendingChanges { hasBuildChanges hasDeployChanges hasScaleChanges }
    currentDeployment { id version status image }
    latestDeployment { id version status reason message image gitBranch gitCommitId createdAt deployedAt finishedAt requester { id username } }
  }
`)

export const OperationState = graphql(`
  fragment OperationState on Operation {
    id kind status reason message attempt maxAttempts isDeadLetter createdAt startedAt finishedAt deadlineAt appEnvId retriesId
    requester { id username }
    steps { name detail startedAt finishedAt }
    deployment { id version }
  }
`)

/** Reads again what events were about: each kind by itself, because their fields have different types. */
export const Refresh = graphql(
  `
  query Refresh($appEnvIds: [ID!]!, $operationIds: [ID!]!, $appIds: [ID!]!) {
    appEnvs: nodes(ids: $appEnvIds) { id ... on AppEnv { ...EnvironmentState } }
    operations: nodes(ids: $operationIds) { id ... on Operation { ...OperationState } }
    apps: nodes(ids: $appIds) { id ... on App { id name slug type } }
  }
`,
  [EnvironmentState, OperationState],
)

export const AccountEvents = graphql(`
  subscription AccountEvents($accountId: ID!, $after: String) {
    accountEvents(accountId: $accountId, after: $after) {
      cursor
      event { type createdAt appId appEnvId operationId payload }
    }
  }
`)
