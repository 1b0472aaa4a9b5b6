import { z } from 'zod'
import { appEnvTarget, id } from '../services/input.ts'
import { paging } from './query.ts'
import { read } from './route.ts'

const line = z.object({
  timestamp: z.iso.datetime().describe('When it was printed.'),
  contentId: z.string().describe('The version that was built.'),
  message: z.string().describe('The line.'),
})

export const getBuildLogs = read({
  name: 'getBuildLogs',
  about: 'What a build printed, oldest first: of contentId, or of the newest build of the environment.',
  query: z.strictObject({
    ...appEnvTarget,
    contentId: id('version').optional(),
    search: z
      .string()
      .max(200)
      .refine((words) => !words.includes('\0'), 'must not contain a NUL character')
      .optional()
      .describe('Only lines that hold this text.'),
    ...paging,
  }),
  answer: z
    .object({
      logs: z.array(line).describe('The lines.'),
      hasEnded: z.boolean().describe('False while the build goes on.'),
      nextCursor: z.string().nullable().describe('Where to go on; null when nothing can follow.'),
    })
    .meta({ id: 'BuildLogs', description: 'A part of a build’s log.' }),
  async run({ services, caller }, { limit, cursor, search, ...address }) {
    const log = await services.deployments.buildLog(caller, address, { limit, cursor, search })
    const { contentId, hasEnded, nextCursor } = log
    const logs = log.lines.map(({ at, message }) => ({ timestamp: at.toISOString(), contentId, message }))
    return { logs, hasEnded, nextCursor }
  },
})
