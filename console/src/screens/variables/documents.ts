import { OperationState } from '../../graphql/documents.ts'
import { graphql } from '../../graphql/graphql.ts'

export const VariablesOf = graphql(`
  query VariablesOf($env: String!) {
    appEnv(envName: $env) {
      id version
      app { id useImage }
      variables { id name value type isSecret }
    }
  }
`)

/** Environments that a value may refer to, or be compared with. */
export const OtherEnvironments = graphql(`
  query OtherEnvironments($accountId: ID!) {
    appEnvs(accountId: $accountId, first: 200, orderBy: NAME) {
      nodes { id name cliEnvName dockerPresetVersion app { id name } }
    }
  }
`)

export const SetVariables = graphql(
  `
  mutation SetVariables($input: SetVariablesInput!) {
    setVariables(input: $input) {
      appliedImmediately notAppliedReason warning
      appEnv {
        id version status
        variables { id name value type isSecret }
        pendingChanges { hasBuildChanges hasDeployChanges hasScaleChanges }
      }
      operation { ...OperationState }
    }
  }
`,
  [OperationState],
)

/** With dryRun: nothing of the answer may reach the cache, so it has no id. */
export const TryVariables = graphql(`
  mutation TryVariables($input: SetVariablesInput!) {
    setVariables(input: $input) { dryRun warning }
  }
`)

/** Past the cache: see read-secret.ts. */
export const RevealedVariables = graphql(`
  query RevealedVariables($env: String!) {
    appEnv(envName: $env) { id variables(reveal: true) { id name value } }
  }
`)

export const Versions = graphql(`
  query VersionsToCompare($env: String!) {
    deployments(envName: $env, first: 30) { nodes { id version status createdAt } }
  }
`)

export const VariablesOfVersion = graphql(`
  query VariablesOfVersion($id: ID!) {
    deployment(id: $id) { id configuration { variables { id name value type isSecret } } }
  }
`)
