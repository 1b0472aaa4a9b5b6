import { graphql } from '../../graphql/graphql.ts'

/** What there is to choose from, and what it costs. */
export const NewAppChoices = graphql(`
  query NewAppChoices($accountId: ID!) {
    account(id: $accountId) { id plan allowFunctions }
    plans { code name zCloudHourPrice jobZCloudHourPrice volumeGbMonthPrice functionsIncluded }
    regions(accountId: $accountId) { code name domain functionsSupported }
    databasePresets {
      dockerPreset name defaultVersion
      versions { dockerPresetVersion label }
      limits { disk { min max default } }
    }
    usage(accountId: $accountId) { accountId currency }
    credentials(accountId: $accountId, type: [CONTAINER_REGISTRY], first: 50) { nodes { id name isDefault } }
  }
`)

/** Repositories of the git installations of the account; refused where it has none. */
export const GitRepositories = graphql(`
  query GitRepositories($accountId: ID!) {
    gitRepositories(accountId: $accountId) {
      isComplete
      repositories { gitInstallationId gitNamespace gitRepo defaultBranch isPrivate url }
    }
  }
`)

export const GitBranches = graphql(`
  query GitBranches($accountId: ID!, $gitInstallationId: ID, $gitNamespace: String, $gitRepo: String!) {
    gitBranches(
      accountId: $accountId
      gitInstallationId: $gitInstallationId
      gitNamespace: $gitNamespace
      gitRepo: $gitRepo
      limit: 100
    ) { defaultBranch isComplete branches { name } }
  }
`)

/** What the source looks like to a build. */
export const InspectSource = graphql(`
  mutation InspectSource($input: InspectSourceInput!) {
    inspectSource(input: $input) {
      sourceInspection { id status message preset sign problem ports dockerfilePath composePath }
    }
  }
`)

export const PlanApp = graphql(`
  mutation PlanApp($input: CreateAppInput!) {
    createApp(input: $input) { dryRun changes }
  }
`)

export const CreateApp = graphql(`
  mutation CreateApp($input: CreateAppInput!) {
    createApp(input: $input) {
      app { id name slug type }
      appEnv { id cliEnvName status }
      operation { id status }
    }
  }
`)
