import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { CurrentTable, RouteTable } from '../../src/ingress/routes/route-table.ts'
import { noTraffic, type ReportedTraffic } from '../../src/ingress/traffic/request-counts.ts'
import { TrafficSession } from '../../src/ingress/traffic/traffic-session.ts'
import { createHttpIngress } from '../../src/platform/ingress-processes/serve-http.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { deleteOldLogs } from '../../src/worker/logs/delete-old-logs.ts'
import { ask, routeTo, startReplica } from '../ingress/fixtures.ts'
import { readGraphQL, readMcp, readRest } from '../parity/read-apis.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let sessions: TrafficSession[] = []

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  sessions = [new TrafficSession(world.url), new TrafficSession(world.url)]
})

afterAll(async () => {
  for (const session of sessions) await session.close()
  await served?.close()
  await world?.close()
})

/** A web app with the versions 1 and 2. */
async function webApp() {
  const { appEnvId } = await world.appEnv({ app: { useImage: true } })
  for (const image of ['nginx:1', 'nginx:2']) await world.deploy(appEnvId, image)
  const contents = await world.database.content.findMany({ where: { appEnvId }, orderBy: { version: 'asc' } })
  return { appEnvId, contentIds: contents.map(({ id }) => id) }
}

const traffic = (appEnvId: string, changes: Partial<ReportedTraffic>): ReportedTraffic => ({
  ...noTraffic({ appEnvId, containerName: '', contentId: '' }),
  ...changes,
})

interface Series {
  metric: string
  version: number | null
  contentId: string | null
  containerName: string | null
  points: { timestamp: string; value: number }[]
}

/** The values of a series together: of one report, they may be in two steps. */
const total = ({ points }: Pick<Series, 'points'>) => points.reduce((sum, { value }) => sum + value, 0)

const most = (series: Pick<Series, 'points'> | undefined) =>
  Math.max(...(series?.points.map(({ value }) => value) ?? []))

const read = async (query: Record<string, string>) =>
  (await readRest(served, world.adminToken, 'getMetricsSeries', query)).body as Series & {
    series: Series[]
    step: string
  }

describe('requests to a web app', () => {
  test('are counted together from all ingresses, and read as several series in one call, alike in all APIs', async () => {
    const { appEnvId, contentIds } = await webApp()
    const [one, other] = sessions
    const [first = '', second = ''] = contentIds
    // Steps 10 and 20 of the histogram: up to 17.8 and 315 ms.
    const durations = [...Array(10).fill(0), 95, ...Array(9).fill(0), 5]
    const old = { containerName: 'c-1', contentId: first }
    await one?.report([
      traffic(appEnvId, { ...old, classes: [0, 60, 0, 0, 0], bytesIn: 600, bytesOut: 6_000_000_000, durations }),
      traffic(appEnvId, { classes: [0, 0, 0, 0, 12] }),
    ])
    await one?.report([traffic(appEnvId, { ...old, classes: [6, 0, 6, 6, 0], aborted: 6, durations: [1] })])
    await other?.report([traffic(appEnvId, { containerName: 'c-2', contentId: second, classes: [0, 120, 0, 0, 0] })])

    const counted = 'requests,requests_1xx,requests_2xx,requests_3xx,requests_4xx,requests_5xx,requests_aborted'
    const all = await read({ appEnvId, metrics: `${counted},bytes_in,bytes_out`, step: '1h' })
    // Per minute of the hour that a point stands for.
    expect(all.series.map((series) => [series.metric, total(series)])).toEqual([
      ['requests', 3.6],
      ['requests_1xx', 0.1],
      ['requests_2xx', 3],
      ['requests_3xx', 0.1],
      ['requests_4xx', 0.1],
      ['requests_5xx', 0.2],
      ['requests_aborted', 0.1],
      ['bytes_in', 10],
      ['bytes_out', 100_000_000],
    ])
    // What an answer to one metric has always had.
    expect(all).toMatchObject({ appEnvId, metric: 'requests', step: '1h', points: all.series[0]?.points })

    const split = { appEnvId, metrics: 'requests,cpu_usage', by: 'version', step: '1h' }
    const byVersion = await read(split)
    expect(byVersion.series.map((series) => [series.metric, series.version, series.contentId, total(series)])).toEqual([
      ['requests', 2, second, 2],
      ['requests', 1, first, 1.4],
      ['requests', null, null, 0.2],
    ])
    expect(total(byVersion)).toBe(3.6)
    const mcp = await readMcp(served, world.adminToken, 'getMetricsSeries', split)
    expect(mcp.body).toEqual(byVersion)
    const fields = '{ metric version contentId containerName points { timestamp value } }'
    const field = `metricSeriesList(appEnvId: "${appEnvId}", metrics: [REQUESTS, CPU_USAGE], by: VERSION, step: ONE_HOUR) ${fields}`
    const graphql = await readGraphQL(served, world.adminToken, field)
    const named = graphql.body.map((series: Series) => ({ ...series, metric: series.metric.toLowerCase() }))
    expect(named).toEqual(byVersion.series)

    const byContainer = await read({ appEnvId, metric: 'duration_p99', by: 'container', step: '1h' })
    expect(byContainer.series.map(({ containerName, version }) => [containerName, version])).toEqual([['c-1', 1]])
    expect(most(byContainer.series[0])).toBeGreaterThan(200)
    const median = await read({ appEnvId, metric: 'duration_p50', step: '1h' })
    expect(most(median)).toBeLessThan(18)
    expect(median).not.toHaveProperty('series')
  })

  test('are reported by the ingress as it is shipped, the last ones when it ends', async () => {
    const { appEnvId } = await world.appEnv()
    const replica = await startReplica((_request, response) => response.end('hello'))
    const source = new CurrentTable()
    source.replace(new RouteTable([routeTo([Object.assign({ contentId: 'con' }, replica.target)], { appEnvId })]))
    const options = { config: readConfig({ INGRESS_PORT: '0' }), databaseUrl: world.url, source, log: world.log }
    const capacity = { maxUpstreams: 10, maxClients: 10 }
    const ingress = createHttpIngress(Object.assign(options, { capacity, registry: new Registry() }))
    await ingress.listen()
    for (let count = 0; count < 3; count += 1) await ask(ingress.address().port)
    await ingress.close(5)
    const samples = await world.database.trafficSample.findMany({ where: { appEnvId } })
    expect(samples.reduce((sum, { status2xx }) => sum + status2xx, 0)).toBe(3)
    expect(samples[0]).toMatchObject({ containerName: replica.target.name, contentId: 'con' })
    expect(samples.reduce((sum, { bytesOut }) => sum + bytesOut, 0n)).toBe(15n)
  })

  test('end with the retention of the plan, also where nothing was ever logged', async () => {
    const { appEnvId } = await world.appEnv()
    await sessions[0]?.report([traffic(appEnvId, { classes: [0, 0, 0, 0, 1] })])
    await deleteOldLogs(world.database)
    expect(await world.database.trafficSample.count({ where: { appEnvId } })).toBe(1)
    await world.database.trafficSample.updateMany({ where: { appEnvId }, data: { at: new Date('2020-01-01') } })
    await deleteOldLogs(world.database)
    expect(await world.database.trafficSample.count({ where: { appEnvId } })).toBe(0)
  })
})

test('CPU and memory are split by version and container, and containers that are gone have no version', async () => {
  const { appEnvId, contentIds } = await webApp()
  // Samples are kept to the second, which may round them up: a moment ago, not now.
  const at = new Date(Date.now() - 5_000)
  const use = { appEnvId, at, memoryMb: 64, cpuLimit: 1000, memoryLimit: 512 }
  for (const [index, contentId] of contentIds.entries()) {
    const row = { containerId: `${appEnvId}-${index}`, appEnvId, contentId, name: `c-${index}`, phase: 'running' }
    const { id } = await world.database.container.create({ data: row })
    await world.database.metricSample.create({ data: { ...use, containerId: id, cpuMillicores: 100 * (index + 1) } })
  }
  await world.database.metricSample.create({ data: { ...use, containerId: 2_000_000_000, cpuMillicores: 7 } })
  const { series, points } = await read({ appEnvId, metrics: 'cpu_usage,memory_percent', by: 'container' })
  const short = series.map(({ metric, version, containerName, points: [point] }) => [
    metric,
    version,
    containerName,
    point?.value,
  ])
  expect(short).toEqual([
    ['cpu_usage', 2, 'c-1', 200],
    ['cpu_usage', 1, 'c-0', 100],
    ['cpu_usage', null, null, 7],
    ['memory_percent', 2, 'c-1', 12.5],
    ['memory_percent', 1, 'c-0', 12.5],
    ['memory_percent', null, null, 12.5],
  ])
  expect(points.map(({ value }) => value)).toEqual([307])
})

describe('what is refused names the field', () => {
  const refused = async (query: Record<string, string>) => {
    const { code, body } = await readRest(served, world.adminToken, 'getMetricsSeries', query)
    expect(code).toBe('INVALID_INPUT')
    return body.errors as { field: string; message: string }[]
  }

  test.each([
    ['no metric at all', {}, 'metric', 'is required'],
    ['both ways to name metrics', { metric: 'requests', metrics: 'requests' }, 'metrics', 'together'],
    ['an unknown name among several', { metrics: 'requests,disk' }, 'metrics.1', 'must be one of'],
    ['a metric that a web app does not have', { metrics: 'requests,invocations' }, 'metrics', 'bytes_out'],
    ['an unknown split', { metric: 'requests', by: 'host' }, 'by', 'version'],
  ])('%s', async (_name, query, field, message) => {
    const { appEnvId } = await world.appEnv()
    const [error, ...others] = await refused({ appEnvId, ...query } as Record<string, string>)
    expect(others).toEqual([])
    expect(error?.field).toBe(field)
    expect(error?.message).toContain(message)
  })

  test('a split of what is known of the whole environment only, and requests of what has none', async () => {
    const { accountId } = world
    const { appId } = (await world.perform(createApp, { name: 'Db', accountId, dockerPreset: 'REDIS' })) as {
      appId: string
    }
    const created = await world.perform(createAppEnv, { accountId, appId, name: 'production', region: 'local' })
    const { appEnvId } = created as { appEnvId: string }
    expect(await refused({ appEnvId, metric: 'connections', by: 'version' })).toMatchObject([{ field: 'by' }])
    expect(await refused({ appEnvId, metric: 'requests' })).toMatchObject([{ field: 'metric' }])
  })

  test('more points than one answer has', async () => {
    const { appEnvId } = await world.appEnv()
    await world.database.$executeRaw`
      INSERT INTO traffic_sample (app_env_id, at, source, container_name, content_id, status_2xx)
      SELECT ${appEnvId}, now() - make_interval(mins => minute), 'test', 'c-' || container, 'con', 1
      FROM generate_series(1, 1000) AS minute, generate_series(1, 31) AS container`
    const from = new Date(Date.now() - 2000 * 60_000).toISOString()
    const [error] = await refused({ appEnvId, metric: 'requests', by: 'container', from })
    expect(error).toMatchObject({ field: 'step', message: expect.stringContaining('30000 points') })
  })
})
