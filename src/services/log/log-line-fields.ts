import type { LogLevel } from '../../app-types/engines/engine-logs.ts'
import { enumeration } from '../../calls/enumeration.ts'
import { fieldsOf, flag, text, time } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'

export const logStream = enumeration('LogStream', 'Stream that a line was written to.', {
  stdout: 'The standard output stream.',
  stderr: 'The standard error stream.',
})

export const logLevel = enumeration<LogLevel>('LogLevel', 'Level that a line of a log gives itself.', {
  DEBUG: 'Detail for finding a fault.',
  INFO: 'Something usual happened.',
  WARNING: 'Something unusual happened, or soon will.',
  ERROR: 'Something failed, and the rest continues.',
  FATAL: 'Something failed that ended a session or the server.',
})

export interface LogLine {
  timestamp: string
  stream: 'stdout' | 'stderr'
  containerName: string
  contentId: string
  message: string
  isPartial: boolean
  level: LogLevel | null
}

const field = fieldsOf<LogLine>()

export const logLine = resource({
  name: 'LogLine',
  id: 'LogLine',
  description: 'A line that a container or a build wrote.',
  examples: {
    stream: 'stdout',
    message: 'Listening on port 3000',
  },
  fields: {
    timestamp: field.given('timestamp', time, 'Time at which the line was written.'),
    stream: field.given('stream', logStream.type, 'Stream that the line was written to.'),
    containerName: field.given(
      'containerName',
      text,
      'Name of the container that wrote the line, which may be gone; `build` for a build.',
    ),
    contentId: field.given('contentId', text, 'Id of the version that the container ran, or that was built.'),
    message: field.given('message', text, 'Text of the line.'),
    isPartial: field.given(
      'isPartial',
      flag,
      'Whether the line goes on in the next one of its container and stream with the same timestamp: of more than 16 KB, it comes in pieces. Those over the rate of lines are missing.',
    ),
    level: field.given(
      'level',
      logLevel.type.nullable(),
      'Level that the line of a managed service names; null where it names none, and for other apps.',
    ),
  },
  relations: { id: { description: 'Position of the line in the log of its environment.' } },
})
