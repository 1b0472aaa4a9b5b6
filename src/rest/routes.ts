import { z } from 'zod'
import { createAccount, deleteAccount, setCurrentAccount } from '../services/account/account-commands.ts'
import { addMember, removeMember, updateMember } from '../services/account/member-commands.ts'
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
import { createCredential, deleteCredential, updateCredential } from '../services/credential/credential-commands.ts'
import { addHost, removeHost, validateHost } from '../services/host/host-commands.ts'
import { lifecycleOperations } from '../services/lifecycle/operations.ts'
import { cancelOperation } from '../services/operation/cancel-operation.ts'
import { retryOperation } from '../services/operation/retry-operation.ts'
import { createToken, revokeToken } from '../services/token/token-commands.ts'
import { notifyCodeUpload } from '../services/upload/notify-code-upload.ts'
import { requestStorageKey } from '../services/upload/request-storage-key.ts'
import { deleteVolume } from '../services/volume/delete-volume.ts'
import { createdAccount, currentAccount, getAccount, listAccounts, listRegions } from './endpoints/accounts.ts'
import { changedSetting, changedVariables, getVariables } from './endpoints/app-env-settings.ts'
import { getAppEnvHistory, getAppEnvStatus } from './endpoints/app-env-status.ts'
import { createdAppEnv, getAppEnv, listAppEnvs, updatedAppEnv } from './endpoints/app-envs.ts'
import { createdApp, getApp, listApps, updatedApp } from './endpoints/apps.ts'
import { listAudit } from './endpoints/audit.ts'
import { createdCredential, credential, getCredential, listCredentials } from './endpoints/credentials.ts'
import { getHost, hostAnswer, listHosts } from './endpoints/hosts.ts'
import { listLogs } from './endpoints/logs.ts'
import { getMember, listMembers, member } from './endpoints/members.ts'
import { getOperation, lifecycleAnswer, listOperations, rollbackAnswer } from './endpoints/operations.ts'
import { getMetrics, getMetricsSeries, listPods } from './endpoints/pods-and-metrics.ts'
import { createdToken, getAppEnvToken, getToken, getUserToken, listTokens } from './endpoints/tokens.ts'
import { storageKeyAnswer } from './endpoints/uploads.ts'
import { listVolumes } from './endpoints/volumes.ts'
import { del, get, patch, post, put, type Route } from './protocol/route.ts'

/** What a deletion answers (§4.2). */
const messageAnswer = z.object({ message: z.string().describe('What was done, in words.') })

/** POST /app-env/<operation>, one for each lifecycle operation (§4.1). */
const lifecycleRoutes: Route[] = Object.entries(lifecycleOperations).map(([name, command]) => {
  const answer = command.name === 'rollbackAppEnv' ? rollbackAnswer : lifecycleAnswer
  return { ...post(`/app-env/${name}`, command, answer), isLifecycle: true }
})

/** Every path of v1, below /api/public/v1: method, path, command or query, and the answer of a command. */
export const routes: readonly Route[] = [
  post('/app', createApp, createdApp),
  get('/app', getApp),
  patch('/app', updateApp, updatedApp),
  del('/app', deleteApp, messageAnswer),
  get('/apps', listApps),

  post('/app-env', createAppEnv, createdAppEnv),
  get('/app-env', getAppEnv),
  put('/app-env', updateAppEnv, updatedAppEnv),
  del('/app-env', deleteAppEnv, messageAnswer),
  get('/app-envs', listAppEnvs),
  ...lifecycleRoutes,
  post('/app-env/request-storage-key', requestStorageKey, storageKeyAnswer),
  { ...post('/app-env/notify-code-upload', notifyCodeUpload, lifecycleAnswer), isLifecycle: true },
  get('/app-env/status', getAppEnvStatus),
  get('/app-env/history', getAppEnvHistory),
  get('/app-env/token', getAppEnvToken),
  patch('/app-env/resources', changeResources, changedSetting),
  patch('/app-env/scaling', changeScaling, changedSetting),
  patch('/app-env/branch', changeBranch, changedSetting),
  patch('/app-env/healthcheck', changeHealthcheck, changedSetting),
  patch('/app-env/name', renameAppEnv, changedSetting),
  get('/app-env/variables', getVariables),
  put('/app-env/variables', setVariables, changedVariables),
  patch('/app-env/variables', changeVariables, changedVariables),
  del('/app-env/variables', deleteVariable, changedVariables),
  get('/app-env/host', getHost),
  post('/app-env/host', addHost, hostAnswer),
  put('/app-env/host', validateHost, hostAnswer),
  del('/app-env/host', removeHost, messageAnswer),
  get('/app-env/hosts', listHosts),
  get('/volumes', listVolumes),
  del('/volume', deleteVolume, messageAnswer),

  get('/app-env/pods', listPods),
  get('/app-env/metrics', getMetrics),
  get('/app-env/metrics-series', getMetricsSeries),
  get('/logs', listLogs),

  get('/operation', getOperation),
  get('/operations', listOperations),
  post('/operation/cancel', cancelOperation, lifecycleAnswer),
  post('/operation/retry', retryOperation, lifecycleAnswer),

  post('/account', createAccount, createdAccount),
  get('/account', getAccount),
  del('/account', deleteAccount, messageAnswer),
  put('/account/current', setCurrentAccount, currentAccount),
  get('/account/audit', listAudit),
  get('/accounts', listAccounts),
  get('/regions', listRegions),

  post('/account/member', addMember, member),
  get('/account/member', getMember),
  patch('/account/member', updateMember, member),
  del('/account/member', removeMember, messageAnswer),
  get('/account/members', listMembers),

  post('/credential', createCredential, createdCredential),
  get('/credential', getCredential),
  put('/credential', updateCredential, credential),
  del('/credential', deleteCredential, messageAnswer),
  get('/credentials', listCredentials),

  post('/token', createToken, createdToken),
  get('/token', getToken),
  del('/token', revokeToken, messageAnswer),
  get('/tokens', listTokens),
  get('/user/token', getUserToken),
]
