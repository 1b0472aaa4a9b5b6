import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ContainerRuntime, ExecOptions } from '../../src/engines/runtime/container-runtime.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { deleteOldLogs } from '../../src/worker/logs/delete-old-logs.ts'
import { claimLogStream } from '../../src/worker/logs/log-stream.ts'
import { measureServices } from '../../src/worker/metrics/measure-services.ts'
import { ReadingHistory } from '../../src/worker/metrics/reading-history.ts'
import { readGraphQL, readMcp, readRest } from '../parity/read-apis.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'

const TIMEOUT_MS = 120_000

let world: World
let served: Served

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
})

afterAll(async () => {
  await served?.close()
  await world?.close()
})

/** A managed service, and the container that runs it. */
async function service(dockerPreset: string) {
  const { accountId } = world
  const name = `Db ${Math.random()}`
  const { appId } = (await world.perform(createApp, { name, accountId, dockerPreset })) as { appId: string }
  const created = await world.perform(createAppEnv, { accountId, appId, name: 'production', region: 'local' })
  const { appEnvId } = created as { appEnvId: string }
  for (const { id } of await world.operationsOf(appEnvId)) await world.endOperation(id)
  const { currentContentId } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  const { id } = await world.database.container.create({
    data: {
      containerId: `c-${appEnvId}`,
      appEnvId,
      contentId: currentContentId ?? '',
      name: appEnvId,
      phase: 'running',
    },
  })
  return { appEnvId, containerId: id }
}

type Program = (options: ExecOptions, command: readonly string[]) => Promise<number> | number

/** A container engine whose containers run this instead of a metrics command. */
const running = (programs: Readonly<Record<string, Program>>) =>
  ({
    async exec(name, command, options = {}) {
      const exitCode = await programs[name]?.(options, command)
      return { exitCode: exitCode ?? 0, errorOutput: 'the password is canary' }
    },
  }) as Pick<ContainerRuntime, 'exec'> as ContainerRuntime

const printing =
  (text: string): Program =>
  async ({ output }) => {
    await output?.(Buffer.from(text))
    return 0
  }

const redisWith = (figures: Record<string, number>) =>
  printing(
    Object.entries(figures)
      .map((pair) => pair.join(':'))
      .join('\r\n'),
  )

const measured = (history: ReadingHistory, programs: Readonly<Record<string, Program>>) => {
  const context = { database: world.database, vault: world.vault, log: world.log, runtime: running(programs) }
  const ids = Object.keys(programs).map((name) => name.slice('c-'.length))
  return measureServices(context, history, ids, AbortSignal.timeout(60_000))
}

const samplesOf = (appEnvId: string) =>
  world.database.serviceSample.findMany({ where: { appEnvId }, orderBy: { at: 'asc' } })

const AN_HOUR_MS = 3_600_000

test('what an engine reports is read through both APIs, now and as a series', async () => {
  const { appEnvId } = await service('REDIS')
  const history = new ReadingHistory()
  const reading = { connected_clients: 8, used_memory: 3_145_728, keyspace_hits: 10, keyspace_misses: 10 }
  await measured(history, { [`c-${appEnvId}`]: redisWith(reading) })
  // A sample of another second.
  await world.database.serviceSample.updateMany({
    where: { appEnvId },
    data: { at: new Date(Date.now() - AN_HOUR_MS) },
  })
  await measured(history, {
    [`c-${appEnvId}`]: redisWith({ ...reading, connected_clients: 3, keyspace_hits: 13, keyspace_misses: 11 }),
  })

  const { body } = await readRest(served, world.adminToken, 'getMetrics', { appEnvId })
  const values = Object.fromEntries(
    body.serviceMetrics.map((one: { name: string; value: number }) => [one.name, one.value]),
  )
  expect(values).toMatchObject({ connections: 2, engine_memory: 3, cache_hit_rate: 75, keys: null })
  expect(body.serviceMetrics[0]).toEqual({
    name: 'connections',
    unit: 'COUNT',
    description: 'Open connections of clients.',
    value: 2,
    updatedAt: expect.any(String),
  })
  expect(body.serviceMetrics.at(-1)).toMatchObject({ name: 'evicted_keys', value: null, updatedAt: null })
  const all = '{ serviceMetrics { name unit description value updatedAt } }'
  const graphql = await readGraphQL(served, world.adminToken, `metrics(appEnvId: "${appEnvId}") ${all}`)
  expect(graphql.body.serviceMetrics).toEqual(body.serviceMetrics)
  const mcp = await readMcp(served, world.adminToken, 'getMetrics', { appEnvId })
  expect(mcp.body.serviceMetrics).toEqual(body.serviceMetrics)

  const asked = {
    appEnvId,
    metric: 'connections',
    step: '1h',
    from: new Date(Date.now() - 3 * AN_HOUR_MS).toISOString(),
  }
  const series = await readRest(served, world.adminToken, 'getMetricsSeries', asked)
  expect(series.body.points.map(({ value }: { value: number }) => value)).toEqual([7, 2])
  const points = await readGraphQL(
    served,
    world.adminToken,
    `metricsSeries(appEnvId: "${appEnvId}", metric: CONNECTIONS, step: ONE_HOUR, from: "${asked.from}") { timestamp value }`,
  )
  expect(points.body).toEqual(series.body.points)
})

test('no sample is of a time that is still to come', async () => {
  const { appEnvId } = await service('REDIS')
  // Late in a second, so that a rounded time would be of the next one.
  await world.database
    .$queryRaw`SELECT pg_sleep(mod(1.7 - mod(extract(epoch FROM clock_timestamp()), 1), 1)::float8)::text`
  await measured(new ReadingHistory(), { [`c-${appEnvId}`]: redisWith({ connected_clients: 2 }) })
  const [sample] = await samplesOf(appEnvId)
  expect(sample?.at.getTime()).toBeLessThanOrEqual(Date.now())
})

test('metrics that an environment does not have are refused by name', async () => {
  const { appEnvId } = await service('REDIS')
  for (const metric of ['wal_size', 'nonsense']) {
    const { code, body } = await readRest(served, world.adminToken, 'getMetricsSeries', { appEnvId, metric })
    expect([code, body.errors[0].field]).toEqual(['INVALID_INPUT', 'metric'])
    expect(body.errors[0].message).toMatch(/cpu_usage.*evicted_keys/)
  }
  const web = await world.appEnv()
  const refused = await readRest(served, world.adminToken, 'getMetricsSeries', {
    appEnvId: web.appEnvId,
    metric: 'connections',
  })
  expect([refused.code, refused.body.errors[0].field]).toEqual(['INVALID_INPUT', 'metric'])
  expect(
    (await readRest(served, world.adminToken, 'getMetrics', { appEnvId: web.appEnvId })).body.serviceMetrics,
  ).toEqual([])
  const graphql = `metricsSeries(appEnvId: "${appEnvId}", metric: WAL_SIZE) { value }`
  expect((await readGraphQL(served, world.adminToken, graphql)).code).toBe('INVALID_INPUT')
})

test('an engine that fails, hangs or floods harms no other one, and is asked less often', {
  timeout: TIMEOUT_MS,
}, async () => {
  const [good, failing, flooding, silent] = await Promise.all([1, 2, 3, 4].map(() => service('REDIS')))
  const history = new ReadingHistory()
  const asked = { failing: 0, flooding: 0 }
  const flood = Buffer.alloc(64 * 1024, 'keys:1\n')
  const programs = {
    [`c-${good?.appEnvId}`]: redisWith({ connected_clients: 2 }),
    [`c-${failing?.appEnvId}`]: () => {
      asked.failing += 1
      return 1
    },
    [`c-${flooding?.appEnvId}`]: async ({ output }: ExecOptions) => {
      asked.flooding += 1
      for (;;) await output?.(flood)
    },
    [`c-${silent?.appEnvId}`]: () => Promise.reject(new Error('did not end within 10 s')),
  }
  for (let round = 0; round < 8; round += 1) await measured(history, programs)
  expect((await samplesOf(good?.appEnvId ?? '')).length).toBeGreaterThan(0)
  for (const other of [failing, flooding, silent]) expect(await samplesOf(other?.appEnvId ?? '')).toEqual([])
  // In the rounds 1, 2, 4 and 8.
  expect(asked).toEqual({ failing: 4, flooding: 4 })
  // Whoever answers is asked in each round again.
  await measured(history, { ...programs, [`c-${failing?.appEnvId}`]: redisWith({ connected_clients: 5 }) })
})

test('each command has a deadline, a key and a bounded answer, and no secret in its arguments', async () => {
  const { appEnvId } = await service('POSTGRESQL')
  const { password } = (await readRest(served, world.adminToken, 'getServiceCredentials', { appEnvId })).body
  expect(password).toMatch(/^\S{16,}$/)
  const seen: { options: ExecOptions; command: readonly string[] }[] = []
  await measured(new ReadingHistory(), {
    [`c-${appEnvId}`](options, command) {
      seen.push({ options, command })
      return 0
    },
  })
  expect(seen).toHaveLength(1)
  expect(seen[0]?.options).toMatchObject({ key: 'metrics', timeoutSeconds: 10, signal: expect.any(AbortSignal) })
  expect(seen[0]?.command.join(' ')).not.toContain(password)
})

test('samples are deleted with their environment', async () => {
  const { appEnvId } = await service('REDIS')
  await measured(new ReadingHistory(), { [`c-${appEnvId}`]: redisWith({ connected_clients: 2 }) })
  await claimLogStream(world.database, { appEnvId, kind: 'CONTAINERS' }, { owner: 'worker-1', leaseSeconds: 60 })
  await world.database.serviceSample.updateMany({
    where: { appEnvId },
    data: { at: new Date(Date.now() - AN_HOUR_MS) },
  })
  await deleteOldLogs(world.database)
  expect(await samplesOf(appEnvId)).toHaveLength(1)
  await world.database.appEnv.update({ where: { id: appEnvId }, data: { deletedAt: new Date() } })
  await deleteOldLogs(world.database)
  expect(await samplesOf(appEnvId)).toEqual([])
})
