import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasRunEnded } from '../../src/domain/job-run.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { cancelJobRun } from '../../src/services/job-run/cancel-job-run.ts'
import { createJobRun } from '../../src/services/job-run/create-job-run.ts'
import { retryJobRun } from '../../src/services/job-run/retry-job-run.ts'
import { applyChanges } from '../../src/services/lifecycle/apply-changes.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { startAppEnv } from '../../src/services/lifecycle/start.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { ensureProgramsImage } from '../support/programs-image.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'

const SETTINGS = { BERTH_STOP_GRACE_SECONDS: '1' }

let harbour: Harbour
let [memory, real]: Harbour[] = []

beforeAll(async () => {
  memory = await createHarbour(SETTINGS, await inMemory())
  real = await createHarbour(SETTINGS)
  for (const one of [memory, real, memory, real]) one.startWorker()
})
afterAll(async () => {
  for (const one of [memory, real]) await one?.close()
})

/** Programs, their ends and their output are those of the machine's own engine; the rest is decided before it. */
const on = (which: () => Harbour | undefined) =>
  beforeAll(() => {
    const found = which()
    if (found) harbour = found
  })

let jobs = 0

async function job(jobConfig: Record<string, unknown> = {}, image = harbour.image): Promise<string> {
  jobs += 1
  const app = { name: `Job ${jobs}`, port: undefined, dockerPreset: 'JOB', jobConfig: { shell: false, ...jobConfig } }
  const { appEnvId } = await harbour.appEnv({ app })
  expect(await harbour.ended(await harbour.deployment(appEnvId, image))).toMatchObject({ status: 'SUCCEEDED' })
  return appEnvId
}

const node = (program: string) => ({ command: 'node', args: ['-e', program], shell: false })
const begin = (appEnvId: string, fields: Record<string, unknown> = {}) =>
  harbour.perform(createJobRun, { appEnvId, ...fields })
const read = (id: string) =>
  harbour.database.jobRun.findUniqueOrThrow({ where: { id }, include: { attempts: { orderBy: { number: 'asc' } } } })
const ended = (id: string) =>
  eventually(
    () => read(id),
    ({ status }) => hasRunEnded(status),
  )
const running = (id: string) =>
  eventually(
    () => read(id),
    ({ attempts }) => attempts.some(({ startedAt, finishedAt }) => startedAt && !finishedAt),
  )
const run = async (appEnvId: string, fields: Record<string, unknown> = {}) =>
  ended((await begin(appEnvId, fields)).jobRunId)

async function linesOf(appEnvId: string, jobRunId: string): Promise<string[]> {
  const caller = await harbour.services.authenticate(harbour.adminToken)
  const { lines } = await harbour.services.logs.search(caller, { appEnvId }, { jobRunId }, { limit: 1000 })
  return lines.map(({ message }) => message).reverse()
}

describe('a job run', () => {
  on(() => real)

  test('runs the applied command, and tells its exit code, its output and its lines', async () => {
    const program = `console.log('hello ' + process.env.WHO); console.log(JSON.stringify({ rows: 3 })); console.error('done')`
    const appEnvId = await job(node(program))
    const asked = await begin(appEnvId, { envVars: [{ name: 'WHO', value: 'world' }] })
    expect(asked).toMatchObject({ status: 'QUEUED', trigger: 'MANUAL', version: 1, queuePosition: 1, attempts: [] })
    const row = await ended(asked.jobRunId)
    expect(row).toMatchObject({ status: 'SUCCEEDED', exitCode: 0, reason: null, output: { rows: 3 } })
    expect(row.attempts).toMatchObject([{ number: 1, exitCode: 0, reason: null }])
    expect((await linesOf(appEnvId, row.id)).sort()).toEqual(['done', 'hello world', '{"rows":3}'])
  })

  test('tells exit code, signal, memory, a command that does not exist, and a timeout apart', async () => {
    const appEnvId = await job({ ...node('process.exit(0)'), maxConcurrency: 6 })
    const ignoring = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('deaf')`
    const hungry = 'const all = []; for (;;) all.push(Buffer.alloc(16e6, 1))'
    const asked = [
      node('process.exit(7)'),
      node(`process.kill(process.pid, 'SIGKILL')`),
      node(hungry),
      { command: 'no-such-program', shell: false },
      { ...node(ignoring), timeoutSeconds: 15 },
    ]
    const ids: string[] = []
    for (const fields of asked) ids.push((await begin(appEnvId, fields)).jobRunId)
    const [code, signal, memory, missing, late] = await Promise.all(ids.map(ended))
    expect(code).toMatchObject({ status: 'FAILED', reason: 'EXIT_CODE', exitCode: 7 })
    expect(signal).toMatchObject({ status: 'FAILED', reason: 'SIGNAL', exitCode: 137 })
    expect(memory).toMatchObject({ status: 'FAILED', reason: 'OUT_OF_MEMORY', exitCode: 137 })
    expect(missing).toMatchObject({ status: 'FAILED', reason: 'EXIT_CODE', exitCode: 127 })
    expect(late).toMatchObject({ status: 'TIMED_OUT', reason: 'TIMED_OUT', exitCode: 137 })
    expect(await linesOf(appEnvId, late?.id ?? '')).toEqual(['deaf'])
  })

  test('reads its standard input to the end, also when it is large', async () => {
    const program = `let n = 0; process.stdin.on('data', (d) => (n += d.length)).on('end', () => console.log(JSON.stringify({ n })))`
    const appEnvId = await job(
      { command: 'node', args: ['-e', `"$READER"`], shell: true },
      await ensureProgramsImage(harbour.docker),
    )
    const envVars = [{ name: 'READER', value: program, isSecret: true }]
    const row = await run(appEnvId, { envVars, stdin: 'x'.repeat(900_000) })
    expect(row).toMatchObject({ status: 'SUCCEEDED', output: { n: 900_000 } })
  })

  test('that nobody watched when it ended still tells its true exit code', async () => {
    const appEnvId = await job(node(`setTimeout(() => { console.log('late'); process.exit(9) }, 1500)`))
    const { jobRunId } = await begin(appEnvId)
    await running(jobRunId)
    await harbour.stopWorkers()
    await eventually(
      async () => (await harbour.containersOf(appEnvId)).map(({ State }) => State),
      (states) => states.length === 1 && states[0] === 'exited',
    )
    expect(await read(jobRunId)).toMatchObject({ status: 'RUNNING' })
    harbour.startWorker()
    const row = await ended(jobRunId)
    expect(row).toMatchObject({ status: 'FAILED', reason: 'EXIT_CODE', exitCode: 9 })
    expect(row.attempts).toHaveLength(1)
    expect(await linesOf(appEnvId, jobRunId)).toEqual(['late'])
  })
})

describe('a job run whose end is known', () => {
  on(() => memory)

  test('counts as usage from the engine’s start to the engine’s end', async () => {
    const appEnvId = await job(node('process.exit(0)'))
    const { attempts } = await run(appEnvId)
    const counted = await harbour.database.usageInterval.findMany({ where: { appEnvId, kind: 'JOB_RUN' } })
    expect(counted).toMatchObject(
      attempts.map(({ containerId, startedAt, finishedAt }) => ({
        sourceId: containerId,
        amount: 1000n,
        startedAt,
        until: finishedAt,
        hasEnded: true,
      })),
    )
    expect(counted).toHaveLength(1)
  })

  test('is tried again up to its backoffLimit, each attempt in a container of its own', async () => {
    const appEnvId = await job({
      ...node(`process.exit(process.env.BERTH_JOB_ATTEMPT === '2' ? 0 : 3)`),
      backoffLimit: 3,
    })
    const row = await run(appEnvId)
    expect(row).toMatchObject({ status: 'SUCCEEDED', exitCode: 0, reason: null, message: null })
    expect(row.attempts.map(({ exitCode }) => exitCode)).toEqual([3, 0])
    expect(new Set(row.attempts.map(({ containerId }) => containerId)).size).toBe(2)
  })

  test('is cancelled while it waits and while it runs, and repeated', async () => {
    const appEnvId = await job(node('setInterval(() => {}, 1000)'))
    const first = await begin(appEnvId)
    await running(first.jobRunId)
    const second = await begin(appEnvId)
    expect(await harbour.perform(cancelJobRun, { jobRunId: second.jobRunId })).toMatchObject({ status: 'CANCELLED' })
    await harbour.perform(cancelJobRun, { jobRunId: first.jobRunId })
    expect(await ended(first.jobRunId)).toMatchObject({ status: 'CANCELLED', reason: 'CANCELLED_BY_USER' })
    const again = await harbour.perform(retryJobRun, { jobRunId: first.jobRunId })
    await running(again.jobRunId)
    await harbour.perform(cancelJobRun, { jobRunId: again.jobRunId })
    expect(await ended(again.jobRunId)).toMatchObject({ status: 'CANCELLED', retriesId: first.jobRunId })
  })
})

describe('the queue', () => {
  on(() => memory)

  test('runs as many at a time as allowed, in order', async () => {
    const appEnvId = await job({ ...node(''), maxConcurrency: 2 })
    const asked: string[] = []
    for (let index = 0; index < 6; index += 1) asked.push((await begin(appEnvId)).jobRunId)
    const rows = await Promise.all(asked.map(ended))
    expect(rows.map(({ status }) => status)).toEqual(rows.map(() => 'SUCCEEDED'))
    const starts = rows.map(({ startedAt }) => startedAt?.getTime() ?? 0)
    expect(starts).toEqual([...starts].sort((a, b) => a - b))
    for (const row of rows) {
      const at = row.startedAt?.getTime() ?? 0
      const beside = rows.filter(
        (one) => (one.startedAt?.getTime() ?? 0) <= at && (one.finishedAt?.getTime() ?? 0) > at,
      )
      expect(beside.length).toBeLessThanOrEqual(2)
    }
  })

  test('refuses or replaces beyond the limit where the policy says so', async () => {
    const forever = node('setInterval(() => {}, 1000)')
    const rejecting = await job({ ...forever, concurrencyPolicy: 'REJECT' })
    const first = await begin(rejecting)
    await expect(begin(rejecting)).rejects.toMatchObject({ code: 'CONFLICT', reason: 'CONCURRENCY_LIMIT' })
    await harbour.perform(cancelJobRun, { jobRunId: first.jobRunId })
    const replacing = await job({ ...forever, concurrencyPolicy: 'REPLACE' })
    const old = await begin(replacing)
    await running(old.jobRunId)
    const next = await begin(replacing)
    expect(await ended(old.jobRunId)).toMatchObject({ status: 'CANCELLED', reason: 'REPLACED' })
    await running(next.jobRunId)
    await harbour.perform(cancelJobRun, { jobRunId: next.jobRunId })
    await ended(next.jobRunId)
  })
})

describe('the environment', () => {
  on(() => memory)

  test('keeps the applied command until changes are applied', async () => {
    const appEnvId = await job(node('process.exit(1)'))
    await harbour.perform(updateAppEnv, { appEnvId, jobConfig: node('process.exit(2)') })
    expect(await run(appEnvId)).toMatchObject({ exitCode: 1, contentVersion: 1 })
    expect(await run(appEnvId, node('process.exit(3)'))).toMatchObject({ exitCode: 3 })
    const { operationId } = await harbour.perform(applyChanges, { appEnvId })
    await harbour.ended(operationId ?? '')
    expect(await run(appEnvId)).toMatchObject({ exitCode: 2, contentVersion: 2 })
  })

  test('that is stopped ends what runs, refuses new runs and keeps its queue for the start', async () => {
    const appEnvId = await job(node(`setTimeout(() => {}, process.env.BRIEF ? 0 : 60000)`))
    const first = await begin(appEnvId)
    await running(first.jobRunId)
    const second = await begin(appEnvId, { envVars: [{ name: 'BRIEF', value: '1' }] })
    await harbour.ended(await harbour.ask(stopAppEnv, appEnvId))
    expect(await ended(first.jobRunId)).toMatchObject({ status: 'CANCELLED', reason: 'ENVIRONMENT_STOPPED' })
    await expect(begin(appEnvId)).rejects.toMatchObject({ reason: 'ENVIRONMENT_STOPPED' })
    expect(await read(second.jobRunId)).toMatchObject({ status: 'QUEUED' })
    await harbour.ended(await harbour.ask(startAppEnv, appEnvId))
    expect(await ended(second.jobRunId)).toMatchObject({ status: 'SUCCEEDED' })
  })
})

describe('the environment on the machine’s own engine', () => {
  on(() => real)

  test('of another app runs one-off commands in its current version, beside its containers', async () => {
    const appEnvId = await harbour.sample({ envVars: [{ name: 'GREETING', value: 'hello' }] })
    await harbour.ended(await harbour.ask(deployImage, appEnvId, { image: harbour.image }))
    await expect(begin(appEnvId)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    const row = await run(appEnvId, node(`console.log(process.env.GREETING)`))
    expect(row).toMatchObject({ status: 'SUCCEEDED', contentVersion: 1 })
    expect(await linesOf(appEnvId, row.id)).toEqual(['hello'])
    expect((await harbour.appEnvRow(appEnvId)).replicas).toHaveLength(1)
  })

  test('has the container of a run removed once its time is over, and its lines kept', async () => {
    const appEnvId = await job({ ...node(`console.log('kept')`), ttlSecondsAfterFinished: 0 })
    const row = await run(appEnvId)
    await eventually(
      () => harbour.containersOf(appEnvId),
      (containers) => containers.length === 0,
    )
    expect(await linesOf(appEnvId, row.id)).toEqual(['kept'])
  })
})
