import { builder } from '../builder.ts'
import { Deployment } from './deployment.ts'

interface Line {
  sequence: number
  message: string
  at: Date
}

interface Log {
  lines: Line[]
  hasEnded: boolean
  nextCursor: string | null
}

const MOST_LINES = 1000

const BuildLogLine = builder.objectRef<Line>('BuildLogLine').implement({
  description: 'One line that a build printed.',
  fields: (t) => ({
    sequence: t.exposeInt('sequence', { description: 'Its number in the log.' }),
    message: t.exposeString('message', { description: 'The line.' }),
    timestamp: t.expose('at', { type: 'DateTime', description: 'When it was printed.' }),
  }),
})

const BuildLog = builder.objectRef<Log>('BuildLog').implement({
  description: 'A part of what a build printed.',
  fields: (t) => ({
    lines: t.expose('lines', { type: [BuildLogLine], description: 'The lines, oldest first.' }),
    hasEnded: t.exposeBoolean('hasEnded', { description: 'False while the build goes on.' }),
    nextCursor: t.exposeString('nextCursor', {
      nullable: true,
      description: 'Where to go on, if anything can follow.',
    }),
  }),
})

builder.prismaObjectField(Deployment, 'buildLog', (t) =>
  t.field({
    type: BuildLog,
    description: 'What its build printed; empty for a prebuilt image.',
    args: {
      after: t.arg.string({ description: 'The nextCursor of an earlier answer.' }),
      limit: t.arg.int({ defaultValue: 200, description: `Most lines; up to ${MOST_LINES}.` }),
      search: t.arg.string({ description: 'Only lines that hold this text.' }),
    },
    resolve: ({ id }, { after, limit, search }, { services, caller }) =>
      services.deployments.buildLog(
        caller,
        { contentId: id },
        {
          cursor: after ?? undefined,
          limit: Math.max(1, Math.min(limit ?? 200, MOST_LINES)),
          search: search ?? undefined,
        },
      ),
  }),
)
