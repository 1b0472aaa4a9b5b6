import type { RecordOf } from '../../../calls/resource.ts'
import { invalidField } from '../../../domain/errors.ts'
import type { LogLevel } from '../../../domain/log-level.ts'
import { structuredLine } from '../../../domain/structured-line.ts'
import {
  liveCursor,
  liveNumber,
  logCursor,
  logPosition,
  manyCursor,
  manyPosition,
} from '../../../services/log/log-cursor.ts'
import type { LogFilter } from '../../../services/log/log-filter.ts'
import { logLine, logLineField } from '../../../services/log/log-line-fields.ts'
import { manyAddress, refuseBesideAround } from '../../../services/log/log-queries.ts'
import type { LogRecord } from '../../../services/log/log-record.ts'
import { MAX_APP_ENVS } from '../../../services/log/search-many.ts'
import type { AppEnvAddress } from '../../../services/targets/load-app-env.ts'
import { builder } from '../builder.ts'
import type { GraphQLContext } from '../context.ts'
import type { ArgBuilder } from '../derive/arguments.ts'
import { edgesOf } from '../derive/edges.ts'
import { recordFields, recordType, relationOf, wordsOf } from '../derive/resource-fields.ts'
import { USUAL_PAGE } from '../limits/sizes.ts'
import { followLines, type LogMessage } from '../subscriptions/follow-lines.ts'
import { whileAllowed } from '../subscriptions/while-allowed.ts'
import { AppEnv, addressArgs, addressOf } from './app-env.ts'
import { LogLevelEnum, LogStreamEnum, LogTypeEnum } from './enums.ts'
import { afterArg } from './event.ts'

const LogLineField = recordType<RecordOf<typeof logLineField.answer>>(logLineField)

export const LogLine = builder.objectRef<LogRecord>('LogLine').implement({
  description: logLine.description,
  fields: (t) => ({
    id: t.id({ ...relationOf(logLine, 'id'), resolve: logCursor }),
    ...recordFields(t, logLine.name, logLine.fields),
    ...(edgesOf(t as never, logLine.name, logLine.fields) as object),
    text: t.string({ ...wordsOf(logLine, 'text'), nullable: true, resolve: (line) => structureOf(line)?.text ?? null }),
    fields: t.field({
      ...wordsOf(logLine, 'fields'),
      type: [LogLineField],
      nullable: true,
      resolve: (line) => structureOf(line)?.fields ?? null,
    }),
  }),
})

/** Only of lines of which it is asked for. */
const structureOf = ({ message, isPartial }: LogRecord) => (isPartial ? null : structuredLine(message))

interface FilterArgs {
  type?: LogFilter['type'] | null | undefined
  contentId?: string | null | undefined
  containerName?: string | null | undefined
  jobRunId?: string | null | undefined
  stream?: LogFilter['stream'] | null
  search?: string | null | undefined
  level?: readonly LogLevel[] | null | undefined
  from?: Date | string | null | undefined
  to?: Date | string | null | undefined
}

const filterOf = ({
  type,
  contentId,
  containerName,
  jobRunId,
  stream,
  search,
  level,
  from,
  to,
}: FilterArgs): LogFilter => ({
  type: type ?? undefined,
  contentId: contentId ?? undefined,
  containerName: containerName ?? undefined,
  jobRunId: jobRunId ?? undefined,
  stream: stream ?? undefined,
  search: search || undefined,
  levels: level ?? undefined,
  from: from ? new Date(from) : undefined,
  to: to ? new Date(to) : undefined,
})

/** Lines with the cursor of each. */
function connectionOf(lines: readonly LogRecord[], pages: { hasNextPage: boolean; hasPreviousPage: boolean }) {
  const edges = lines.map((node) => ({ cursor: logCursor(node), node }))
  const [startCursor, endCursor] = [edges[0]?.cursor ?? null, edges.at(-1)?.cursor ?? null]
  return { edges, pageInfo: Object.assign({ startCursor, endCursor }, pages) }
}

/** What of a log is shown. */
const lineArgs = (arg: ArgBuilder) => ({
  type: arg({
    type: LogTypeEnum,
    description: 'Kind of program that wrote the lines. BUILD shows builds in place of containers.',
  }),
  contentId: arg.id({ description: 'Id of a version: only lines of that version.' }),
  containerName: arg.string({ description: 'Name of a container: only lines of that container.' }),
  jobRunId: arg.id({ description: 'Id of a job run: only lines of that run.' }),
  stream: arg({ type: LogStreamEnum, description: 'Stream: only lines that were written to that stream.' }),
  level: arg({ type: [LogLevelEnum], description: 'Levels: only lines that name one of them.' }),
  search: arg.string({ description: 'Text that the lines contain, in any case.' }),
  around: arg.id({
    description: 'Id of a line: the line with as many before it as after it, `first` together, in place of a search.',
  }),
  from: arg({ type: 'DateTime', description: 'Earliest time of the items.' }),
  to: arg({ type: 'DateTime', description: 'Latest time of the items.' }),
})

interface PageArgs {
  first?: number | null | undefined
  last?: number | null | undefined
  after?: string | null | undefined
  before?: string | null | undefined
}

interface LineArgs extends FilterArgs, PageArgs {
  around?: string | null | undefined
}

/** A page of the lines of one environment. */
async function linesOf(address: AppEnvAddress, args: LineArgs, { services, caller }: GraphQLContext) {
  const { first, last, after, before, around, ...filter } = args
  if (around) {
    const { search, level, stream, from, to } = filter
    refuseBesideAround({ search, level, stream, from, to, after, before, last })
    const request = { around: logPosition(around, 'around'), limit: first ?? USUAL_PAGE }
    const { lines, next } = await services.logs.around(caller, address, filterOf(filter), request)
    return connectionOf(lines, { hasNextPage: next !== null, hasPreviousPage: true })
  }
  const isForward = typeof before === 'string' && !after
  const { lines, next } = await services.logs.search(caller, address, filterOf(filter), {
    limit: (isForward ? last : first) ?? first ?? last ?? USUAL_PAGE,
    olderThan: after ? logPosition(after) : undefined,
    newerThan: before ? logPosition(before) : undefined,
  })
  const { edges } = connectionOf(lines, { hasNextPage: false, hasPreviousPage: false })
  // A search that found less than was asked for goes on from where it stopped looking, found or not.
  const end = next ? logCursor(next) : null
  const [startCursor, endCursor] = [edges[0]?.cursor ?? null, edges.at(-1)?.cursor ?? null]
  const pageInfo = isForward
    ? { hasNextPage: true, hasPreviousPage: end !== null, startCursor: end ?? startCursor, endCursor }
    : { hasNextPage: end !== null, hasPreviousPage: Boolean(after), startCursor, endCursor: end ?? endCursor }
  return { edges, pageInfo }
}

/** A page of the lines of several environments, in one order. */
async function linesOfMany(
  many: NonNullable<ReturnType<typeof manyAddress>>,
  { first, after, ...filter }: LineArgs,
  { services, caller }: GraphQLContext,
) {
  if (many.appEnvIds && many.appEnvIds.length > MAX_APP_ENVS)
    throw invalidField('appEnvIds', `must be at most ${MAX_APP_ENVS}`)
  const request = { limit: first ?? USUAL_PAGE, olderThan: after ? manyPosition(after) : undefined }
  const { lines, next } = await services.logs.searchMany(caller, many, filterOf(filter), request)
  const edges = lines.map((node) => ({ cursor: manyCursor(node), node }))
  const [startCursor, endCursor] = [edges[0]?.cursor ?? null, next ? manyCursor(next) : null]
  const hasPreviousPage = Boolean(after)
  return { edges, pageInfo: { hasNextPage: next !== null, hasPreviousPage, startCursor, endCursor } }
}

const LogLines = builder.connectionObject({ type: LogLine, name: 'LogLineConnection' }, { name: 'LogLineEdge' })

builder.queryField('logs', (t) =>
  t.connection(
    {
      type: LogLine,
      extensions: { pageSize: USUAL_PAGE },
      description:
        'Lines that the containers of an environment wrote, or with the type BUILD its builds, newest first; kept when the containers are gone. `after` goes back in time, `before` with `last` forward. An environment is required, or one of appEnvIds, appId and accountId: then the lines of several come in the order of time, newest first.',
      args: {
        ...addressArgs(t.arg),
        appEnvIds: t.arg.idList({
          description: `Ids of app environments, in place of one, at most ${MAX_APP_ENVS}: their lines in the order of time.`,
        }),
        appId: t.arg.id({ description: 'Id of an app: the lines of all its environments that you may see.' }),
        accountId: t.arg.id({ description: 'Id of an account: the lines of all its environments that you may see.' }),
        ...lineArgs(t.arg),
      },
      resolve(_root, { appEnvId, envName, appEnvIds, appId, accountId, ...args }, context) {
        const { contentId, containerName, jobRunId, around, before, last } = args
        const ofOne = { appEnvId, envName, contentId, containerName, jobRunId, around, before, last }
        const many = manyAddress(
          { appEnvIds: appEnvIds?.map(String), appId: appId ?? undefined, accountId: accountId ?? undefined },
          ofOne,
        )
        return many ? linesOfMany(many, args, context) : linesOf(addressOf({ appEnvId, envName }), args, context)
      },
    },
    LogLines,
  ),
)

builder.prismaObjectField(AppEnv, 'logs', (t) =>
  t.connection(
    {
      type: LogLine,
      nullable: true,
      extensions: { pageSize: USUAL_PAGE, declaredAs: 'logs' },
      description:
        'Lines that the containers of the environment wrote, or with the type BUILD its builds, newest first. `after` goes back in time, `before` with `last` forward.',
      args: lineArgs(t.arg),
      resolve: ({ id }, args, context) => linesOf({ appEnvId: id }, args, context),
    },
    LogLines,
  ),
)

const LogLinesMessage = builder.objectRef<LogMessage>('LogLinesMessage').implement({
  description: 'Lines that were written to the log of an environment.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Cursor of the lines. Send it as `after` to continue after these lines.',
      resolve: ({ upTo }) => liveCursor(upTo),
    }),
    lines: t.field({ type: [LogLine], description: 'The lines, oldest first.', resolve: ({ lines }) => lines }),
  }),
})

builder.subscriptionField('appEnvLogs', (t) =>
  t.field({
    type: LogLinesMessage,
    description:
      'Lines that the containers of an environment write: the newest ones at first, then each as it is written, none lost and none twice. One of the first two arguments is required.',
    args: {
      ...addressArgs(t.arg),
      contentId: t.arg.id({ description: 'Id of a version: only lines of that version.' }),
      containerName: t.arg.string({ description: 'Name of a container: only lines of that container.' }),
      jobRunId: t.arg.id({ description: 'Id of a job run: only lines of that run.' }),
      stream: t.arg({ type: LogStreamEnum, description: 'Stream: only lines that were written to that stream.' }),
      level: t.arg({ type: [LogLevelEnum], description: 'Levels: only lines that name one of them.' }),
      search: t.arg.string({ description: 'Text that the lines contain, in any case.' }),
      after: afterArg(t.arg),
    },
    async subscribe(_root, { appEnvId, envName, after, ...filter }, context) {
      const address = addressOf({ appEnvId, envName })
      const appEnv = await context.services.appEnvs.observe(context.caller, address)
      const start = typeof after === 'string' ? liveNumber(after) : null
      const followed = { appEnvId: appEnv.id, filter: filterOf(filter), after: start }
      return whileAllowed(context, appEnv, (signal) => followLines(context, followed, signal))
    },
    resolve: (message) => message,
  }),
)
