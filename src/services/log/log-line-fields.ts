import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { fieldsOf, flag, text, time } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { LogLevel } from '../../domain/log-level.ts'
import type { LineField } from '../../domain/structured-line.ts'

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
  id: string
  appEnvId: string
  timestamp: string
  stream: 'stdout' | 'stderr'
  containerName: string
  contentId: string
  message: string
  isPartial: boolean
  level: LogLevel | null
  /** Undefined unless they were asked for. */
  text: string | null | undefined
  fields: LineField[] | null | undefined
}

const lineField = fieldsOf<LineField>()

export const logLineField = resource({
  name: 'LogLineField',
  id: 'LogLineField',
  description: 'A field of a line of JSON or logfmt.',
  examples: { name: 'path', value: '/orders' },
  fields: {
    name: lineField.given('name', text, 'Name of the field.'),
    value: lineField.given('value', text, 'Value of the field: text as it is, anything else as JSON.'),
  },
})

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
      'Level that the line names: in JSON or logfmt, or as the engine of a managed service writes it; null where it names none.',
    ),
    appEnvId: field.given('appEnvId', text, 'Id of the environment whose log has the line.'),
    id: field.given('id', text, 'Position of the line in the log of its environment.', { only: 'rest' }),
    text: field.given(
      'text',
      text.nullable().optional(),
      'Message within a line of JSON or logfmt; null for any other line. Over REST only where `parsed` was sent.',
      { inGraphQL: { isResolvedThere: true } },
    ),
    fields: field.given(
      'fields',
      z.array(logLineField.answer.type).nullable().optional(),
      'Fields of a line of JSON or logfmt, a hundred at most; null for any other line. Over REST only where `parsed` was sent.',
      { inGraphQL: { isResolvedThere: true } },
    ),
  },
  relations: { id: { description: 'Position of the line in the log of its environment.' } },
})
