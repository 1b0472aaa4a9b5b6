import { liveCursor, liveNumber, logCursor, logPosition } from '../../services/log/log-cursor.ts'
import type { LogFilter } from '../../services/log/log-filter.ts'
import type { LogRecord } from '../../services/log/log-queries.ts'
import { builder } from '../builder.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { followLines, type LogMessage } from '../subscriptions/follow-lines.ts'
import { whileAllowed } from '../subscriptions/while-allowed.ts'
import { LogStreamEnum, LogTypeEnum } from './enums.ts'

const STREAM_NAMES = { stdout: 'STDOUT', stderr: 'STDERR' } as const

export const LogLine = builder.objectRef<LogRecord>('LogLine').implement({
  description: 'A line that a container or a build said.',
  fields: (t) => ({
    id: t.id({ description: 'Its place in the log of the environment.', resolve: logCursor }),
    timestamp: t.expose('timestamp', { type: 'DateTime', description: 'When it was said.' }),
    stream: t.field({
      type: LogStreamEnum,
      description: 'By which stream.',
      resolve: ({ stream }) => STREAM_NAMES[stream],
    }),
    containerName: t.exposeString('containerName', {
      description: 'The container that said it, which may be gone; `build` for a build.',
    }),
    contentId: t.exposeID('contentId', { description: 'Id of the version that it ran, or built.' }),
    message: t.exposeString('message', { description: 'The line.' }),
  }),
})

interface FilterArgs {
  type?: LogFilter['type'] | null | undefined
  contentId?: string | null | undefined
  containerName?: string | null | undefined
  stream?: 'STDOUT' | 'STDERR' | null | undefined
  search?: string | null | undefined
  from?: Date | string | null | undefined
  to?: Date | string | null | undefined
}

const filterOf = ({ type, contentId, containerName, stream, search, from, to }: FilterArgs): LogFilter => ({
  type: type ?? undefined,
  contentId: contentId ?? undefined,
  containerName: containerName ?? undefined,
  stream: stream ? (stream === 'STDERR' ? 'stderr' : 'stdout') : undefined,
  search: search || undefined,
  from: from ? new Date(from) : undefined,
  to: to ? new Date(to) : undefined,
})

builder.queryField('logs', (t) =>
  t.connection({
    type: LogLine,
    extensions: { pageSize: ROOT_PAGE },
    description:
      'What the containers of an environment said, or of the type BUILD its builds, newest first; kept when they are gone. `after` goes back in time, `before` with `last` forward. One of the first two arguments is required.',
    args: {
      appEnvId: t.arg.id({ description: 'Id of the environment. Wins when envName is sent too.' }),
      envName: t.arg.string({ description: 'CLI name of the environment.' }),
      type: t.arg({
        type: LogTypeEnum,
        description: 'Only if this is what says it. BUILD shows builds in place of containers.',
      }),
      contentId: t.arg.id({ description: 'Only of this version.' }),
      containerName: t.arg.string({ description: 'Only of this container.' }),
      stream: t.arg({ type: LogStreamEnum, description: 'Only of this stream.' }),
      search: t.arg.string({ description: 'Only lines with this text, in any case.' }),
      from: t.arg({ type: 'DateTime', description: 'No earlier than this.' }),
      to: t.arg({ type: 'DateTime', description: 'No later than this.' }),
    },
    async resolve(_root, { appEnvId, envName, first, last, after, before, ...filter }, { services, caller }) {
      const address = { appEnvId: appEnvId ?? undefined, envName: envName ?? undefined }
      const isForward = typeof before === 'string' && !after
      const { lines, next } = await services.logs.search(caller, address, filterOf(filter), {
        limit: (isForward ? last : first) ?? first ?? last ?? ROOT_PAGE,
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
  }),
)

const LogLinesMessage = builder.objectRef<LogMessage>('LogLinesMessage').implement({
  description: 'Lines that were written to the log of an environment.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Send it as `after` to go on behind these.',
      resolve: ({ upTo }) => liveCursor(upTo),
    }),
    lines: t.field({ type: [LogLine], description: 'The lines, oldest first.', resolve: ({ lines }) => lines }),
  }),
})

builder.subscriptionField('appEnvLogs', (t) =>
  t.field({
    type: LogLinesMessage,
    description:
      'What the containers of an environment say: the newest lines at first, then each as it is written, none lost and none twice. One of the first two arguments is required.',
    args: {
      appEnvId: t.arg.id({ description: 'Id of the environment. Wins when envName is sent too.' }),
      envName: t.arg.string({ description: 'CLI name of the environment.' }),
      contentId: t.arg.id({ description: 'Only of this version.' }),
      containerName: t.arg.string({ description: 'Only of this container.' }),
      stream: t.arg({ type: LogStreamEnum, description: 'Only of this stream.' }),
      search: t.arg.string({ description: 'Only lines with this text, in any case.' }),
      after: t.arg.string({ description: 'Go on behind this cursor; the first answer is then what followed it.' }),
    },
    async subscribe(_root, { appEnvId, envName, after, ...filter }, context) {
      const address = { appEnvId: appEnvId ?? undefined, envName: envName ?? undefined }
      const appEnv = await context.services.appEnvs.get(context.caller, address)
      const start = typeof after === 'string' ? liveNumber(after) : null
      const followed = { appEnvId: appEnv.id, filter: filterOf(filter), after: start }
      return whileAllowed(context, appEnv, (signal) => followLines(context, followed, signal))
    },
    resolve: (message) => message,
  }),
)
