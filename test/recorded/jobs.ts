import { type Fixture, UNKNOWN } from './fixture.ts'

const schedule = { cron: '0 4 * * 1', timeZone: 'Europe/Vienna', enabled: false }

/** A job whose version is there, and a web app that has none. */
async function environments({ app, appEnv, deploy }: Fixture): Promise<{ job: string; web: string }> {
  const settings = { dockerPreset: 'JOB', port: undefined, jobConfig: { command: 'import', args: ['--all'] } }
  const job = await appEnv(await app({ name: 'Import', ...settings }))
  await deploy(job)
  return { job, web: await appEnv(await app()) }
}

/** Runs of a job, which no worker begins, and its schedule. */
export async function restJobs(fixture: Fixture): Promise<void> {
  const { rest } = fixture
  const { job: appEnvId, web } = await environments(fixture)
  const unknown = { jobRunId: `run_${UNKNOWN}` }
  const own = { appEnvId, command: 'export', envVars: [{ name: 'DAY', value: 'today', isSecret: true }] }
  const { jobRunId } = (await rest('run the job', 'POST /app-env/job-runs', own)).body
  await rest('run an app that was never deployed', 'POST /app-env/job-runs', { appEnvId: web, command: 'date' })
  await rest('run the job for too long', 'POST /app-env/job-runs', { appEnvId, timeoutSeconds: 0 })
  await rest('read the run', 'GET /app-env/job-run', { jobRunId })
  await rest('read an unknown run', 'GET /app-env/job-run', unknown)
  await rest('list the runs', 'GET /app-env/job-runs', { appEnvId, status: 'QUEUED' })
  await rest('list the runs of no status', 'GET /app-env/job-runs', { appEnvId, status: 'LOST' })
  await rest('repeat a run that waits', 'POST /app-env/job-run/retry', { jobRunId })
  await rest('cancel the run', 'POST /app-env/job-run/cancel', { jobRunId })
  await rest('cancel it again', 'POST /app-env/job-run/cancel', { jobRunId })
  await rest('repeat the run', 'POST /app-env/job-run/retry', { jobRunId })
  await rest('read a schedule that is not there', 'GET /app-env/job-schedule', { appEnvId })
  await rest('set the schedule', 'PUT /app-env/job-schedule', { appEnvId, ...schedule })
  await rest('set a schedule of no zone', 'PUT /app-env/job-schedule', { appEnvId, ...schedule, timeZone: 'Mars' })
  await rest('read the schedule', 'GET /app-env/job-schedule', { appEnvId })
  await rest('delete the schedule', 'DELETE /app-env/job-schedule', { appEnvId })
  await rest('delete it again', 'DELETE /app-env/job-schedule', { appEnvId })
}

export async function graphqlJobs(fixture: Fixture): Promise<void> {
  const { graphql } = fixture
  const { job: id, web } = await environments(fixture)
  const run = 'mutation ($input: CreateJobRunInput!) { createJobRun(input: $input) { jobRun { id status trigger } } }'
  const { body } = await graphql('run the job', run, { input: { appEnvId: id } })
  const jobRunId = body.data.createJobRun.jobRun.id
  await graphql('run an app that was never deployed', run, { input: { appEnvId: web, command: 'date' } })
  const read =
    'query ($id: ID!) { jobRun(id: $id) { id status version attempts { number } commandSnapshot { command } } }'
  await graphql('read the run', read, { id: jobRunId })
  await graphql('read an unknown run', read, { id: `run_${UNKNOWN}` })
  const list = 'query ($id: ID) { jobRuns(appEnvId: $id) { nodes { id status } pageInfo { ...Page } } }'
  await graphql('list the runs', list, { id })
  await graphql('list the runs of an unknown environment', list, { id: `env_${UNKNOWN}` })
  const on = (name: string) =>
    `mutation ($id: ID!) { ${name}(input: { jobRunId: $id }) { jobRun { id status reason } } }`
  await graphql('repeat a run that waits', on('retryJobRun'), { id: jobRunId })
  await graphql('cancel the run', on('cancelJobRun'), { id: jobRunId })
  await graphql('cancel it again', on('cancelJobRun'), { id: jobRunId })
  await graphql('repeat the run', on('retryJobRun'), { id: jobRunId })
  const see = 'query ($id: ID) { jobSchedule(appEnvId: $id) { cron timeZone enabled revision nextRuns } }'
  await graphql('read a schedule that is not there', see, { id })
  const set =
    'mutation ($input: SetJobScheduleInput!) { setJobSchedule(input: $input) { jobSchedule { revision nextRuns } } }'
  await graphql('set the schedule', set, { input: { appEnvId: id, ...schedule } })
  await graphql('set a schedule of no zone', set, { input: { appEnvId: id, ...schedule, timeZone: 'Mars' } })
  await graphql('read the schedule', see, { id })
  await graphql('read the schedule of an unknown environment', see, { id: `env_${UNKNOWN}` })
  const remove = 'mutation ($id: ID) { deleteJobSchedule(input: { appEnvId: $id }) { message } }'
  await graphql('delete the schedule', remove, { id })
  await graphql('delete it again', remove, { id })
}
