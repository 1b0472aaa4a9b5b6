import { graphql } from '../../graphql/graphql.ts'

export const PlanState = graphql(`
  fragment PlanState on Plan {
    code name isDefault maxApps maxAppEnvs maxContainers maxZClouds maxBuildMinutes logDays metricDays
    functionsIncluded autoscalingIncluded
    zCloudHourPrice jobZCloudHourPrice buildMinutePrice volumeGbMonthPrice backupGbMonthPrice frozenGbMonthPrice
  }
`)

export const InstallationAccounts = graphql(`
  query InstallationAccounts($name: String, $after: String) {
    accounts(name: $name, first: 50, after: $after, orderBy: NAME) {
      totalCount
      nodes { id version name slug plan createdAt isVerified allowFunctions allowAutoScaling entitlements apps(first: 1) { totalCount } }
      pageInfo { hasNextPage endCursor }
    }
    plans { code name }
  }
`)

export const CreateAccount = graphql(`
  mutation CreateAccount($input: CreateAccountInput!) {
    createAccount(input: $input) { account { id name slug } }
  }
`)

export const UpdateAccount = graphql(`
  mutation UpdateAccount($input: UpdateAccountInput!) {
    updateAccount(input: $input) { account { id version plan allowFunctions allowAutoScaling entitlements } }
  }
`)

export const Plans = graphql(
  `
  query Plans {
    plans { ...PlanState }
  }
`,
  [PlanState],
)

export const CreatePlan = graphql(`
  mutation CreatePlan($input: CreatePlanInput!) {
    createPlan(input: $input) { code name }
  }
`)

export const UpdatePlan = graphql(`
  mutation UpdatePlan($input: UpdatePlanInput!) {
    updatePlan(input: $input) { code name }
  }
`)

export const Machines = graphql(`
  query Machines {
    machines { engine regions reachable measuredAt cpus loadAverage memoryMb memoryUsedMb diskMb diskFreeMb }
    regions { code name domain functionsSupported publicGatewayReady sandboxAddonReady }
    regionEngines { region engine engineReachable engineReason engineVersion engineObservedAt reachAddress }
  }
`)

export const CreateRegion = graphql(`
  mutation CreateRegion($input: CreateRegionInput!) {
    createRegion(input: $input) { code name }
  }
`)

export const UpdateRegion = graphql(`
  mutation UpdateRegion($input: UpdateRegionInput!) {
    updateRegion(input: $input) { code name }
  }
`)

export const Users = graphql(`
  query Users($search: String, $isInstallationAdmin: Boolean, $after: String) {
    users(search: $search, isInstallationAdmin: $isInstallationAdmin, first: 50, after: $after) {
      totalCount
      nodes { id username email isInstallationAdmin accountCount createdAt lastSignInAt lastUsedAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`)
