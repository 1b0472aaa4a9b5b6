import { liveCursor, liveNumber } from '../../../services/log/log-cursor.ts'
import { builder } from '../builder.ts'
import { type BuildLogMessage, followBuildLines } from '../subscriptions/follow-lines.ts'
import { whileAllowed } from '../subscriptions/while-allowed.ts'
import { addressArgs, addressOf } from './app-env.ts'
import { afterArg } from './event.ts'
import { LogLine } from './log-line.ts'

const BuildLogsMessage = builder.objectRef<BuildLogMessage>('BuildLogsMessage').implement({
  description: 'Lines that were written to the log of a build.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Cursor of the lines. Send it as `after`, with the contentId, to continue after these lines.',
      resolve: ({ upTo }) => liveCursor(upTo),
    }),
    contentId: t.exposeID('contentId', { description: 'Id of the version that is built.' }),
    lines: t.field({ type: [LogLine], description: 'The lines, oldest first.', resolve: ({ lines }) => lines }),
    hasEnded: t.exposeBoolean('hasEnded', {
      description: 'Whether the build is over and all its lines were sent. True in the last message only.',
    }),
  }),
})

builder.subscriptionField('buildLogs', (t) =>
  t.field({
    type: BuildLogsMessage,
    description:
      'Lines that a build prints, from the first one on, none lost and none twice, until the build is over. One of the first two arguments is required.',
    args: {
      ...addressArgs(t.arg),
      contentId: t.arg.id({ description: 'Id of the version whose build is followed; the newest build when omitted.' }),
      after: afterArg(t.arg),
    },
    async subscribe(_root, { appEnvId, envName, contentId, after }, context) {
      const address = addressOf({ appEnvId, envName })
      const start = typeof after === 'string' ? liveNumber(after) : null
      const wanted = { ...address, contentId: contentId ?? undefined }
      const build = await context.services.logs.build(context.caller, wanted)
      const appEnv = { id: build.appEnvId, accountId: build.accountId }
      return whileAllowed(context, appEnv, (signal) => followBuildLines(context, build, start, signal))
    },
    resolve: (message) => message,
  }),
)
