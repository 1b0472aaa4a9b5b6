import { getAccount, getMember, listAccounts, listMembers, listRegions } from './account/account-queries.ts'
import { getInvitation, listInvitations } from './account/invitation-queries.ts'
import { getApp, listApps } from './app/app-queries.ts'
import { listAppEnvs } from './app-env/app-env-queries.ts'
import {
  getAppEnv,
  getAppEnvHistory,
  getAppEnvStatus,
  getServiceCredentials,
  getVariables,
} from './app-env/app-env-reads.ts'
import { listAudit } from './audit/audit-queries.ts'
import { getAutoDeploy } from './auto-deploy/auto-deploy-queries.ts'
import { listBackups } from './backup/backup-queries.ts'
import { getBuildCache } from './build-cache/build-cache-queries.ts'
import { getCredential, listCredentials, listCredentialUsages } from './credential/credential-queries.ts'
import { listDatabasePresets } from './database-preset/list-database-presets.ts'
import { getDeployment, listDeployments } from './deployment/deployment-queries.ts'
import { getGitDelivery, getGitHook, listGitDeliveries, listGitHooks } from './git-hook/git-hook-queries.ts'
import { getHost, listHosts } from './host/host-queries.ts'
import { getJobRun, listJobRuns } from './job-run/job-run-queries.ts'
import { getJobSchedule } from './job-schedule/schedule-queries.ts'
import type { AnyQuery } from './kernel/query.ts'
import { listLogs } from './log/log-queries.ts'
import { getMetrics, getMetricsSeries } from './metric/metric-queries.ts'
import { getAuthorization, listAuthorizations } from './oauth/authorization-queries.ts'
import { getOperation, listOperations } from './operation/operation-queries.ts'
import { listPlans, listRegionEngines } from './plan/plan-queries.ts'
import { listPods } from './pod/pod-queries.ts'
import { getPullRequestEnvs } from './pull-request-envs/pull-request-envs-queries.ts'
import { getInstallation, listInstallations, listSolutions } from './solution/solution-queries.ts'
import { getAppEnvToken, getUserToken } from './token/own-token-queries.ts'
import { getToken, listTokens } from './token/token-queries.ts'
import { getBudget, getUsage, listStatements } from './usage/usage-queries.ts'
import { getSelf } from './user/user-queries.ts'
import { listVolumes } from './volume/volume-queries.ts'
import { getWebhookDelivery, listWebhookAttempts, listWebhookDeliveries } from './webhook/delivery-queries.ts'
import { getWebhook, listWebhooks } from './webhook/webhook-queries.ts'

/** Every read of the APIs: REST, GraphQL, MCP, OpenAPI and the table of permissions follow. */
export const QUERIES: readonly AnyQuery[] = [
  getApp,
  listApps,
  getPullRequestEnvs,
  getAppEnv,
  listAppEnvs,
  getAppEnvStatus,
  getAppEnvHistory,
  getDeployment,
  listDeployments,
  getAppEnvToken,
  getVariables,
  getServiceCredentials,
  listBackups,
  getHost,
  listHosts,
  listJobRuns,
  getJobRun,
  getJobSchedule,
  getAutoDeploy,
  getBuildCache,
  listVolumes,
  listPods,
  getMetrics,
  getMetricsSeries,
  listLogs,
  getOperation,
  listOperations,
  getAccount,
  listAudit,
  getUsage,
  listStatements,
  getBudget,
  listAccounts,
  listRegions,
  listRegionEngines,
  listPlans,
  listDatabasePresets,
  listSolutions,
  getInstallation,
  listInstallations,
  getMember,
  listMembers,
  getInvitation,
  listInvitations,
  getWebhook,
  listWebhooks,
  listWebhookDeliveries,
  getWebhookDelivery,
  listWebhookAttempts,
  getGitHook,
  listGitHooks,
  listGitDeliveries,
  getGitDelivery,
  getCredential,
  listCredentialUsages,
  listCredentials,
  getToken,
  listTokens,
  getUserToken,
  getAuthorization,
  listAuthorizations,
  getSelf,
]
