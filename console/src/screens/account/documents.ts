import { graphql } from '../../graphql/graphql.ts'

export const AccountDetail = graphql(`
  query AccountDetail($accountId: ID!) {
    account(id: $accountId) {
      id version name slug plan createdAt isVerified isCurrent allowFunctions allowAutoScaling entitlements
      apps(first: 1) { totalCount }
      appEnvs(first: 1) { totalCount }
    }
    plans {
      code name isDefault maxApps maxAppEnvs maxContainers maxZClouds maxBuildMinutes logDays metricDays
      functionsIncluded autoscalingIncluded
      zCloudHourPrice jobZCloudHourPrice buildMinutePrice volumeGbMonthPrice backupGbMonthPrice frozenGbMonthPrice
      maxBuildResources { cpu memoryMb diskMb timeoutSeconds }
    }
    regions(accountId: $accountId) { code name domain functionsSupported engineReachable }
    usage(accountId: $accountId) { currency totals { kind unit quantity } }
  }
`)

export const Volumes = graphql(`
  query Volumes($accountId: ID!, $after: String) {
    volumes(accountId: $accountId, first: 200, after: $after) {
      totalCount
      nodes { id version cliEnvName path disk used region isAttached createdAt appEnv { id name cliEnvName app { id name } } }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const DeleteVolume = graphql(`
  mutation DeleteVolume($input: DeleteVolumeInput!) {
    deleteVolume(input: $input) { message deletedVolumeId }
  }
`)

export const RenameAccount = graphql(`
  mutation RenameAccount($input: RenameAccountInput!) {
    renameAccount(input: $input) { account { id name slug version } }
  }
`)

export const SetCurrentAccount = graphql(`
  mutation SetCurrentAccount($input: SetCurrentAccountInput!) {
    setCurrentAccount(input: $input) { message account { id isCurrent } }
  }
`)

export const DeleteAccount = graphql(`
  mutation DeleteAccount($input: DeleteAccountInput!) {
    deleteAccount(input: $input) { message deletedAccountId }
  }
`)
