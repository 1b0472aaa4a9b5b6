import { liveCursor, liveNumber } from '../../services/log/log-cursor.ts'
import { builder } from '../builder.ts'
import { type BuildLogMessage, followBuildLines } from '../subscriptions/follow-lines.ts'
import { whileAllowed } from '../subscriptions/while-allowed.ts'
import { LogLine } from './log-line.ts'

const BuildLogsMessage = builder.objectRef<BuildLogMessage>('BuildLogsMessage').implement({
  description: 'Lines that were written to the log of a build.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Send it as `after`, with the contentId, to go on behind these.',
      resolve: ({ upTo }) => liveCursor(upTo),
    }),
    contentId: t.exposeID('contentId', { description: 'Id of the version that is built.' }),
    lines: t.field({ type: [LogLine], description: 'The lines, oldest first.', resolve: ({ lines }) => lines }),
    hasEnded: t.exposeBoolean('hasEnded', {
      description: 'True in the last message: the build is over, and all that it printed is told.',
    }),
  }),
})

builder.subscriptionField('buildLogs', (t) =>
  t.field({
    type: BuildLogsMessage,
    description:
      'What a build prints: from its first line, and then each as it is written, none lost and none twice, until it is over. One of the first two arguments is required.',
    args: {
      appEnvId: t.arg.id({ description: 'Id of the environment. Wins when envName is sent too.' }),
      envName: t.arg.string({ description: 'CLI name of the environment.' }),
      contentId: t.arg.id({ description: 'The version whose build is meant; the newest that is built when omitted.' }),
      after: t.arg.string({ description: 'Go on behind this cursor; the first answer is then what followed it.' }),
    },
    async subscribe(_root, { appEnvId, envName, contentId, after }, context) {
      const address = { appEnvId: appEnvId ?? undefined, envName: envName ?? undefined }
      const start = typeof after === 'string' ? liveNumber(after) : null
      const wanted = { ...address, contentId: contentId ?? undefined }
      const build = await context.services.logs.build(context.caller, wanted)
      const appEnv = { id: build.appEnvId, accountId: build.accountId }
      return whileAllowed(context, appEnv, (signal) => followBuildLines(context, build, start, signal))
    },
    resolve: (message) => message,
  }),
)
