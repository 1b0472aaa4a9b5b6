import { liveCursor, liveNumber, logCursor, logPosition } from '../../../services/log/log-cursor.ts'
import type { LogFilter } from '../../../services/log/log-filter.ts'
import { logLine } from '../../../services/log/log-line-fields.ts'
import type { LogRecord } from '../../../services/log/log-queries.ts'
import { builder } from '../builder.ts'
import { recordFields, relationOf } from '../derive/resource-fields.ts'
import { USUAL_PAGE } from '../limits/sizes.ts'
import { followLines, type LogMessage } from '../subscriptions/follow-lines.ts'
import { whileAllowed } from '../subscriptions/while-allowed.ts'
import { addressArgs, addressOf } from './app-env.ts'
import { LogStreamEnum, LogTypeEnum } from './enums.ts'
import { afterArg } from './event.ts'

export const LogLine = builder.objectRef<LogRecord>('LogLine').implement({
  description: logLine.description,
  fields: (t) => ({
    id: t.id({ ...relationOf(logLine, 'id'), resolve: logCursor }),
    ...recordFields(t, logLine.name, logLine.fields),
  }),
})

interface FilterArgs {
  type?: LogFilter['type'] | null | undefined
  contentId?: string | null | undefined
  containerName?: string | null | undefined
  jobRunId?: string | null | undefined
  stream?: LogFilter['stream'] | null
  search?: string | null | undefined
  from?: Date | string | null | undefined
  to?: Date | string | null | undefined
}

const filterOf = ({ type, contentId, containerName, jobRunId, stream, search, from, to }: FilterArgs): LogFilter => ({
  type: type ?? undefined,
  contentId: contentId ?? undefined,
  containerName: containerName ?? undefined,
  jobRunId: jobRunId ?? undefined,
  stream: stream ?? undefined,
  search: search || undefined,
  from: from ? new Date(from) : undefined,
  to: to ? new Date(to) : undefined,
})

builder.queryField('logs', (t) =>
  t.connection(
    {
      type: LogLine,
      extensions: { pageSize: USUAL_PAGE },
      description:
        'Lines that the containers of an environment wrote, or with the type BUILD its builds, newest first; kept when the containers are gone. `after` goes back in time, `before` with `last` forward. One of the first two arguments is required.',
      args: {
        ...addressArgs(t.arg),
        type: t.arg({
          type: LogTypeEnum,
          description: 'Kind of program that wrote the lines. BUILD shows builds in place of containers.',
        }),
        contentId: t.arg.id({ description: 'Id of a version: only lines of that version.' }),
        containerName: t.arg.string({ description: 'Name of a container: only lines of that container.' }),
        jobRunId: t.arg.id({ description: 'Id of a job run: only lines of that run.' }),
        stream: t.arg({ type: LogStreamEnum, description: 'Stream: only lines that were written to that stream.' }),
        search: t.arg.string({ description: 'Text that the lines contain, in any case.' }),
        from: t.arg({ type: 'DateTime', description: 'Earliest time of the items.' }),
        to: t.arg({ type: 'DateTime', description: 'Latest time of the items.' }),
      },
      async resolve(_root, { appEnvId, envName, first, last, after, before, ...filter }, { services, caller }) {
        const address = addressOf({ appEnvId, envName })
        const isForward = typeof before === 'string' && !after
        const { lines, next } = await services.logs.search(caller, address, filterOf(filter), {
          limit: (isForward ? last : first) ?? first ?? last ?? USUAL_PAGE,
          olderThan: after ? logPosition(after) : undefined,
          newerThan: before ? logPosition(before) : undefined,
        })
        const edges = lines.map((node) => ({ cursor: logCursor(node), node }))
        // A search that found less than was asked for goes on from where it stopped looking, found or not.
        const end = next ? logCursor(next) : null
        const [startCursor, endCursor] = [edges[0]?.cursor ?? null, edges.at(-1)?.cursor ?? null]
        const pageInfo = isForward
          ? { hasNextPage: true, hasPreviousPage: end !== null, startCursor: end ?? startCursor, endCursor }
          : { hasNextPage: end !== null, hasPreviousPage: Boolean(after), startCursor, endCursor: end ?? endCursor }
        return { edges, pageInfo }
      },
    },
    { name: 'LogLineConnection' },
    { name: 'LogLineEdge' },
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
