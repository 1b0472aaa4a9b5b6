import { autoDeploy } from '../resources/auto-deploy.ts'
import { createdGitHook, gitHook } from '../resources/git-hook.ts'
import { host } from '../resources/host.ts'
import { invitationAnswers } from '../resources/invitation.ts'
import { jobRun } from '../resources/job-run.ts'
import { jobSchedule } from '../resources/job-schedule.ts'
import { member } from '../resources/member.ts'
import { answers } from '../resources/outcome.ts'
import { plan } from '../resources/plan.ts'
import { pullRequestEnvs } from '../resources/pull-request-envs.ts'
import { region } from '../resources/region.ts'
import { installed, upgraded } from '../resources/solution-installation.ts'
import { createdToken, rotatedToken } from '../resources/token.ts'
import { budgetChange } from '../resources/usage.ts'
import { createdWebhook, webhook } from '../resources/webhook.ts'
import { webhookDelivery } from '../resources/webhook-delivery.ts'
import { acceptInvitation } from '../services/account/accept-invitation.ts'
import { createAccount, deleteAccount, setCurrentAccount, updateAccount } from '../services/account/account-commands.ts'
import { createInvitation, revokeInvitation } from '../services/account/invitation-commands.ts'
import { addMember, removeMember, updateMember } from '../services/account/member-commands.ts'
import { leaveAccount, transferAccount } from '../services/account/own-membership-commands.ts'
import { createApp } from '../services/app/create-app.ts'
import { deleteApp } from '../services/app/delete-app.ts'
import { updateApp } from '../services/app/update-app.ts'
import { createAppEnv } from '../services/app-env/create-app-env.ts'
import { deleteAppEnv } from '../services/app-env/delete-app-env.ts'
import {
  changeBranch,
  changeHealthcheck,
  changeResources,
  changeScaling,
  renameAppEnv,
} from '../services/app-env/setting-commands.ts'
import { updateAppEnv } from '../services/app-env/update-app-env.ts'
import { changeVariables, deleteVariable, setVariables } from '../services/app-env/variable-commands.ts'
import { deleteAutoDeploy, setAutoDeploy } from '../services/auto-deploy/auto-deploy-commands.ts'
import { deleteBackup } from '../services/backup/delete-backup.ts'
import { downloadBackup } from '../services/backup/download-backup.ts'
import { clearBuildCache } from '../services/build-cache/clear-build-cache.ts'
import { QUERIES } from '../services/catalogue.ts'
import { createCredential, updateCredential } from '../services/credential/credential-commands.ts'
import { deleteCredential } from '../services/credential/delete-credential.ts'
import { testCredential } from '../services/credential/test-credential.ts'
import { connectGitInstallation } from '../services/git/connect-git-installation.ts'
import {
  createGitHook,
  deleteGitHook,
  rotateGitHookSecret,
  updateGitHook,
} from '../services/git-hook/git-hook-commands.ts'
import { addHost, removeHost, validateHost } from '../services/host/host-commands.ts'
import { cancelJobRun } from '../services/job-run/cancel-job-run.ts'
import { createJobRun } from '../services/job-run/create-job-run.ts'
import { retryJobRun } from '../services/job-run/retry-job-run.ts'
import { deleteJobSchedule, setJobSchedule } from '../services/job-schedule/schedule-commands.ts'
import { lifecycleOperations } from '../services/lifecycle/operations.ts'
import { revokeAuthorization } from '../services/oauth/authorization-commands.ts'
import { cancelOperation } from '../services/operation/cancel-operation.ts'
import { retryOperation } from '../services/operation/retry-operation.ts'
import { createPlan, updatePlan } from '../services/plan/plan-commands.ts'
import { createRegion, updateRegion } from '../services/plan/region-commands.ts'
import { deletePullRequestEnvs, setPullRequestEnvs } from '../services/pull-request-envs/pull-request-envs-commands.ts'
import { installCompose } from '../services/solution/install-compose.ts'
import { installSolution } from '../services/solution/install-solution.ts'
import { removeInstallation } from '../services/solution/remove-installation.ts'
import { upgradeInstallation } from '../services/solution/upgrade-installation.ts'
import { rotateToken } from '../services/token/rotate-token.ts'
import { createToken, revokeToken } from '../services/token/token-commands.ts'
import { notifyCodeUpload } from '../services/upload/notify-code-upload.ts'
import { requestStorageKey } from '../services/upload/request-storage-key.ts'
import { deleteBudget, setBudget } from '../services/usage/budget-commands.ts'
import { deleteVolume } from '../services/volume/delete-volume.ts'
import { redeliverWebhookDelivery } from '../services/webhook/redeliver.ts'
import { testWebhook } from '../services/webhook/test-webhook.ts'
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from '../services/webhook/webhook-commands.ts'
import { readOf } from './protocol/reads.ts'
import { del, patch, post, put, type ReadRoute, type Route, type WriteRoute } from './protocol/route.ts'

const LIFECYCLE_ANSWERS: Readonly<Record<string, Parameters<typeof post>[2]>> = {
  rollback: answers.rollback,
  backup: answers.backup,
  'backup-restore': answers.backup,
  'backup-verify': answers.backup,
}

/** POST /app-env/<operation>, one for each lifecycle operation (§4.1). */
const lifecycleRoutes: WriteRoute[] = Object.entries(lifecycleOperations).map(([name, command]) => {
  const answer = LIFECYCLE_ANSWERS[name] ?? answers.lifecycle
  return { ...post(`/app-env/${name}`, command, answer), isLifecycle: true }
})

/** Two paths of one command: CI clients know the second. */
const codeUploadRoutes: WriteRoute[] = [
  { ...post('/app-env/notify-code-upload', notifyCodeUpload, answers.lifecycle), isLifecycle: true },
  {
    ...post('/app-env/upload-storage-event', notifyCodeUpload, answers.lifecycle),
    isLifecycle: true,
    alias: 'uploadStorageEvent',
  },
]

/** The path of each write, below /api/public/v1, with its answer. */
const writes: readonly WriteRoute[] = [
  post('/app', createApp, answers.createdApp),
  patch('/app', updateApp, answers.updatedApp),
  del('/app', deleteApp, answers.message),
  put('/app/pull-request-envs', setPullRequestEnvs, pullRequestEnvs.answer),
  del('/app/pull-request-envs', deletePullRequestEnvs, answers.message),

  post('/app-env', createAppEnv, answers.createdAppEnv),
  put('/app-env', updateAppEnv, answers.updatedAppEnv),
  del('/app-env', deleteAppEnv, answers.message),
  ...lifecycleRoutes,
  post('/app-env/request-storage-key', requestStorageKey, answers.storageKey),
  ...codeUploadRoutes,
  patch('/app-env/resources', changeResources, answers.changedSetting),
  patch('/app-env/scaling', changeScaling, answers.changedSetting),
  patch('/app-env/branch', changeBranch, answers.changedBranch),
  patch('/app-env/healthcheck', changeHealthcheck, answers.changedSetting),
  patch('/app-env/name', renameAppEnv, answers.changedSetting),
  put('/app-env/variables', setVariables, answers.changedVariables),
  patch('/app-env/variables', changeVariables, answers.changedVariables),
  del('/app-env/variables', deleteVariable, answers.changedVariables),
  del('/app-env/backup', deleteBackup, answers.message),
  post('/app-env/backup-download', downloadBackup, answers.backupDownload),
  post('/app-env/host', addHost, host.answer),
  put('/app-env/host', validateHost, host.answer),
  del('/app-env/host', removeHost, answers.message),
  post('/app-env/job-runs', createJobRun, jobRun.answer),
  post('/app-env/job-run/cancel', cancelJobRun, jobRun.answer),
  post('/app-env/job-run/retry', retryJobRun, jobRun.answer),
  put('/app-env/job-schedule', setJobSchedule, jobSchedule.answer),
  del('/app-env/job-schedule', deleteJobSchedule, answers.message),
  put('/app-env/auto-deploy', setAutoDeploy, autoDeploy.answer),
  del('/app-env/auto-deploy', deleteAutoDeploy, answers.message),
  del('/app-env/build-cache', clearBuildCache, answers.message),
  del('/volume', deleteVolume, answers.message),

  post('/operation/cancel', cancelOperation, answers.lifecycle),
  post('/operation/retry', retryOperation, answers.lifecycle),

  post('/account', createAccount, answers.createdAccount),
  put('/account', updateAccount, answers.updatedAccount),
  del('/account', deleteAccount, answers.message),
  put('/account/current', setCurrentAccount, answers.currentAccount),
  put('/account/budget', setBudget, budgetChange),
  del('/account/budget', deleteBudget, answers.message),
  post('/region', createRegion, region.answer),
  put('/region', updateRegion, region.answer),
  post('/plan', createPlan, plan.answer),
  put('/plan', updatePlan, plan.answer),

  post('/solutions', installSolution, installed),
  post('/solutions/compose', installCompose, installed),
  post('/solutions/installation/upgrade', upgradeInstallation, upgraded),
  del('/solutions/installation', removeInstallation, answers.message),

  post('/account/member', addMember, member.answer),
  patch('/account/member', updateMember, member.answer),
  del('/account/member', removeMember, answers.message),
  post('/account/leave', leaveAccount, answers.message),
  post('/account/transfer', transferAccount, invitationAnswers.transferred),
  post('/account/invitation', createInvitation, invitationAnswers.created),
  del('/account/invitation', revokeInvitation, answers.message),
  post('/account/invitation/accept', acceptInvitation, invitationAnswers.accepted),

  post('/account/webhook', createWebhook, createdWebhook),
  put('/account/webhook', updateWebhook, webhook.answer),
  del('/account/webhook', deleteWebhook, answers.message),
  post('/account/webhook/rotate-secret', rotateWebhookSecret, createdWebhook),
  post('/account/webhook/test', testWebhook, answers.testedWebhook),
  post('/account/webhook/delivery/redeliver', redeliverWebhookDelivery, webhookDelivery.answer),

  post('/account/git-hook', createGitHook, createdGitHook),
  put('/account/git-hook', updateGitHook, gitHook.answer),
  del('/account/git-hook', deleteGitHook, answers.message),
  post('/account/git-hook/rotate-secret', rotateGitHookSecret, createdGitHook),

  post('/credential', createCredential, answers.createdCredential),
  put('/credential', updateCredential, answers.changedCredential),
  del('/credential', deleteCredential, answers.message),
  post('/credential/test', testCredential, answers.testedCredential),

  post('/git-installation', connectGitInstallation, answers.message),

  post('/token', createToken, createdToken),
  del('/token', revokeToken, answers.message),
  post('/token/rotate', rotateToken, rotatedToken),
  del('/user/authorization', revokeAuthorization, answers.message),
]

const reads: readonly ReadRoute[] = QUERIES.flatMap((query) =>
  query.path === null ? [] : [{ method: 'GET' as const, path: query.path, read: readOf(query) }],
)

/** Every path of v1, by path; a read comes before the writes of its path. */
export const routes: readonly Route[] = [...reads, ...writes].sort((one, other) =>
  one.path < other.path ? -1 : one.path > other.path ? 1 : 0,
)
