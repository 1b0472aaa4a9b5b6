import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createJobRun } from '../../src/services/job-run/create-job-run.ts'
import { endRuns } from '../../src/services/open-runs/end-runs.ts'
import { LeaseLost } from '../../src/worker/claim/abandoned.ts'
import { renewLeases } from '../../src/worker/claim/leased-table.ts'
import type { RunLease } from '../../src/worker/runs/run-lease.ts'
import { checkRuns, claimRun } from '../../src/worker/runs/run-lease-table.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())
beforeEach(() => world.database.jobRun.deleteMany())

async function queued(): Promise<string> {
  const app = { port: undefined, dockerPreset: 'JOB', jobConfig: { command: 'import' } }
  const { appEnvId } = await world.appEnv({ app })
  await world.deploy(appEnvId)
  await world.perform(createJobRun, { appEnvId })
  return appEnvId
}

const claimant = { owner: 'worker', leaseSeconds: 30, accountContainers: 1000 }
const claimed = async () => (await claimRun(world.database, claimant)) as RunLease

test('are renewed while a request has one of the rows locked, and that one is not lost', async () => {
  await queued()
  await queued()
  const [free, locked] = [await claimed(), await claimed()]
  const before = [free.renewedAt, locked.renewedAt]
  await world.database.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT 1 FROM job_run WHERE id = ${locked.runId} FOR UPDATE`
    await renewLeases(world.database, 'job_run', [free, locked], 30)
    await checkRuns(world.database, [free, locked])
  })
  expect(free.renewedAt).toBeGreaterThan(before[0] ?? 0)
  expect(locked.renewedAt).toBe(before[1])
  expect([free.signal.aborted, locked.signal.aborted]).toEqual([false, false])
})

test('are ended when another worker has the run, and say when the run is to be cancelled', async () => {
  await queued()
  await queued()
  const [lost, cancelled] = [await claimed(), await claimed()]
  await world.database.jobRun.update({ where: { id: lost.runId }, data: { leaseToken: { increment: 1 } } })
  await world.database.jobRun.update({ where: { id: cancelled.runId }, data: { cancelReason: 'REPLACED' } })
  await checkRuns(world.database, [lost, cancelled])
  expect(lost.signal.reason).toBeInstanceOf(LeaseLost)
  expect([cancelled.cancelled.aborted, cancelled.signal.aborted]).toEqual([true, false])
})

test('are given for the next environment while the first one is locked', async () => {
  const [first, second] = [await queued(), await queued()]
  await world.database.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT 1 FROM app_env WHERE id = ${first} FOR UPDATE`
    expect((await claimRun(world.database, claimant))?.appEnvId).toBe(second)
  })
})

test('a run that a worker has ended meanwhile is not cancelled', async () => {
  const id = await queued()
  const lease = await claimed()
  const { database } = world
  const stale = await database.jobRun.findUniqueOrThrow({ where: { id: lease.runId } })
  const ended = await database.jobRun.update({ where: { id: stale.id }, data: { status: 'SUCCEEDED' } })
  const appEnv = await database.appEnv.findUniqueOrThrow({ where: { id } })
  await database.$transaction((tx) => endRuns({ tx, announce() {} }, appEnv, [stale], 'REPLACED'))
  expect(await database.jobRun.findUniqueOrThrow({ where: { id: stale.id } })).toEqual(ended)
})

test('are given to no run beyond the containers that its account may have, and again once there is room', async () => {
  const appEnvId = await queued()
  const { accountId } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  await world.perform(createJobRun, { appEnvId: await queued() })
  const rows = await world.database.appEnv.findMany({ where: { accountId, deletedAt: null } })
  const configured = rows.reduce((sum, { containers }) => sum + containers, 0)
  const limited = { ...claimant, accountContainers: configured + 1 }
  expect(await claimRun(world.database, { ...claimant, accountContainers: configured })).toBeNull()
  const first = await claimRun(world.database, limited)
  expect(first?.appEnvId).toBe(appEnvId)
  expect(await claimRun(world.database, limited)).toBeNull()
  await world.database.jobRun.update({ where: { id: first?.runId ?? '' }, data: { status: 'SUCCEEDED' } })
  expect(await claimRun(world.database, limited)).not.toBeNull()
})

test('a release command is not counted with the runs, and ends with the deployment that waits for it', async () => {
  const appEnvId = await queued()
  const { id: contentId, ...content } = await world.database.content.findFirstOrThrow({ where: { appEnvId } })
  const { database } = world
  const data = {
    accountId: content.accountId,
    appEnvId,
    contentId,
    contentVersion: 1,
    requestId: 'req',
    snapshot: {},
  }
  const release = { ...data, trigger: 'RELEASE', status: 'RUNNING', maxConcurrency: 1 } as const
  await database.jobRun.create({ data: { ...release, id: 'run_release', releaseKey: 'key' } })
  await expect(database.jobRun.create({ data: { ...release, id: 'run_second', releaseKey: 'key' } })).rejects.toThrow()
  await database.operation.updateMany({ where: { appEnvId }, data: { status: 'RUNNING', finishedAt: null } })
  const held = await claimed()
  expect(held.runId).toBe('run_release')
  // Beside it, the queue goes on, although only one may run at a time.
  expect((await claimed()).appEnvId).toBe(appEnvId)
  await checkRuns(database, [held])
  expect(held.cancelled.aborted).toBe(false)
  await database.operation.updateMany({ where: { appEnvId }, data: { status: 'CANCELLED' } })
  await checkRuns(database, [held])
  expect(held.cancelled.aborted).toBe(true)
  expect(await database.jobRun.findUnique({ where: { id: held.runId } })).toMatchObject({
    cancelReason: 'DEPLOYMENT_ENDED',
  })
})
