import { z } from 'zod'
import type { Caller } from '../../calls/caller.ts'
import { EXAMPLE_TIME } from '../../calls/examples.ts'
import { appEnvTarget, instant } from '../../calls/input.ts'
import { recordQuery, restQuery } from '../../calls/query.ts'
import type { AutoScaling } from '../../domain/autoscaling.ts'
import { explicitResources, resourcesOf } from '../../domain/resources.ts'
import type { Database } from '../../storage/database/client.ts'
import { replicaCounts } from '../app-env/app-env-status-fields.ts'
import { observeAppEnv } from '../targets/get-app-env.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import {
  type ContainerMetric,
  isContainerMetric,
  isRequestMetric,
  metric as metricName,
  metricStep,
  metrics,
  metricsSeries,
  type Step,
} from './metric-fields.ts'
import { requestAverages } from './request-metrics.ts'
import { type Average, type AveragedRange, latestOfService, serviceAverages } from './service-metrics.ts'

const STEP_SECONDS: Readonly<Record<Step, number>> = { '1m': 60, '5m': 300, '15m': 900, '1h': 3600 }

const MAX_POINTS = 1_500
/** Without a sample for this long, nothing runs that could be measured "now". */
const NOW_SECONDS = 90
const USUAL_POINTS = 60
/** Of one core. */
const MILLICORES = 1000
const FIRST_TIME = Date.UTC(2000, 0)

/** What all containers of an environment used together, at one moment or on the average over a step. */
interface Use {
  at: Date
  cpu: number
  memory: number
  cpuLimit: number
  memoryLimit: number
}

export interface SeriesRequest {
  metric: string
  from?: Date | undefined
  to?: Date | undefined
  step: Step
}

/** One series, averaged over each step; steps in which nothing was measured have no point. */
export async function readSeries(database: Database, caller: Caller, address: AppEnvAddress, request: SeriesRequest) {
  const { id, appId } = await observeAppEnv(database, caller, address)
  const { metric, step } = request
  const range = { ...rangeOf(request), seconds: STEP_SECONDS[step] }
  const averages = await averagesOf(database, { id, appId }, metric, range)
  const points = averages.map(({ at, value }) => ({ timestamp: at.toISOString(), value: rounded(value) }))
  return { appEnvId: id, metric, step, points }
}

function averagesOf(
  database: Database,
  appEnv: { id: string; appId: string },
  metric: string,
  range: AveragedRange,
): Promise<Average[]> {
  if (isContainerMetric(metric)) return containerAverages(database, appEnv.id, metric, range)
  if (isRequestMetric(metric)) return requestAverages(database, appEnv, metric, range)
  return serviceAverages(database, appEnv, metric, range)
}

function rangeOf(request: SeriesRequest): { from: Date; to: Date } {
  const seconds = STEP_SECONDS[request.step]
  const to = request.to ?? new Date()
  // PostgreSQL knows no times before the year 1 as JavaScript writes them; nothing was measured then.
  const before = (points: number) => new Date(Math.max(to.getTime() - points * seconds * 1000, FIRST_TIME))
  const earliest = before(MAX_POINTS)
  const wished = request.from ?? before(USUAL_POINTS)
  return { from: new Date(Math.max(wished.getTime(), earliest.getTime())), to }
}

async function containerAverages(
  database: Database,
  id: string,
  metric: ContainerMetric,
  { from, to, seconds }: AveragedRange,
): Promise<Average[]> {
  const uses = await database.$queryRaw<Use[]>`
    SELECT date_bin(make_interval(secs => ${seconds}), at, 'epoch') AS at, avg(cpu)::float8 AS cpu,
      avg(memory)::float8 AS memory, avg(cpu_limit)::float8 AS "cpuLimit", avg(memory_limit)::float8 AS "memoryLimit"
    FROM (SELECT at, sum(cpu_millicores) AS cpu, sum(memory_mb) AS memory, sum(cpu_limit) AS cpu_limit,
        sum(memory_limit) AS memory_limit
      FROM metric_sample WHERE app_env_id = ${id} AND at >= ${from} AND at <= ${to} GROUP BY at) AS moment
    GROUP BY 1 ORDER BY 1`
  return uses.map((use) => ({ at: use.at, value: shownAs(use, metric) }))
}

/** What an environment was given, and what it uses now. */
export async function readMetrics(database: Database, caller: Caller, address: AppEnvAddress) {
  const { id } = await observeAppEnv(database, caller, address)
  const appEnv = await database.appEnv.findUniqueOrThrow({ where: { id }, include: { app: true } })
  const { cpu, memoryMb } = resourcesOf({ zClouds: appEnv.zClouds, resources: explicitResources(appEnv) })
  const [use] = await database.$queryRaw<Use[]>`
    SELECT at, sum(cpu_millicores)::float8 AS cpu, sum(memory_mb)::float8 AS memory,
      sum(cpu_limit)::float8 AS "cpuLimit", sum(memory_limit)::float8 AS "memoryLimit"
    FROM metric_sample WHERE app_env_id = ${id} AND at > now() - make_interval(secs => ${NOW_SECONDS})
    GROUP BY at ORDER BY at DESC LIMIT 1`
  const { replicasDesired: containers, observedAt } = appEnv
  const allocated = { cpu: containers * cpu * MILLICORES, memory: containers * memoryMb }
  const used = { cpu: Math.round(use?.cpu ?? 0), memory: Math.round(use?.memory ?? 0) }
  const percent = { cpu: use ? shownAs(use, 'cpu_percent') : 0, memory: use ? shownAs(use, 'memory_percent') : 0 }
  const measuredAt = use?.at.toISOString() ?? null
  const cores = { allocated: allocated.cpu / MILLICORES, used: used.cpu / MILLICORES, usagePercent: percent.cpu }
  const megabytes = { allocated: allocated.memory, used: used.memory, usagePercent: percent.memory }
  return {
    appEnvId: id,
    timestamp: new Date().toISOString(),
    resources: { cpu: { ...cores, updatedAt: measuredAt }, memory: { ...megabytes, updatedAt: measuredAt } },
    containers: { ...replicaCounts(appEnv), updatedAt: observedAt?.toISOString() ?? null },
    autoScaling: scaledBy(appEnv.autoScaling as Partial<AutoScaling> | null),
    allocated,
    used,
    percent,
    measuredAt,
    serviceMetrics: await latestOfService(database, appEnv),
  }
}

const scaledBy = (autoScaling: Partial<AutoScaling> | null) => ({
  enabled: autoScaling?.enabled ?? false,
  min: autoScaling?.min ?? null,
  max: autoScaling?.max ?? null,
  cpuPercent: autoScaling?.cpuPercent ?? null,
  memoryPercent: autoScaling?.memoryPercent ?? null,
})

function shownAs({ cpu, memory, cpuLimit, memoryLimit }: Use, metric: ContainerMetric): number {
  const values: Record<ContainerMetric, number> = {
    cpu_usage: cpu,
    memory_usage: memory,
    cpu_percent: cpuLimit > 0 ? (100 * cpu) / cpuLimit : 0,
    memory_percent: memoryLimit > 0 ? (100 * memory) / memoryLimit : 0,
  }
  return rounded(values[metric])
}

const rounded = (value: number) => Math.round(value * 10) / 10

export const getMetrics = recordQuery({
  name: 'getMetrics',
  path: '/app-env/metrics',
  permission: 'appEnv:observe',
  about: 'Limits of the containers of an environment, and their current usage.',
  example: {
    answer: {
      resources: {
        cpu: { allocated: 2, used: 0.04, usagePercent: 2, updatedAt: EXAMPLE_TIME },
        memory: { allocated: 1024, used: 158, usagePercent: 15.4, updatedAt: EXAMPLE_TIME },
      },
      autoScaling: { enabled: true, min: 1, max: 3, cpuPercent: 70, memoryPercent: null },
      allocated: { cpu: 2000, memory: 1024 },
      used: { cpu: 40, memory: 158 },
      serviceMetrics: [],
    },
  },
  input: appEnvTarget,
  of: metrics,
  isSingle: false,
  isAlwaysThere: true,
  find: ({ database, caller }, address) => readMetrics(database, caller, address),
})

/** GraphQL answers with the points alone. */
export const getMetricsSeries = restQuery({
  name: 'getMetricsSeries',
  path: '/app-env/metrics-series',
  permission: 'appEnv:observe',
  about: 'A metric of all containers of an environment together over time, averaged over each step.',
  example: { request: { metric: 'cpu_percent', step: '1m' } },
  input: {
    ...appEnvTarget,
    metric: metricName.type.describe(
      'cpu_usage in millicores, memory_usage in MB, or either as a percentage; for managed services also the metrics of their preset.',
    ),
    from: instant('Earliest time of the points; sixty steps ago when omitted.').optional(),
    to: instant('Latest time of the points; now when omitted.').optional(),
    step: metricStep.type.default('1m').describe('Time that one point stands for.'),
    isLive: z.boolean().default(false).describe('Whether the series ends now, whatever `to` says.'),
  },
  type: metricsSeries.type,
  run: ({ database, caller }, { from, to, isLive, appEnvId, envName, ...which }) =>
    readSeries(
      database,
      caller,
      { appEnvId, envName },
      {
        ...which,
        from: from ? new Date(from) : undefined,
        to: to && !isLive ? new Date(to) : undefined,
      },
    ),
})
