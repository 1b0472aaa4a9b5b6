import { graphql } from '../../graphql/graphql.ts'

/** What is read of each line. Its fields are read off its message where they are shown: sent besides, they would double it. */
export const LineParts = graphql(`
  fragment LineParts on LogLine { id timestamp stream level containerName contentId message isPartial }
`)

export const LogPage = graphql(
  `
  query LogPage(
    $env: String!, $first: Int, $last: Int, $after: String, $before: String, $around: ID
    $search: String, $containerName: String, $contentId: ID, $jobRunId: ID, $stream: LogStream, $level: [LogLevel!]
    $from: DateTime, $to: DateTime
  ) {
    logs(
      envName: $env, first: $first, last: $last, after: $after, before: $before, around: $around
      search: $search, containerName: $containerName, contentId: $contentId, jobRunId: $jobRunId, stream: $stream
      level: $level, from: $from, to: $to
    ) {
      nodes { ...LineParts }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`,
  [LineParts],
)

export const NewLines = graphql(
  `
  subscription NewLines(
    $env: String!, $after: String, $search: String, $containerName: String, $contentId: ID, $jobRunId: ID
    $stream: LogStream, $level: [LogLevel!]
  ) {
    appEnvLogs(
      envName: $env, after: $after, search: $search, containerName: $containerName, contentId: $contentId
      jobRunId: $jobRunId, stream: $stream, level: $level
    ) {
      cursor
      lines { ...LineParts }
    }
  }
`,
  [LineParts],
)

/** By what lines can be filtered. */
export const LogSources = graphql(`
  query LogSources($env: String!, $isJob: Boolean!) {
    deployments(envName: $env, first: 50) { nodes { id version createdAt } }
    pods(envName: $env) { podId name contentId }
    jobRuns(envName: $env, first: 30) @include(if: $isJob) { nodes { id status queuedAt } }
  }
`)

export const LogFile = graphql(`
  query LogFile(
    $env: String!, $search: String, $containerName: String, $contentId: ID, $jobRunId: ID, $stream: LogStream
    $level: [LogLevel!], $from: DateTime, $to: DateTime, $format: LogFileFormat!
  ) {
    logsDownload(
      envName: $env, search: $search, containerName: $containerName, contentId: $contentId, jobRunId: $jobRunId
      stream: $stream, level: $level, from: $from, to: $to, format: $format
    ) { url expiresAt }
  }
`)
