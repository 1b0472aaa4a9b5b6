import { EnvironmentState, OperationState } from '../../graphql/documents.ts'
import { graphql } from '../../graphql/graphql.ts'

export const AppSettings = graphql(`
  fragment AppSettings on App {
    id version name slug type dockerPreset dockerPresetVersion useImage image imagePullAccountSecretId port
    isCliDeployment gitProvider gitNamespace gitRepo gitInstallationId
    builder dockerfilePath contextDir buildArgs buildTarget customDockerfileContent buildPullAccountSecretId
    buildResources { cpu memoryMb diskMb timeoutSeconds }
    buildLimits { cpu memoryMb diskMb timeoutSeconds }
    useVolume volumePath
    healthCheck { type path port command timeoutSeconds periodSeconds initialDelaySeconds failureThreshold headers { key value } }
    labels { key value }
  }
`)

export const AppDetail = graphql(
  `
  query AppDetail($id: ID!) {
    app(id: $id) {
      ...AppSettings
      account { id name slug }
      appEnvs(first: 50) {
        totalCount
        nodes {
          ...EnvironmentState
          gitBranch
          resources { zClouds cpu memory containers }
          pullRequest { number isFork }
          currentDeployment { id version image gitBranch gitCommitId imageDigest deployedAt gitCommit { message } promotedFrom { version appEnv { id name } } }
        }
      }
    }
  }
`,
  [AppSettings, EnvironmentState],
)

export const AppNow = graphql(
  `
  query AppNow($id: ID!) {
    app(id: $id) { ...AppSettings }
  }
`,
  [AppSettings],
)

export const DifferenceOf = graphql(`
  query DifferenceOf($from: ID!, $to: ID!) {
    difference(fromAppEnvId: $from, toAppEnvId: $to) { changes { kind field from to } }
  }
`)

/** With dryRun, for what it would do; nothing of that may reach the cache. */
export const TryPromotion = graphql(`
  mutation TryPromotion($input: PromoteDeploymentInput!) {
    promoteDeployment(input: $input) { dryRun message }
  }
`)

export const PromoteDeployment = graphql(
  `
  mutation PromoteDeployment($input: PromoteDeploymentInput!) {
    promoteDeployment(input: $input) { message appEnv { id status } operation { ...OperationState } }
  }
`,
  [OperationState],
)

export const UpdateApp = graphql(
  `
  mutation UpdateApp($input: UpdateAppInput!) {
    updateApp(input: $input) { environmentsAffected notApplied { reason } app { ...AppSettings } }
  }
`,
  [AppSettings],
)

export const DeleteApp = graphql(`
  mutation DeleteApp($input: DeleteAppInput!) {
    deleteApp(input: $input) { message dryRun }
  }
`)

export const CreateEnvironment = graphql(
  `
  mutation CreateEnvironment($input: CreateAppEnvInput!) {
    createAppEnv(input: $input) { appEnv { ...EnvironmentState } operation { ...OperationState } }
  }
`,
  [EnvironmentState, OperationState],
)

export const Regions = graphql(`
  query Regions($accountId: ID!) {
    regions(accountId: $accountId) { code name }
  }
`)

/** What another environment has, as far as it may be copied: secrets are masked. */
export const VariablesToCopy = graphql(`
  query VariablesToCopy($id: ID!) {
    appEnv(id: $id) { id variables { id name value type isSecret } }
  }
`)

export const PullRequestSettings = graphql(`
  query PullRequestSettings($appId: ID!) {
    app(id: $appId) {
      id
      pullRequestEnvs { allowForks copySecrets expiresAfterHours maxAppEnvs targetBranches baseAppEnvId user { id username } }
    }
  }
`)

export const SetPullRequestEnvs = graphql(`
  mutation SetPullRequestEnvs($input: SetPullRequestEnvsInput!) {
    setPullRequestEnvs(input: $input) { pullRequestEnvs { appId } }
  }
`)

export const DeletePullRequestEnvs = graphql(`
  mutation DeletePullRequestEnvs($input: DeletePullRequestEnvsInput!) {
    deletePullRequestEnvs(input: $input) { message }
  }
`)

/** Credentials for registries, by name. Null for those who may not read them. */
export const RegistryCredentials = graphql(`
  query RegistryCredentials($accountId: ID!) {
    credentials(accountId: $accountId, type: [CONTAINER_REGISTRY], first: 100) { nodes { id name } }
  }
`)
