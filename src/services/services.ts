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
import { backups } from './backup/backup-queries.ts'
import { readBackupByLink } from './backup/download-backup.ts'
import { getCredential, listCredentials } from './credential/credential-queries.ts'
import { listDatabasePresets } from './database-preset/list-database-presets.ts'
import { deployments, getDeployment } from './deployment/deployment-queries.ts'
import { getHost, listHosts } from './host/host-queries.ts'
import { getJobRun, jobRuns, listJobRuns, queuePositionOf, showJobRun } from './job-run/job-run-queries.ts'
import { getJobSchedule } from './job-schedule/schedule-queries.ts'
import { authenticate } from './kernel/authenticate.ts'
import type { Caller } from './kernel/caller.ts'
import { CallerCache } from './kernel/caller-cache.ts'
import type { AnyCommand, CallOptions, Performed, ResultOf } from './kernel/command.ts'
import { allowNestedReads } from './kernel/nested-reads.ts'
import type { OperationLimits } from './kernel/perform.ts'
import { performAndWait } from './kernel/perform-and-wait.ts'
import { followBuild, getBuild } from './log/follow-build.ts'
import { followLogs, searchLogs } from './log/log-queries.ts'
import { readMetrics, readSeries } from './metric/metric-queries.ts'
import { getOperation, operations } from './operation/operation-queries.ts'
import { listPlans } from './plan/plan-queries.ts'
import { listPods } from './pod/pod-queries.ts'
import { getInstallation, installations, listSolutions } from './solution/solution-queries.ts'
import { readAppEnvToken, readUserToken } from './token/own-token-queries.ts'
import { getToken, listTokens } from './token/token-queries.ts'
import { receiveUpload } from './upload/receive-upload.ts'
import { getSelf } from './user/user-queries.ts'
import { volumes } from './volume/volume-queries.ts'
import { getWebhookDelivery, listWebhookDeliveries } from './webhook/delivery-queries.ts'
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
    plans: bind(database, { list: listPlans }),
    users: bind(database, { self: getSelf }),
    credentials: bind(database, { list: listCredentials, get: getCredential }),
    tokens: bind(database, { list: listTokens, get: getToken, ofUser: readUserToken, ofAppEnv: readAppEnvToken }),
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
    webhooks: bind(database, { list: listWebhooks, get: getWebhook }),
    webhookDeliveries: bind(database, { list: listWebhookDeliveries, get: getWebhookDelivery }),
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
