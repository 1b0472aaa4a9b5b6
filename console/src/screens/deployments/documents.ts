import { OperationState } from '../../graphql/documents.ts'
import { graphql } from '../../graphql/graphql.ts'

export const DeploymentState = graphql(`
  fragment DeploymentState on Deployment {
    id version status type reason message image imageDigest gitBranch gitCommitId createdAt deployedAt finishedAt
    canRollback cannotRollbackReason
    gitCommit { message author }
    requester { id username }
    promotedFrom { version appEnv { id cliEnvName } }
    fromDeployment { id version }
  }
`)

export const Deployments = graphql(
  `
  query Deployments($env: String!, $after: String) {
    appEnv(envName: $env) {
      id
      app { id useImage image gitRepo gitNamespace isCliDeployment }
      gitBranch
      operations(first: 3) { nodes { ...OperationState } }
    }
    deployments(envName: $env, first: 20, after: $after) {
      totalCount
      nodes { ...DeploymentState }
      pageInfo { hasNextPage endCursor }
    }
  }
`,
  [OperationState, DeploymentState],
)

export const DeployImage = graphql(`
  mutation DeployImage($input: DeployImageInput!) {
    deployImage(input: $input) { message appEnv { id status } operation { id status } }
  }
`)

export const BuildEnvironment = graphql(`
  mutation BuildEnvironment($input: BuildAppEnvInput!) {
    buildAppEnv(input: $input) { message appEnv { id status } operation { id status } }
  }
`)

/** A version, with what it runs with, what distinguishes it from what serves now, and the work that was done for it. */
export const DeploymentDetail = graphql(
  `
  query DeploymentDetail($id: ID!) {
    deployment(id: $id) {
      ...DeploymentState
      appEnv { id currentDeployment { id version } operations(first: 30) { nodes { ...OperationState } } }
      configuration {
        port cpu memory image
        variables { id name value type isSecret }
        startupConfig { command args } releaseCommand { command args }
        volume { path disk }
      }
    }
  }
`,
  [DeploymentState, OperationState],
)

export const LastLines = graphql(`
  query LastLines($env: String!, $contentId: ID!) {
    logs(envName: $env, contentId: $contentId, first: 30) {
      nodes { id timestamp stream message containerName }
    }
  }
`)

export const BuildOutput = graphql(`
  subscription BuildOutput($appEnvId: ID!, $contentId: ID!, $after: String) {
    buildLogs(appEnvId: $appEnvId, contentId: $contentId, after: $after) {
      cursor hasEnded
      lines { id timestamp message stream }
    }
  }
`)

/** What a rollback would change, and whether it works. */
export const RollbackPreview = graphql(
  `
  query RollbackPreview($id: ID!, $from: ID!) {
    deployment(id: $id) { ...DeploymentState }
    difference(fromContentId: $from, toContentId: $id) { changes { kind field from to } }
  }
`,
  [DeploymentState],
)

export const Rollback = graphql(`
  mutation Rollback($input: RollbackAppEnvInput!) {
    rollbackAppEnv(input: $input) {
      message dryRun
      rollbackInfo { fromVersion toVersion }
      appEnv { id status }
      operation { id status }
    }
  }
`)
