import { graphql } from '../../graphql/graphql.ts'

export const JobRunState = graphql(`
  fragment JobRunState on JobRun {
    id status trigger reason message exitCode durationMs queuePosition
    queuedAt startedAt finishedAt scheduledFor retriesId logsTruncated output
    requester { id username }
    deployment { id version }
    attempts { number containerName startedAt finishedAt exitCode reason message }
    commandSnapshot {
      command args shell workingDir timeoutSeconds backoffLimit
      envVars { name isSecret }
    }
  }
`)

export const JobScheduleState = graphql(`
  fragment JobScheduleState on JobSchedule {
    scheduleId cron timeZone enabled catchUp nextRuns revision
  }
`)

export const JobRuns = graphql(
  `
  query JobRuns($env: String!, $after: String, $status: [JobRunStatus!]) {
    appEnv(envName: $env) {
      id
      jobConfig { command args shell workingDir timeoutSeconds maxConcurrency concurrencyPolicy backoffLimit }
      jobSchedule { ...JobScheduleState }
    }
    jobRuns(envName: $env, first: 50, after: $after, status: $status) {
      totalCount
      nodes { ...JobRunState }
      pageInfo { hasNextPage endCursor }
    }
  }
`,
  [JobRunState, JobScheduleState],
)

export const JobRunDetail = graphql(
  `
  query JobRunDetail($id: ID!) {
    jobRun(id: $id) { ...JobRunState }
  }
`,
  [JobRunState],
)

export const JobRunChanged = graphql(
  `
  subscription JobRunChanged($id: ID!, $after: String) {
    jobRunChanged(jobRunId: $id, after: $after) {
      cursor
      jobRun { ...JobRunState }
    }
  }
`,
  [JobRunState],
)

/** The newest lines of a run, then each as it is written. */
export const RunLines = graphql(`
  subscription RunLines($env: String!, $jobRunId: ID!, $after: String) {
    appEnvLogs(envName: $env, jobRunId: $jobRunId, after: $after) {
      cursor
      lines { id timestamp stream message containerName }
    }
  }
`)

export const CreateJobRun = graphql(
  `
  mutation CreateJobRun($input: CreateJobRunInput!) {
    createJobRun(input: $input) { jobRun { ...JobRunState } }
  }
`,
  [JobRunState],
)

export const CancelJobRun = graphql(
  `
  mutation CancelJobRun($input: CancelJobRunInput!) {
    cancelJobRun(input: $input) { jobRun { ...JobRunState } }
  }
`,
  [JobRunState],
)

export const RetryJobRun = graphql(
  `
  mutation RetryJobRun($input: RetryJobRunInput!) {
    retryJobRun(input: $input) { jobRun { ...JobRunState } }
  }
`,
  [JobRunState],
)

export const SetJobSchedule = graphql(
  `
  mutation SetJobSchedule($input: SetJobScheduleInput!) {
    setJobSchedule(input: $input) { jobSchedule { ...JobScheduleState appEnv { id } } }
  }
`,
  [JobScheduleState],
)

export const DeleteJobSchedule = graphql(`
  mutation DeleteJobSchedule($input: DeleteJobScheduleInput!) {
    deleteJobSchedule(input: $input) { message }
  }
`)
