import { graphql } from '../../graphql/graphql.ts'

/** What can be set of an environment. */
export const EnvironmentSettings = graphql(`
  fragment EnvironmentSettings on AppEnv {
    id version name cliEnvName gitBranch preventDestroy allowUserCliToken dockerPresetVersion databaseSettings
    resources { zClouds cpu memory containers }
    autoScaling { enabled min max cpuPercent memoryPercent upWindowSeconds downWindowSeconds }
    functionConfig { concurrency idleSeconds minScale maxScale timeoutSeconds }
    healthCheck {
      type path port command initialDelaySeconds periodSeconds timeoutSeconds failureThreshold
      headers { key value }
      liveness { ...ProbeSettings }
      readiness { ...ProbeSettings }
      startup { ...ProbeSettings }
    }
    releaseCommand { command args shell workingDir timeoutSeconds }
    startupConfig { command args shell workingDir }
    containerSettings {
      user workingDir hostname stopSignal stopGraceSeconds init readOnlyRoot sharedMemoryMb dropCapabilities
      tmpfs { path sizeMb }
      ulimits { name soft hard }
    }
    volume { path disk used }
    autoDeploy { watchPaths }
    labels { key value }
    pendingChanges { hasBuildChanges hasDeployChanges hasScaleChanges }
    app { id type useImage gitRepo healthCheck { type path port } }
  }
  fragment ProbeSettings on Probe {
    type path port command initialDelaySeconds periodSeconds timeoutSeconds failureThreshold headers { key value }
  }
`)

export const Settings = graphql(
  `
  query Settings($env: String!) {
    appEnv(envName: $env) { ...EnvironmentSettings }
  }
`,
  [EnvironmentSettings],
)

/** What a size costs: each is null for those who may not read it. */
export const Prices = graphql(`
  query Prices($accountId: ID!) {
    account(id: $accountId) { id plan }
    plans { code name zCloudHourPrice volumeGbMonthPrice maxContainers maxZClouds autoscalingIncluded functionsIncluded }
    usage(accountId: $accountId) { currency }
  }
`)

/** Types and bounds of the settings of managed services. */
export const ServiceSettings = graphql(`
  query ServiceSettings {
    databasePresets {
      dockerPreset name
      versions { dockerPresetVersion label }
      settings { name description type default min max options }
    }
  }
`)

export const ChangeResources = graphql(
  `
  mutation ChangeResources($input: ChangeResourcesInput!) {
    changeResources(input: $input) { warning appEnv { ...EnvironmentSettings } }
  }
`,
  [EnvironmentSettings],
)

export const ChangeScaling = graphql(
  `
  mutation ChangeScaling($input: ChangeScalingInput!) {
    changeScaling(input: $input) { warning appEnv { ...EnvironmentSettings } }
  }
`,
  [EnvironmentSettings],
)

export const ChangeHealthcheck = graphql(
  `
  mutation ChangeHealthcheck($input: ChangeHealthcheckInput!) {
    changeHealthcheck(input: $input) { warning appEnv { ...EnvironmentSettings } }
  }
`,
  [EnvironmentSettings],
)

export const ChangeBranch = graphql(
  `
  mutation ChangeBranch($input: ChangeBranchInput!) {
    changeBranch(input: $input) { warning appEnv { ...EnvironmentSettings } }
  }
`,
  [EnvironmentSettings],
)

export const UpdateEnvironment = graphql(
  `
  mutation UpdateEnvironment($input: UpdateAppEnvInput!) {
    updateAppEnv(input: $input) { warning appEnv { ...EnvironmentSettings } }
  }
`,
  [EnvironmentSettings],
)

/** With dryRun: nothing of the answer may reach the cache. */
export const TryUpdate = graphql(`
  mutation TryUpdate($input: UpdateAppEnvInput!) {
    updateAppEnv(input: $input) { dryRun warning }
  }
`)

export const SetAutoDeploy = graphql(`
  mutation SetAutoDeploy($input: SetAutoDeployInput!) {
    setAutoDeploy(input: $input) { autoDeploy { watchPaths appEnv { id version autoDeploy { watchPaths } } } }
  }
`)

export const DeleteAutoDeploy = graphql(`
  mutation DeleteAutoDeploy($input: DeleteAutoDeployInput!) {
    deleteAutoDeploy(input: $input) { message }
  }
`)

export const ReferencedBy = graphql(`
  query ReferencedBy($env: String!) {
    referencedBy(envName: $env) { otherCount appEnvs { envName appEnv { id name app { id name } } variables { name } } }
  }
`)

export const DeleteEnvironment = graphql(`
  mutation DeleteEnvironment($input: DeleteAppEnvInput!) {
    deleteAppEnv(input: $input) { message dryRun }
  }
`)
