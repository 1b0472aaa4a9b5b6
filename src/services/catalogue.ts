import type { AnyCommand } from '../calls/command.ts'
import type { AnyQuery } from '../calls/query.ts'
import { acceptInvitation } from './account/accept-invitation.ts'
import {
  createAccount,
  deleteAccount,
  renameAccount,
  setCurrentAccount,
  updateAccount,
} from './account/account-commands.ts'
import { getAccount, getMember, listAccounts, listMembers, listRegions } from './account/account-queries.ts'
import { createInvitation, revokeInvitation } from './account/invitation-commands.ts'
import { getInvitation, listInvitations } from './account/invitation-queries.ts'
import { addMember, removeMember, updateMember } from './account/member-commands.ts'
import { leaveAccount, transferAccount } from './account/own-membership-commands.ts'
import { getApp, listApps } from './app/app-queries.ts'
import { createApp } from './app/create-app.ts'
import { deleteApp } from './app/delete-app.ts'
import { updateApp } from './app/update-app.ts'
import { listAppEnvs } from './app-env/app-env-queries.ts'
import {
  getAppEnv,
  getAppEnvHistory,
  getAppEnvStatus,
  getServiceCredentials,
  getVariables,
} from './app-env/app-env-reads.ts'
import { createAppEnv } from './app-env/create-app-env.ts'
import { deleteAppEnv } from './app-env/delete-app-env.ts'
import { getAppEnvReferences } from './app-env/reference-queries.ts'
import {
  changeBranch,
  changeHealthcheck,
  changeResources,
  changeScaling,
  renameAppEnv,
} from './app-env/setting-commands.ts'
import { updateAppEnv } from './app-env/update-app-env.ts'
import { changeVariables, deleteVariable, setVariables } from './app-env/variable-commands.ts'
import { getVariable } from './app-env/variable-queries.ts'
import { getAuditEntry, listAudit } from './audit/audit-queries.ts'
import { deleteAutoDeploy, setAutoDeploy } from './auto-deploy/auto-deploy-commands.ts'
import { getAutoDeploy } from './auto-deploy/auto-deploy-queries.ts'
import { getBackup, listBackups } from './backup/backup-queries.ts'
import { deleteBackup } from './backup/delete-backup.ts'
import { downloadBackup } from './backup/download-backup.ts'
import { getBuildCache } from './build-cache/build-cache-queries.ts'
import { clearBuildCache } from './build-cache/clear-build-cache.ts'
import { createCredential, updateCredential } from './credential/credential-commands.ts'
import { getCredential, listCredentials, listCredentialUsages } from './credential/credential-queries.ts'
import { deleteCredential } from './credential/delete-credential.ts'
import { testCredential } from './credential/test-credential.ts'
import { listDatabasePresets } from './database-preset/list-database-presets.ts'
import { getDeployment, listDeployments } from './deployment/deployment-queries.ts'
import { listEvents } from './event/event-queries.ts'
import { connectGitInstallation } from './git/connect-git-installation.ts'
import { createGitHook, deleteGitHook, rotateGitHookSecret, updateGitHook } from './git-hook/git-hook-commands.ts'
import { getGitDelivery, getGitHook, listGitDeliveries, listGitHooks } from './git-hook/git-hook-queries.ts'
import { addHost, removeHost, validateHost } from './host/host-commands.ts'
import { getHost, getHostById, getHostDns, listHosts } from './host/host-queries.ts'
import { cancelJobRun } from './job-run/cancel-job-run.ts'
import { createJobRun } from './job-run/create-job-run.ts'
import { getJobRun, listJobRuns } from './job-run/job-run-queries.ts'
import { retryJobRun } from './job-run/retry-job-run.ts'
import { deleteJobSchedule, setJobSchedule } from './job-schedule/schedule-commands.ts'
import { getJobSchedule } from './job-schedule/schedule-queries.ts'
import { backupOperations, deploymentOperations, serviceOperations } from './lifecycle/operations.ts'
import { getLogsDownload } from './log/download-logs.ts'
import { listLogs } from './log/log-queries.ts'
import { getMetrics, getMetricsSeries } from './metric/metric-queries.ts'
import { revokeAuthorization } from './oauth/authorization-commands.ts'
import { getAuthorization, listAuthorizations } from './oauth/authorization-queries.ts'
import { cancelOperation } from './operation/cancel-operation.ts'
import { getOperation, listOperations } from './operation/operation-queries.ts'
import { retryOperation } from './operation/retry-operation.ts'
import { createPlan, updatePlan } from './plan/plan-commands.ts'
import { listMachines, listPlans, listRegionEngines } from './plan/plan-queries.ts'
import { createRegion, updateRegion } from './plan/region-commands.ts'
import { listPods } from './pod/pod-queries.ts'
import { deletePullRequestEnvs, setPullRequestEnvs } from './pull-request-envs/pull-request-envs-commands.ts'
import { getPullRequestEnvs } from './pull-request-envs/pull-request-envs-queries.ts'
import { createExec, createTunnel } from './remote-session/remote-session-commands.ts'
import { searchAccount } from './search/search-queries.ts'
import { installCompose } from './solution/install-compose.ts'
import { installSolution } from './solution/install-solution.ts'
import { removeInstallation } from './solution/remove-installation.ts'
import { getInstallation, listInstallations, listSolutions } from './solution/solution-queries.ts'
import { upgradeInstallation } from './solution/upgrade-installation.ts'
import { getGitBranches, getGitRepositories } from './source/git-repository-queries.ts'
import { inspectSource } from './source/inspect-source.ts'
import { getSourceInspection } from './source/source-queries.ts'
import { getAppEnvToken, getUserToken } from './token/own-token-queries.ts'
import { rotateToken } from './token/rotate-token.ts'
import { createToken, revokeToken } from './token/token-commands.ts'
import { getToken, listTokens } from './token/token-queries.ts'
import { notifyCodeUpload } from './upload/notify-code-upload.ts'
import { requestStorageKey } from './upload/request-storage-key.ts'
import { deleteBudget, setBudget } from './usage/budget-commands.ts'
import { getBudget, getUsage, listStatements } from './usage/usage-queries.ts'
import { listUsers } from './user/installation-user-queries.ts'
import { getSelf } from './user/user-queries.ts'
import { getDeploymentConfiguration, getDifference } from './version/version-configuration-queries.ts'
import { deleteVolume } from './volume/delete-volume.ts'
import { getVolume, listVolumes } from './volume/volume-queries.ts'
import { getWebhookDelivery, listWebhookAttempts, listWebhookDeliveries } from './webhook/delivery-queries.ts'
import { redeliverWebhookDelivery } from './webhook/redeliver.ts'
import { testWebhook } from './webhook/test-webhook.ts'
import { createWebhook, deleteWebhook, rotateWebhookSecret, updateWebhook } from './webhook/webhook-commands.ts'
import { getWebhook, listWebhooks } from './webhook/webhook-queries.ts'

type Call = AnyCommand | AnyQuery

interface Group {
  /** The tag of its calls in the OpenAPI document. */
  name: string
  description: string
  calls: readonly Call[]
}

/**
 * Every call of the APIs, in the groups and the order in which the documentation shows them: REST, GraphQL, MCP, OpenAPI
 * and the table of permissions follow.
 */
export const GROUPS: readonly Group[] = [
  {
    name: 'Apps',
    description: 'What to run: an image or a source, its port and its health check.',
    calls: [getApp, listApps, searchAccount, createApp, updateApp, deleteApp],
  },
  {
    name: 'Deployments',
    description:
      'Deploy, roll back, stop and start an environment. Each call begins an operation and answers at once, or with `Prefer: wait` when the operation has ended.',
    calls: [
      getAppEnvStatus,
      getAppEnvHistory,
      getDeployment,
      getDeploymentConfiguration,
      getDifference,
      listDeployments,
      ...deploymentOperations,
    ],
  },
  {
    name: 'Uploads',
    description: 'Deploy from an archive: request an address, PUT the archive there, and start its build.',
    calls: [requestStorageKey, notifyCodeUpload],
  },
  {
    name: 'Settings',
    description:
      'Change an environment. A change is pending until it is applied; `applyImmediately` does that at once.',
    calls: [
      getVariable,
      getVariables,
      changeResources,
      changeScaling,
      changeBranch,
      changeHealthcheck,
      renameAppEnv,
      setVariables,
      changeVariables,
      deleteVariable,
    ],
  },
  {
    name: 'Hosts',
    description: 'Hosts of an environment. Your own are routed once a DNS record proves them.',
    calls: [getHost, getHostById, listHosts, getHostDns, addHost, validateHost, removeHost],
  },
  {
    name: 'Logs and metrics',
    description: 'What containers write and use, and how they are.',
    calls: [listPods, getMetrics, getMetricsSeries, listLogs, getLogsDownload],
  },
  {
    name: 'Remote sessions',
    description:
      'Commands in running containers, and tunnels to their ports: each call answers the address of a WebSocket that works once.',
    calls: [createExec, createTunnel],
  },
  {
    name: 'Tokens',
    description:
      'Tokens of users and environments, and applications authorised by OAuth. A token is shown once, when it is created or rotated.',
    calls: [
      getAppEnvToken,
      getToken,
      listTokens,
      getUserToken,
      getAuthorization,
      listAuthorizations,
      createToken,
      revokeToken,
      rotateToken,
      revokeAuthorization,
    ],
  },
  {
    name: 'Environments',
    description: 'Targets of an app’s deployments, such as production. Most calls take `envName` or `appEnvId`.',
    calls: [
      getAppEnv,
      listAppEnvs,
      getAppEnvReferences,
      getAutoDeploy,
      getBuildCache,
      createAppEnv,
      updateAppEnv,
      deleteAppEnv,
      setAutoDeploy,
      deleteAutoDeploy,
      clearBuildCache,
    ],
  },
  {
    name: 'Jobs',
    description: 'Runs of finite commands, and the schedules that start them.',
    calls: [
      listJobRuns,
      getJobRun,
      getJobSchedule,
      createJobRun,
      cancelJobRun,
      retryJobRun,
      setJobSchedule,
      deleteJobSchedule,
    ],
  },
  {
    name: 'Backups',
    description: 'Backups of managed services: taken, verified, restored and downloaded.',
    calls: [getBackup, listBackups, ...backupOperations, deleteBackup, downloadBackup],
  },
  {
    name: 'Operations',
    description: 'The work that calls have begun, with its steps.',
    calls: [getOperation, listOperations, cancelOperation, retryOperation],
  },
  {
    name: 'Volumes',
    description: 'Data that outlives containers and environments.',
    calls: [getVolume, listVolumes, deleteVolume],
  },
  {
    name: 'Services',
    description: 'Databases, caches and brokers: versions, limits, settings and credentials.',
    calls: [listDatabasePresets, getServiceCredentials, ...serviceOperations],
  },
  {
    name: 'Solutions',
    description: 'Apps that belong together, installed by one call that can be repeated until all of them run.',
    calls: [
      listSolutions,
      getInstallation,
      listInstallations,
      installSolution,
      installCompose,
      upgradeInstallation,
      removeInstallation,
    ],
  },
  {
    name: 'Webhooks',
    description: 'Receivers of an account’s events: programs, by Standard Webhooks, chats and e-mail.',
    calls: [
      getWebhook,
      listWebhooks,
      listWebhookDeliveries,
      getWebhookDelivery,
      listWebhookAttempts,
      createWebhook,
      updateWebhook,
      deleteWebhook,
      rotateWebhookSecret,
      testWebhook,
      redeliverWebhookDelivery,
    ],
  },
  {
    name: 'Usage',
    description: 'What an account used, what it costs, its statements and its budget.',
    calls: [getUsage, listStatements, getBudget, setBudget, deleteBudget],
  },
  {
    name: 'Push to deploy',
    description: 'Hooks that receive pushes from git hosts, their deliveries, and the environments that pushes deploy.',
    calls: [
      getGitHook,
      listGitHooks,
      listGitDeliveries,
      getGitDelivery,
      createGitHook,
      updateGitHook,
      deleteGitHook,
      rotateGitHookSecret,
    ],
  },
  {
    name: 'Accounts',
    description: 'Accounts, their members, plans and audit log; regions.',
    calls: [
      getAccount,
      getAuditEntry,
      listAudit,
      listEvents,
      listAccounts,
      listRegions,
      listRegionEngines,
      listMachines,
      listPlans,
      getMember,
      listMembers,
      getInvitation,
      listInvitations,
      getSelf,
      listUsers,
      createAccount,
      updateAccount,
      renameAccount,
      deleteAccount,
      setCurrentAccount,
      createRegion,
      updateRegion,
      createPlan,
      updatePlan,
      addMember,
      updateMember,
      removeMember,
      leaveAccount,
      transferAccount,
      createInvitation,
      revokeInvitation,
      acceptInvitation,
    ],
  },
  {
    name: 'Credentials',
    description: 'Logins for registries and proofs for git. No answer shows what is secret in them.',
    calls: [
      getCredential,
      listCredentialUsages,
      listCredentials,
      createCredential,
      updateCredential,
      deleteCredential,
      testCredential,
      connectGitInstallation,
    ],
  },
  {
    name: 'Sources',
    description: 'What could be built: repositories, their branches, and what a source looks like.',
    calls: [getGitRepositories, getGitBranches, getSourceInspection, inspectSource],
  },
  {
    name: 'More',
    description: 'Calls of no other group.',
    calls: [getPullRequestEnvs, setPullRequestEnvs, deletePullRequestEnvs],
  },
]

export const isQuery = (call: Call): call is AnyQuery => 'kind' in call

const calls = GROUPS.flatMap((group) => group.calls)

/** Every read. */
export const QUERIES: readonly AnyQuery[] = calls.filter(isQuery)

/** Every write. */
export const COMMANDS: readonly AnyCommand[] = calls.filter((call): call is AnyCommand => !isQuery(call))
