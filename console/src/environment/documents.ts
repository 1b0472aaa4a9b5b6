import { EnvironmentState, OperationState } from '../graphql/documents.ts'
import { graphql } from '../graphql/graphql.ts'

/** What stands above every screen of an environment, and decides which screens it has. */
export const EnvironmentHead = graphql(
  `
  query EnvironmentHead($env: String!) {
    appEnv(envName: $env) {
      ...EnvironmentState
      account { id name slug }
      hosts { id }
      dockerPresetVersion
      jobConfig { backoffLimit }
      functionConfig { minScale }
    }
  }
`,
  [EnvironmentState],
)

/** What the environment would run if its changes were applied now. */
export const PendingChanges = graphql(`
  query PendingChanges($env: String!) {
    appEnv(envName: $env) {
      id
      pendingChanges { hasBuildChanges hasDeployChanges hasScaleChanges changes { kind field from to } }
    }
  }
`)

export const ApplyChanges = graphql(`
  mutation ApplyChanges($input: ApplyChangesInput!) {
    applyChanges(input: $input) { message appEnv { id status } operation { id status } }
  }
`)

export const StartEnvironment = graphql(`
  mutation StartEnvironment($input: StartAppEnvInput!) {
    startAppEnv(input: $input) { message appEnv { id status } operation { id status } }
  }
`)

export const StopEnvironment = graphql(`
  mutation StopEnvironment($input: StopAppEnvInput!) {
    stopAppEnv(input: $input) { message appEnv { id status } operation { id status } }
  }
`)

export const RestartEnvironment = graphql(`
  mutation RestartEnvironment($input: RestartAppEnvInput!) {
    restartAppEnv(input: $input) { message appEnv { id status } operation { id status } }
  }
`)

export const RedeployEnvironment = graphql(`
  mutation RedeployEnvironment($input: RedeployAppEnvInput!) {
    redeployAppEnv(input: $input) { message appEnv { id status } operation { id status } }
  }
`)

export const CancelOperation = graphql(`
  mutation CancelOperation($input: CancelOperationInput!) {
    cancelOperation(input: $input) { message appEnv { id status } operation { id status } }
  }
`)

export const RetryOperation = graphql(`
  mutation RetryOperation($input: RetryOperationInput!) {
    retryOperation(input: $input) { message appEnv { id status } operation { id status } }
  }
`)

/** Where the archive of a source is put. */
export const RequestStorageKey = graphql(`
  mutation RequestStorageKey($input: RequestStorageKeyInput!) {
    requestStorageKey(input: $input) { storageKey uploadUrl }
  }
`)

/** The archive is there: it is built and deployed. */
export const NotifyCodeUpload = graphql(`
  mutation NotifyCodeUpload($input: NotifyCodeUploadInput!) {
    notifyCodeUpload(input: $input) { message appEnv { id status } operation { id status } }
  }
`)
/** What a call has begun. */
export const OneOperation = graphql(
  `
  query OneOperation($id: ID!) {
    operation(id: $id) { ...OperationState }
  }
`,
  [OperationState],
)
