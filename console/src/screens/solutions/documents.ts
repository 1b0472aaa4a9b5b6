import { graphql } from '../../graphql/graphql.ts'

export const InstallationState = graphql(`
  fragment InstallationState on SolutionInstallation {
    id accountId appName solutionSlug revision status region createdAt finishedAt postInstallNote version
    requester { id username }
    components {
      key state reason message appId appEnvId jobRunId
      app { id name }
      appEnv { id name cliEnvName status url }
      operation { id status steps { name detail startedAt finishedAt } }
    }
  }
`)

/** The catalogue, and what of it the account has. */
export const Solutions = graphql(
  `
  query Solutions($accountId: ID!) {
    solutions(accountId: $accountId) { solutionSlug name description category requiresSandbox components { key } }
    installations(accountId: $accountId, first: 50) { totalCount nodes { ...InstallationState } }
  }
`,
  [InstallationState],
)

/** For the page of one solution, and of a compose file. */
export const SolutionChoices = graphql(`
  query SolutionChoices($accountId: ID!) {
    solutions(accountId: $accountId) {
      solutionSlug name description category revision requiresSandbox
      inputs { name label type required secret default }
      components { key name type dockerPreset dependsOn }
    }
    account(id: $accountId) { id plan }
    plans { code name zCloudHourPrice jobZCloudHourPrice volumeGbMonthPrice }
    usage(accountId: $accountId) { accountId currency }
    regions(accountId: $accountId) { code name }
    databasePresets { dockerPreset name }
  }
`)

/** Without what is created: nothing is, and the answer to a dry run has none of it. */
export const PlanSolution = graphql(`
  mutation PlanSolution($input: InstallSolutionInput!) {
    installSolution(input: $input) { dryRun changes }
  }
`)

export const InstallSolution = graphql(`
  mutation InstallSolution($input: InstallSolutionInput!) {
    installSolution(input: $input) { installation { id status } }
  }
`)

export const PlanCompose = graphql(`
  mutation PlanCompose($input: InstallComposeInput!) {
    installCompose(input: $input) { dryRun changes }
  }
`)

export const InstallCompose = graphql(`
  mutation InstallCompose($input: InstallComposeInput!) {
    installCompose(input: $input) { installation { id status } }
  }
`)

export const Installation = graphql(
  `
  query Installation($id: ID!, $accountId: ID!) {
    installation(id: $id) { ...InstallationState }
    solutions(accountId: $accountId) {
      solutionSlug name revision
      inputs { name label type required secret default }
      components { key name dependsOn }
    }
  }
`,
  [InstallationState],
)

export const InstallationProgress = graphql(
  `
  subscription InstallationProgress($id: ID!) {
    installationChanged(installationId: $id) { cursor installation { ...InstallationState } }
  }
`,
  [InstallationState],
)

export const UpgradeInstallation = graphql(`
  mutation UpgradeInstallation($input: UpgradeInstallationInput!) {
    upgradeInstallation(input: $input) { dryRun changed kept }
  }
`)

export const RemoveInstallation = graphql(`
  mutation RemoveInstallation($input: RemoveInstallationInput!) {
    removeInstallation(input: $input) { dryRun message changes deletedInstallationId }
  }
`)
