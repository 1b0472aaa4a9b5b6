import { authenticate } from '../calls/authenticate.ts'
import type { Caller } from '../calls/caller.ts'
import { CallerCache } from '../calls/caller-cache.ts'
import type { AnyCommand, CallOptions, OperationLimits, Performed, ResultOf } from '../calls/command.ts'
import { allowNestedReads } from '../calls/nested-reads.ts'
import type { Page, PageRequest } from '../calls/page.ts'
import { performAndWait } from '../calls/perform-and-wait.ts'
import type { ListQuery, Query, QueryContext, RestQuery, WholeListQuery } from '../calls/query.ts'
import type { Slice, Wanted } from '../calls/read.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../storage/database/client.ts'
import { asDomainError } from '../storage/database/errors.ts'
import type { Wakeups } from '../storage/events/wakeups.ts'
import type { Vault } from '../storage/secrets/vault.ts'
import { members } from './account/account-queries.ts'
import { readAppEnvRecord } from './app-env/app-env-record.ts'
import { readServiceCredentials } from './app-env/read-service-credentials.ts'
import { findAudit } from './audit/audit-queries.ts'
import { readBackupByLink } from './backup/download-backup.ts'
import { findGitSource } from './git-hook/git-source.ts'
import { receiveGitHook } from './git-hook/receive-git-hook.ts'
import { queuePositionOf } from './job-run/job-run-queries.ts'
import { readLogsByLink } from './log/download-logs.ts'
import { followBuild, getBuild } from './log/follow-build.ts'
import { followLogs, linesAround, searchLogs } from './log/log-queries.ts'
import { searchManyLogs } from './log/search-many.ts'
import { readSeries, readSeriesList } from './metric/metric-series.ts'
import { readConsent } from './oauth/authorization-queries.ts'
import { endByClient, findAccessToken, findAuthorization, issueAccessToken } from './oauth/authorizations.ts'
import { findClient, saveClient } from './oauth/oauth-clients.ts'
import { consumeState, destroyState, findState, saveState } from './oauth/oauth-state.ts'
import {
  callWorkers,
  endHeldSession,
  holdSessions,
  isWorkerOf,
  leaveSession,
  mayGoOn,
  redeemTicket,
} from './remote-session/held-sessions.ts'
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
import { observeAppEnv } from './targets/get-app-env.ts'
import { receiveUpload } from './upload/receive-upload.ts'
import { listUsageLines, readTotals } from './usage/usage-queries.ts'
import { findActor, findSelf } from './user/user-queries.ts'

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
    ...readsOf(dependencies),
    accounts: bind(database, { audit: findAudit, members: members.slice, countMembers: members.count }),
    sessions: { ...bind(dependencies, { beginByToken: signInByToken }), ...bind(database, { list: listSessions }) },
    signIn: bind(signIn, {
      byPassword: signInByPassword,
      changePassword,
      methods: readSignInMethods,
      isByTokenOnly,
      requestPasswordReset,
      makeResetLink,
      resetPassword,
      offerCodes,
      confirmCodes,
      removeCodes,
      byCode: signInByCode,
      askCompany,
      byCompany: signInByCompany,
      offerPasskey,
      addPasskey,
      removePasskey,
      askForPasskey,
      byPasskey: signInByPasskey,
    }),
    users: bind(database, { self: findSelf, actor: findActor }),
    authorizations: bind(database, { consent: readConsent }),
    oauth: bind(dependencies, {
      saveState,
      findState,
      consumeState,
      destroyState,
      saveClient,
      findClient,
      cookieKey: async ({ vault }: ServiceDependencies) => vault.linkMac('oauth cookies'),
      find: findAuthorization,
      issue: issueAccessToken,
      findAccessToken,
      endByClient,
    }),
    appEnvs: {
      ...bind(database, { observe: observeAppEnv }),
      ...bind(dependencies, { record: readAppEnvRecord, credentials: readServiceCredentials }),
    },
    logs: {
      ...bind(database, {
        search: searchLogs,
        searchMany: searchManyLogs,
        around: linesAround,
        follow: followLogs,
        build: getBuild,
        followBuild,
      }),
      ...bind(dependencies, { file: readLogsByLink }),
      /** Waits for a write to one of an environment's logs, but not for long. */
      next: (appEnvId: string, withinMs: number, signal: AbortSignal) =>
        dependencies.wakeups.next(appEnvId, withinMs, signal),
    },
    metrics: bind(database, { series: readSeries, seriesList: readSeriesList }),
    uploads: bind(dependencies, { receive: receiveUpload }),
    backups: bind(dependencies, { read: readBackupByLink }),
    jobRuns: bind(database, { queuePosition: queuePositionOf }),
    remoteSessions: bind(dependencies, {
      redeem: redeemTicket,
      callWorkers,
      mayGoOn,
      isWorkerOf,
      hold: holdSessions,
      end: endHeldSession,
      leave: leaveSession,
    }),
    usage: bind(dependencies, { totals: readTotals, lines: listUsageLines }),
    gitHooks: bind(dependencies, { source: findGitSource, receive: receiveGitHook }),
  }
  allowNestedReads(services, database)
  return services
}

/** Who asks, and under which id the request is in the log. */
type Who = Pick<QueryContext, 'caller' | 'requestId' | 'origin'>

/** The reads of the catalogue, each by its declaration. */
function readsOf(dependencies: ServiceDependencies) {
  const contextOf = ({ caller, requestId, origin }: Who): QueryContext => ({
    ...dependencies,
    caller,
    requestId,
    origin,
  })
  return {
    find: <Input, Row>(query: Query<Input, Row>, who: Who, input: Input, wanted: Wanted = {}): Promise<Row> =>
      answered(() => query.find(contextOf(who), input, wanted)),
    /** With what REST shows and no column has. */
    findWhole: <Input, Row>(query: Query<Input, Row>, who: Who, input: Input, wanted: Wanted = {}): Promise<Row> =>
      answered(async () => {
        const row = await query.find(contextOf(who), input, wanted)
        return query.complete ? query.complete(contextOf(who), row) : row
      }),
    list: <Filter, Row>(
      query: ListQuery<Filter, Row>,
      who: Who,
      filter: Filter,
      page: PageRequest,
      wanted: Wanted = {},
    ): Promise<Page<Row>> => answered(() => query.list(contextOf(who), filter, page, wanted)),
    /** Of a list of rows alone. */
    slice: <Filter, Row>(query: ListQuery<Filter, Row>, who: Who, filter: Filter, slice: Slice): Promise<Row[]> =>
      answered(async () => {
        if (!query.slice) throw new Error(`${query.name} has records, which are read in pages`)
        return query.slice(contextOf(who), filter, slice)
      }),
    count: <Filter, Row>(query: ListQuery<Filter, Row>, who: Who, filter: Filter): Promise<number> =>
      answered(async () => {
        if (!query.count) throw new Error(`${query.name} is not counted`)
        return query.count(contextOf(who), filter)
      }),
    all: <Filter, Row>(
      query: WholeListQuery<Filter, Row>,
      who: Who,
      filter: Filter,
      wanted: Wanted = {},
    ): Promise<readonly Row[]> => answered(() => query.all(contextOf(who), filter, wanted)),
    respond: <Input, Body>(query: RestQuery<Input, Body>, who: Who, input: Input): Promise<Body> =>
      answered(() => query.run(contextOf(who), input)),
  }
}

/** Turns an unreachable database into UNAVAILABLE. */
async function answered<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    throw asDomainError(error)
  }
}

/** Binds the first argument of functions, and answers as reads do. */
function bind<First, Functions extends Record<string, (first: First, ...rest: never[]) => unknown>>(
  first: First,
  functions: Functions,
) {
  type Bound = { [Name in keyof Functions]: OmitFirst<Functions[Name]> }
  const bound = Object.entries(functions).map(([name, call]) => {
    return [name, (...rest: never[]) => answered(async () => call(first, ...rest))]
  })
  return Object.fromEntries(bound) as Bound
}

type OmitFirst<F> = F extends (first: never, ...rest: infer Rest) => Promise<infer Result>
  ? (...rest: Rest) => Promise<Result>
  : never
