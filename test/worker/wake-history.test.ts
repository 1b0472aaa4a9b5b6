import { afterAll, beforeAll, expect, test } from 'vitest'
import { LoadSession } from '../../src/ingress/activator/load-session.ts'
import { deleteOldLoads } from '../../src/worker/housekeeping/delete-expired.ts'
import { createScalingWorld, type ScalingWorld } from './scaling-world.ts'

let world: ScalingWorld
let sessions: LoadSession[] = []

beforeAll(async () => {
  world = await createScalingWorld((process) => {
    process.serve((_request, response) => response.end('here'))
    return Promise.resolve()
  })
  sessions = [new LoadSession(world.url), new LoadSession(world.url)]
})
afterAll(async () => {
  for (const session of sessions) await session.close()
  await world?.close()
})

async function sleepAndWake(appEnvId: string): Promise<void> {
  await world.putToSleep(appEnvId)
  expect((await world.row(appEnvId)).requestScaling?.depth).toBe('FROZEN')
  await world.ask(appEnvId)
  await world.scale(appEnvId)
  expect((await world.row(appEnvId)).requestScaling?.depth).toBeNull()
  await world.database.$executeRaw`DELETE FROM request_load`
}

const eventsOf = async (appEnvId: string) => {
  const events = await world.database.event.findMany({
    where: { appEnvId, type: 'appEnv.woken' },
    orderBy: { sequence: 'asc' },
  })
  return events.map(({ payload }) => payload)
}

test('events tell of wakes with depth and duration, at most one a minute, and of those between with the next', async () => {
  const appEnvId = await world.functionEnv()
  await sleepAndWake(appEnvId)
  const first = { depth: 'FROZEN', durationMs: expect.any(Number), held: 1, failure: null, wakes: 1, failed: 0 }
  expect(await eventsOf(appEnvId)).toMatchObject([first])
  await sleepAndWake(appEnvId)
  await sleepAndWake(appEnvId)
  expect(await eventsOf(appEnvId)).toHaveLength(1)
  await world.database.$executeRaw`UPDATE wake SET announced_at = announced_at - interval '1 hour'`
  await world.putToSleep(appEnvId)
  expect(await eventsOf(appEnvId)).toMatchObject([first, { ...first, wakes: 2 }])
})

test('of the wakes of one environment, the last thousand are kept', async () => {
  const appEnvId = await world.functionEnv()
  await world.database.$executeRaw`
    INSERT INTO wake (id, app_env_id, content_id, depth, duration_ms, held, created_at)
    SELECT 'wake_' || n, ${appEnvId}, 'any', 'FROZEN', n, 1, now() - make_interval(secs => n)
    FROM generate_series(1, 1200) AS n`
  await deleteOldLoads(world.database)
  const [kept] = await world.database.$queryRaw<{ count: number; oldest: number }[]>`
    SELECT count(*)::int AS count, max(duration_ms) AS oldest FROM wake WHERE app_env_id = ${appEnvId}`
  expect(kept).toEqual({ count: 1000, oldest: 1000 })
})

const reported = (appEnvId: string, ended: object) => ({
  appEnvId,
  inFlight: 0,
  waiting: 0,
  peak: 0,
  byReplica: {},
  revision: 0,
  idleMs: 0,
  ended: { invocations: 0, errors: 0, queuedMs: 0, durations: [], ...ended },
})

async function seriesOf(appEnvId: string, metric: string): Promise<number> {
  const caller = await world.services.authenticate(world.adminToken)
  const { points } = await world.services.metrics.series(caller, { appEnvId }, { metric, step: '1h' })
  return points.reduce((sum, { value }) => sum + value, 0)
}

test('metrics count what all ingresses report, and cold starts by depth', async () => {
  const appEnvId = await world.functionEnv()
  await sleepAndWake(appEnvId)
  const [one, other] = sessions
  // Steps 10 and 20 of the histogram: up to 17.8 and 315 ms.
  const durations = [...Array(10).fill(0), 95, ...Array(9).fill(0), 5]
  await one?.report([reported(appEnvId, { invocations: 60, errors: 6, queuedMs: 900, durations })], [], [])
  await one?.report([reported(appEnvId, { invocations: 30, queuedMs: 300, durations: [0] })], [], [])
  await other?.report([reported(appEnvId, { invocations: 30, durations })], [], [])
  // Per minute of the hour that a point stands for.
  expect(await seriesOf(appEnvId, 'invocations')).toBe(2)
  expect(await seriesOf(appEnvId, 'invocation_errors')).toBe(0.1)
  expect(await seriesOf(appEnvId, 'queue_time')).toBe(10)
  const samples = await world.database.requestSample.findMany({ where: { appEnvId, source: 'worker' } })
  expect(samples.reduce((sum, { coldFrozen }) => sum + coldFrozen, 0)).toBe(1)
  expect(await seriesOf(appEnvId, 'duration_p50')).toBeLessThan(18)
  expect(await seriesOf(appEnvId, 'duration_p99')).toBeGreaterThan(200)
})

test('an ordinary app has none of them, and is told which it has', async () => {
  const { appEnvId } = await world.appEnv()
  await expect(seriesOf(appEnvId, 'invocations')).rejects.toMatchObject({ code: 'INVALID_INPUT' })
})
