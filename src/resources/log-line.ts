import { enumeration } from './enumeration.ts'
import { fieldsOf, text, time } from './field.ts'
import { resource } from './resource.ts'

export const logStream = enumeration('LogStream', 'Stream that a line was written to.', {
  stdout: 'The standard output stream.',
  stderr: 'The standard error stream.',
})

export interface LogLine {
  timestamp: string
  stream: 'stdout' | 'stderr'
  containerName: string
  contentId: string
  message: string
}

const field = fieldsOf<LogLine>()

export const logLine = resource({
  name: 'LogLine',
  id: 'LogLine',
  description: 'A line that a container or a build wrote.',
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
  },
  relations: { id: { description: 'Position of the line in the log of its environment.' } },
})
