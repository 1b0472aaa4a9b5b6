import { beforeAll, describe, test } from 'vitest'
import { eventually } from './support/eventually.ts'
import { programImage } from './support/images.ts'
import { type SharedBerth, sharedBerth } from './support/shared-berth.ts'

let berth: SharedBerth
let image: string

beforeAll(async () => {
  ;[berth, image] = await Promise.all([sharedBerth(), programImage('1')])
})

const jobOf = (...words: string[]) => ({ command: 'node', args: ['/app/program.mjs', 'job', ...words], shell: false })

async function createJob(jobConfig: object): Promise<string> {
  const app = { dockerPreset: 'JOB', port: undefined, jobConfig }
  return (await berth.runImage(image, app)).appEnvId
}

const begin = (appEnvId: string, fields: object = {}) =>
  berth.ok('POST', '/app-env/job-runs', { body: { appEnvId, ...fields }, headers: { prefer: 'wait=0' } })

describe.concurrent('a job', () => {
  test('runs, with its output, its exit code and no host', async ({ expect }) => {
    const appEnvId = await createJob(jobOf('import'))
    const { jobRunId } = await begin(appEnvId)
    const run = await berth.untilRunEnded(jobRunId)
    expect(run).toMatchObject({ status: 'SUCCEEDED', exitCode: 0, trigger: 'MANUAL' })
    expect(await berth.logsOf(appEnvId)).toContain('done: import')
    expect((await berth.get('/app-env', { appEnvId })).hosts).toEqual([])
  })

  test('that fails is tried again as often as it may, and says its exit code', async ({ expect }) => {
    const appEnvId = await createJob({ ...jobOf('import'), backoffLimit: 1 })
    const { jobRunId } = await begin(appEnvId, { envVars: [{ name: 'EXIT', value: '4' }] })
    const run = await berth.untilRunEnded(jobRunId)
    expect(run).toMatchObject({ status: 'FAILED', exitCode: 4 })
    expect(run.attempts).toMatchObject([{ exitCode: 4 }, { exitCode: 4 }])
  })

  test('is cancelled while it runs, and when its time is over', async ({ expect }) => {
    const appEnvId = await createJob({ ...jobOf('forever'), maxConcurrency: 2 })
    const { jobRunId } = await begin(appEnvId)
    const late = await begin(appEnvId, { timeoutSeconds: 1 })
    const read = () => berth.get('/app-env/job-run', { jobRunId })
    await eventually('the run runs', read, ({ status }) => status === 'RUNNING')
    expect((await berth.call('POST', '/app-env/job-run/cancel', { body: { jobRunId } })).status).toBe(200)
    expect((await berth.untilRunEnded(jobRunId)).status).toBe('CANCELLED')
    expect((await berth.untilRunEnded(late.jobRunId)).status).toBe('TIMED_OUT')
    await berth.untilNothingRunning(appEnvId)
  })

  test('is started by its schedule', async ({ expect }) => {
    const appEnvId = await createJob(jobOf('at its time'))
    await berth.ok('PUT', '/app-env/job-schedule', { body: { appEnvId, cron: '* * * * *', timeZone: 'UTC' } })
    const read = () => berth.get('/app-env/job-runs', { appEnvId })
    const { jobRuns } = await eventually('the schedule has started a run', read, (answer) => answer.jobRuns.length > 0)
    expect(await berth.untilRunEnded(jobRuns[0].jobRunId)).toMatchObject({ trigger: 'SCHEDULE', status: 'SUCCEEDED' })
    await berth.ok('DELETE', '/app-env/job-schedule', { query: { appEnvId } })
    expect((await berth.call('GET', '/app-env/job-schedule', { query: { appEnvId } })).status).toBe(404)
  })

  test('keeps its settings until changes are applied', async ({ expect }) => {
    const appEnvId = await createJob(jobOf('before'))
    await berth.ok('PUT', '/app-env', { body: { appEnvId, jobConfig: jobOf('after') } })
    const before = await begin(appEnvId)
    expect(before.commandSnapshot.args).toContain('before')
    await berth.post('/app-env/apply-changes', { appEnvId })
    const after = await begin(appEnvId)
    expect(after.commandSnapshot.args).toContain('after')
    await Promise.all([berth.untilRunEnded(before.jobRunId), berth.untilRunEnded(after.jobRunId)])
    const logs = await berth.logsOf(appEnvId)
    expect(logs).toEqual(expect.arrayContaining(['done: before', 'done: after']))
  })

  test('is waited for by the call that begins it', async ({ expect }) => {
    const appEnvId = await createJob(jobOf('at once'))
    const body = { appEnvId }
    const answer = await berth.call('POST', '/app-env/job-runs', { body, headers: { prefer: 'wait=120' } })
    expect(answer.body).toMatchObject({ status: 'SUCCEEDED', exitCode: 0 })
  })

  test('is a one-off command of an app, too', async ({ expect }) => {
    const { appEnvId } = await berth.runImage(image)
    const { jobRunId } = await begin(appEnvId, jobOf('migrate'))
    expect(await berth.untilRunEnded(jobRunId)).toMatchObject({ status: 'SUCCEEDED' })
    const { logs } = await berth.get('/logs', { appEnvId, jobRunId })
    expect(logs).toMatchObject([{ message: 'done: migrate' }])
  })
})
