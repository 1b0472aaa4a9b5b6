import { z } from 'zod'
import { logLine, logStream } from '../../resources/log-line.ts'
import { appEnvTarget, instant } from '../../services/kernel/input.ts'
import { liveCursor, liveNumber, logCursor, logPosition } from '../../services/log/log-cursor.ts'
import { LOG_TYPES } from '../../services/log/log-filter.ts'
import { read } from '../protocol/route.ts'

export const listLogs = read({
  name: 'listLogs',
  permission: 'appEnv:observe',
  about:
    'Lines that the containers of an environment wrote, or with type=BUILD its builds, newest first; kept when the containers are gone. With isLive, oldest first: the newest lines at first, then whatever was written since the cursor, with a nextCursor each time.',
  query: z.strictObject({
    ...appEnvTarget,
    contentId: z.string().min(1).max(100).optional().describe('Id of a version: only lines of that version.'),
    containerName: z.string().min(1).max(200).optional().describe('Name of a container: only lines of that container.'),
    jobRunId: z.string().min(1).max(100).optional().describe('Id of a job run: only lines of that run.'),
    type: z
      .enum(LOG_TYPES)
      .optional()
      .describe('Kind of program that wrote the lines. BUILD shows builds in place of containers.'),
    stream: logStream.type.optional().describe('Stream: only lines that were written to that stream.'),
    search: z.string().min(1).max(500).optional().describe('Text that the lines contain, in any case.'),
    size: z.int().min(1).max(1000).default(300).describe('Maximum number of lines in the answer.'),
    from: instant('Earliest time of the items.').optional(),
    to: instant('Latest time of the items.').optional(),
    isLive: z.boolean().default(false).describe('Whether to continue with lines that are written from now on.'),
    cursor: z.string().min(1).max(60).optional().describe('The nextCursor of the previous answer.'),
  }),
  answer: z.object({
    logs: z.array(logLine.answer.type).describe('Lines of the log.'),
    nextCursor: z.string().optional().describe('Cursor to continue after these lines; absent when nothing can follow.'),
  }),
  async run({ services, caller }, { size, cursor, isLive, from, to, appEnvId, envName, ...rest }) {
    const filter = { ...rest, from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined }
    const address = { appEnvId, envName }
    if (isLive) {
      const after = cursor === undefined ? null : liveNumber(cursor)
      const { lines, upTo } = await services.logs.follow(caller, address, filter, { limit: size, after })
      return { logs: lines.map(logLine.answer.of), nextCursor: liveCursor(upTo) }
    }
    const olderThan = cursor === undefined ? undefined : logPosition(cursor)
    const { lines, next } = await services.logs.search(caller, address, filter, { limit: size, olderThan })
    return { logs: lines.map(logLine.answer.of), ...(next ? { nextCursor: logCursor(next) } : {}) }
  },
})
