import { graphql } from '../../graphql/graphql.ts'

export const GitHooks = graphql(`
  query GitHooks($accountId: ID!, $after: String) {
    gitHooks(accountId: $accountId, first: 50, after: $after) {
      totalCount
      nodes { id version name provider path appId app { id name } statusApiUrl statusError formerSecretUntil createdAt updatedAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const GitDeliveries = graphql(`
  query GitDeliveries($accountId: ID!, $after: String, $gitHookId: ID, $outcome: [GitDeliveryOutcome!], $branch: String) {
    gitDeliveries(accountId: $accountId, first: 30, after: $after, gitHookId: $gitHookId, outcome: $outcome, branch: $branch) {
      nodes {
        id event provider repository branch commitId fromCommitId pullRequestNumber pusher outcome reason message createdAt deliveryKey
        gitHookId gitHook { id name }
        environments {
          outcome reason message operationId appEnvId appId
          app { id name }
          appEnv { id name cliEnvName app { id name } }
          operation { id status deployment { id version } }
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const AppNames = graphql(`
  query AppNames($accountId: ID!) {
    apps(accountId: $accountId, first: 200, orderBy: NAME) { nodes { id name } pageInfo { hasNextPage endCursor } }
  }
`)

export const CreateGitHook = graphql(`
  mutation CreateGitHook($input: CreateGitHookInput!) {
    createGitHook(input: $input) { secret gitHook { id name path } }
  }
`)

export const UpdateGitHook = graphql(`
  mutation UpdateGitHook($input: UpdateGitHookInput!) {
    updateGitHook(input: $input) { gitHook { id version name statusApiUrl updatedAt } }
  }
`)

export const RotateGitHookSecret = graphql(`
  mutation RotateGitHookSecret($input: RotateGitHookSecretInput!) {
    rotateGitHookSecret(input: $input) { secret gitHook { id path formerSecretUntil } }
  }
`)

export const DeleteGitHook = graphql(`
  mutation DeleteGitHook($input: DeleteGitHookInput!) {
    deleteGitHook(input: $input) { message deletedGitHookId }
  }
`)
