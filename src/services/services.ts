import type { Config } from '../config/config.ts'
import type { Database } from '../database/client.ts'
import { asDomainError } from '../database/errors.ts'
import type { Wakeups } from '../events/wakeups.ts'
import type { Vault } from '../secrets/vault.ts'
import { accounts, getAccount, getMember, listRegions, members } from './account/account-queries.ts'
import { getInvitation as getAccountInvitation, listInvitations } from './account/invitation-queries.ts'
import { apps, getApp } from './app/app-queries.ts'
import { readAppEnvHistory } from './app-env/app-env-history.ts'
import { appEnvs, observeAppEnv } from './app-env/app-env-queries.ts'
import { readAppEnvRecord, readVariables } from './app-env/app-env-record.ts'
import { readAppEnvStatus } from './app-env/app-env-status.ts'
import { readServiceCredentials } from './app-env/read-service-credentials.ts'
import { listAudit } from './audit/audit-queries.ts'
import { getAutoDeploy } from './auto-deploy/auto-deploy-queries.ts'
import { backups } from './backup/backup-queries.ts'
import { readBackupByLink } from './backup/download-backup.ts'
import { getBuildCache } from './build-cache/build-cache-queries.ts'
import { getCredential, listCredentials } from './credential/credential-queries.ts'
import { listCredentialUsages } from './credential/credential-usages.ts'
import { listDatabasePresets } from './database-preset/list-database-presets.ts'
import { deployments, getDeployment } from './deployment/deployment-queries.ts'
import { getGitDelivery, getGitHook, listGitDeliveries, listGitHooks } from './git-hook/git-hook-queries.ts'
import { findGitSource } from './git-hook/git-source.ts'
import { receiveGitHook } from './git-hook/receive-git-hook.ts'
import { getHost, listHosts } from './host/host-queries.ts'
import { getJobRun, jobRuns, listJobRuns, queuePositionOf, showJobRun } from './job-run/job-run-queries.ts'
import { getJobSchedule } from './job-schedule/schedule-queries.ts'
import { authenticate } from './kernel/authenticate.ts'
import type { Caller } from './kernel/caller.ts'
import { CallerCache } from './kernel/caller-cache.ts'
import type { AnyCommand, CallOptions, Performed, ResultOf } from './kernel/command.ts'
import { allowNestedReads } from './kernel/nested-reads.ts'
import type { OperationLimits } from './kernel/operation-limits.ts'
import { performAndWait } from './kernel/perform-and-wait.ts'
import { followBuild, getBuild } from './log/follow-build.ts'
import { followLogs, searchLogs } from './log/log-queries.ts'
import { readMetrics, readSeries } from './metric/metric-queries.ts'
import { getAuthorization, listAuthorizations, readConsent } from './oauth/authorization-queries.ts'
import { endByClient, findAccessToken, findAuthorization, issueAccessToken } from './oauth/authorizations.ts'
import { findClient, saveClient } from './oauth/oauth-clients.ts'
import { consumeState, destroyState, findState, saveState } from './oauth/oauth-state.ts'
import { getOperation, operations } from './operation/operation-queries.ts'
import { listPlans, listRegionEngines } from './plan/plan-queries.ts'
import { listPods } from './pod/pod-queries.ts'
import { getPullRequestEnvs } from './pull-request-envs/pull-request-envs-queries.ts'
import { listSessions } from './session/session-queries.ts'
import { signInByToken } from './session/sign-in-by-token.ts'
import { changePassword } from './sign-in/change-password.ts'
import { confirmCodes, offerCodes, removeCodes } from './sign-in/codes.ts'
import { CompanyProvider } from './sign-in/company-provider.ts'
import { addPasskey, offerPasskey, removePasskey } from './sign-in/passkeys.ts'
import { Passwords } from './sign-in/passwords.ts'
import { makeResetLink, requestPasswordReset, resetPassword } from './sign-in/reset-password.ts'
import { signInByCode } from './sign-in/sign-in-by-code.ts'
import { askCompany, signInByCompany } from './sign-in/sign-in-by-company.ts'
import { askForPasskey, signInByPasskey } from './sign-in/sign-in-by-passkey.ts'
import { signInByPassword } from './sign-in/sign-in-by-password.ts'
import { isByTokenOnly, readSignInMethods } from './sign-in/sign-in-methods.ts'
import { getInstallation, installations, listSolutions } from './solution/solution-queries.ts'
import { readAppEnvToken, readUserToken } from './token/own-token-queries.ts'
import { getToken, listTokens } from './token/token-queries.ts'
import { receiveUpload } from './upload/receive-upload.ts'
import { getBudget, listStatements, listUsageLines, readTotals } from './usage/usage-queries.ts'
import { getSelf } from './user/user-queries.ts'
import { volumes } from './volume/volume-queries.ts'
import { getWebhookDelivery, listWebhookAttempts, listWebhookDeliveries } from './webhook/delivery-queries.ts'
import { getWebhook, listWebhooks } from './webhook/webhook-queries.ts'

interface ServiceDependencies {
  database: Database
  config: Config
  vault: Vault
  wakeups: Wakeups
  limits?: OperationLimits | undefined
}

export type Services = ReturnType<typeof createServices>

/** Everything that the two APIs can ask for. They reach the database in no other way. */
export function createServices(dependencies: ServiceDependencies) {
  const { database } = dependencies
  const callers = new CallerCache()
  const { config } = dependencies
  const signIn = { ...dependencies, passwords: new Passwords(config), company: new CompanyProvider(config) }
  const services = {
    authenticate: (header: string | null | undefined, hash?: string | null) =>
      authenticate(database, callers, header, hash),
    perform: <C extends AnyCommand>(caller: Caller, command: C, input: unknown, options: CallOptions) =>
      performAndWait({ ...dependencies, callers }, caller, command, input, options) as Promise<Performed<ResultOf<C>>>,
    accounts: {
      ...bind(database, { ...accounts, get: getAccount, regions: listRegions, audit: listAudit }),
      ...bind(database, { members: members.slice, member: getMember }),
      ...bind(database, { invitations: listInvitations, invitation: getAccountInvitation }),
    },
    plans: bind(database, { list: listPlans, engines: listRegionEngines }),
    sessions: { ...bind(dependencies, { beginByToken: signInByToken }), ...bind(database, { list: listSessions }) },
    signIn: bind(signIn, {
      ...{ byPassword: signInByPassword, changePassword, methods: readSignInMethods, isByTokenOnly },
      ...{ requestPasswordReset, makeResetLink, resetPassword },
      ...{ offerCodes, confirmCodes, removeCodes, byCode: signInByCode },
      ...{ askCompany, byCompany: signInByCompany },
      ...{ offerPasskey, addPasskey, removePasskey, askForPasskey, byPasskey: signInByPasskey },
    }),
    users: bind(database, { self: getSelf }),
    credentials: bind(database, { list: listCredentials, get: getCredential, usages: listCredentialUsages }),
    tokens: bind(database, { list: listTokens, get: getToken, ofUser: readUserToken, ofAppEnv: readAppEnvToken }),
    authorizations: bind(database, { list: listAuthorizations, get: getAuthorization, consent: readConsent }),
    oauth: bind(dependencies, {
      ...{ saveState, findState, consumeState, destroyState, saveClient, findClient },
      ...{ cookieKey: async ({ vault }: ServiceDependencies) => vault.linkMac('oauth cookies') },
      ...{ find: findAuthorization, issue: issueAccessToken, findAccessToken, endByClient },
    }),
    apps: bind(database, { ...apps, get: getApp }),
    appEnvs: {
      ...bind(database, { ...appEnvs, observe: observeAppEnv, history: readAppEnvHistory }),
      ...bind(dependencies, { record: readAppEnvRecord, status: readAppEnvStatus, variables: readVariables }),
      ...bind(dependencies, { credentials: readServiceCredentials }),
    },
    databasePresets: { list: listDatabasePresets },
    deployments: bind(database, { ...deployments, get: getDeployment }),
    logs: {
      ...bind(database, { search: searchLogs, follow: followLogs, build: getBuild, followBuild }),
      /** Waits for a write to one of an environment's logs, but not for long. */
      next: (appEnvId: string, withinMs: number, signal: AbortSignal) =>
        dependencies.wakeups.next(appEnvId, withinMs, signal),
    },
    metrics: bind(database, { now: readMetrics, series: readSeries }),
    pods: bind(database, { list: listPods }),
    uploads: bind(dependencies, { receive: receiveUpload }),
    hosts: bind(dependencies, { list: listHosts, get: getHost }),
    volumes: bind(database, volumes),
    backups: { ...bind(database, backups), ...bind(dependencies, { read: readBackupByLink }) },
    jobRuns: bind(database, {
      ...{ get: getJobRun, show: showJobRun, list: listJobRuns, slice: jobRuns.slice },
      queuePosition: queuePositionOf,
    }),
    solutions: bind(database, {
      ...{ list: listSolutions, installation: getInstallation },
      ...{ installations: installations.list, slice: installations.slice },
    }),
    jobSchedules: bind(database, { get: getJobSchedule }),
    usage: {
      ...bind(dependencies, { totals: readTotals, lines: listUsageLines, budget: getBudget }),
      ...bind(database, { statements: listStatements }),
    },
    webhooks: bind(database, { list: listWebhooks, get: getWebhook }),
    webhookDeliveries: bind(database, {
      ...{ list: listWebhookDeliveries, get: getWebhookDelivery, attempts: listWebhookAttempts },
    }),
    gitHooks: {
      ...bind(database, { list: listGitHooks, get: getGitHook }),
      ...bind(dependencies, { source: findGitSource, receive: receiveGitHook }),
    },
    gitDeliveries: bind(database, { list: listGitDeliveries, get: getGitDelivery }),
    autoDeploys: bind(database, { get: getAutoDeploy }),
    buildCaches: bind(database, { get: getBuildCache }),
    pullRequestEnvs: bind(database, { get: getPullRequestEnvs }),
    operations: bind(database, { ...operations, get: getOperation }),
  }
  allowNestedReads(services, database)
  return services
}

/** Binds the first argument of functions, and turns an unreachable database into UNAVAILABLE. */
function bind<First, Functions extends Record<string, (first: First, ...rest: never[]) => unknown>>(
  first: First,
  functions: Functions,
) {
  type Bound = { [Name in keyof Functions]: OmitFirst<Functions[Name]> }
  const bound = Object.entries(functions).map(([name, call]) => {
    const withFirst = async (...rest: never[]) => {
      try {
        return await call(first, ...rest)
      } catch (error) {
        throw asDomainError(error)
      }
    }
    return [name, withFirst]
  })
  return Object.fromEntries(bound) as Bound
}

type OmitFirst<F> = F extends (first: never, ...rest: infer Rest) => Promise<infer Result>
  ? (...rest: Rest) => Promise<Result>
  : never
