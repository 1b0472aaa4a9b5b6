import { z } from 'zod'
import { appEnvTarget, instant } from '../../services/kernel/input.ts'
import { liveCursor, liveNumber, logCursor, logPosition } from '../../services/log/log-cursor.ts'
import { LOG_TYPES } from '../../services/log/log-filter.ts'
import type { LogRecord } from '../../services/log/log-queries.ts'
import { read } from '../protocol/route.ts'

const line = z
  .object({
    timestamp: z.iso.datetime().describe('When it was said.'),
    stream: z.enum(['stdout', 'stderr']).describe('By which stream.'),
    containerName: z.string().describe('The container that said it, which may be gone; `build` for a build.'),
    contentId: z.string().describe('The version that it ran, or built.'),
    message: z.string().describe('The line.'),
  })
  .meta({ id: 'LogLine', description: 'A line that a container or a build said.' })

const lineOf = ({ timestamp, stream, containerName, contentId, message }: LogRecord) => {
  return { timestamp, stream, containerName, contentId, message }
}

export const listLogs = read({
  name: 'listLogs',
  about:
    'What the containers of an environment said, or with type=BUILD its builds, newest first; kept when they are gone. With isLive, oldest first: the newest lines at first, then whatever was said since the cursor, with a nextCursor each time.',
  query: z.strictObject({
    ...appEnvTarget,
    contentId: z.string().min(1).max(100).optional().describe('Only of this version.'),
    containerName: z.string().min(1).max(200).optional().describe('Only of this container.'),
    type: z
      .enum(LOG_TYPES)
      .optional()
      .describe('Only if this is what says it. BUILD shows builds in place of containers.'),
    stream: z.enum(['stdout', 'stderr']).optional().describe('Only of this stream.'),
    search: z.string().min(1).max(500).optional().describe('Only lines with this text, in any case.'),
    size: z.int().min(1).max(1000).default(300).describe('Most lines in the answer.'),
    from: instant('No earlier than this.').optional(),
    to: instant('No later than this.').optional(),
    isLive: z.boolean().default(false).describe('Go on with what is said from now on.'),
    cursor: z.string().min(1).max(60).optional().describe('The nextCursor of the answer before.'),
  }),
  answer: z.object({
    logs: z.array(line).describe('The lines.'),
    nextCursor: z.string().optional().describe('Send it as cursor to go on; absent when nothing can follow.'),
  }),
  async run({ services, caller }, { size, cursor, isLive, from, to, appEnvId, envName, ...rest }) {
    const filter = { ...rest, from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined }
    const address = { appEnvId, envName }
    if (isLive) {
      const after = cursor === undefined ? null : liveNumber(cursor)
      const { lines, upTo } = await services.logs.follow(caller, address, filter, { limit: size, after })
      return { logs: lines.map(lineOf), nextCursor: liveCursor(upTo) }
    }
    const olderThan = cursor === undefined ? undefined : logPosition(cursor)
    const { lines, next } = await services.logs.search(caller, address, filter, { limit: size, olderThan })
    return { logs: lines.map(lineOf), ...(next ? { nextCursor: logCursor(next) } : {}) }
  },
})
