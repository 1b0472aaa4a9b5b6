import { z } from 'zod'
import { alternativeProblems, exactlyOneOf } from '../../calls/alternatives.ts'
import type { Caller } from '../../calls/caller.ts'
import { commaSeparated } from '../../calls/comma-separated.ts'
import { EXAMPLE_TIME } from '../../calls/examples.ts'
import { appEnvTarget, instant } from '../../calls/input.ts'
import { recordQuery, restQuery } from '../../calls/query.ts'
import type { AutoScaling } from '../../domain/autoscaling.ts'
import { invalidInput } from '../../domain/errors.ts'
import { explicitResources, resourcesOf } from '../../domain/resources.ts'
import type { Database } from '../../storage/database/client.ts'
import { replicaCounts } from '../app-env/app-env-status-fields.ts'
import { observeAppEnv } from '../targets/get-app-env.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import { type Use, usedAs } from './container-metrics.ts'
import { metric as metricName, metricSplit, metricStep, metrics, metricsSeries } from './metric-fields.ts'
import { MAX_METRICS, readSeriesList, type SeriesListRequest } from './metric-series.ts'
import { latestOfService } from './service-metrics.ts'

/** Without a sample for this long, nothing runs that could be measured "now". */
const NOW_SECONDS = 90
/** Of one core. */
const MILLICORES = 1000

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
  const percent = { cpu: use ? usedAs(use, 'cpu_percent') : 0, memory: use ? usedAs(use, 'memory_percent') : 0 }
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

const oneMetric = exactlyOneOf({
  metric: metricName.type
    .optional()
    .describe(
      'Metric to show: cpu_usage in millicores, memory_usage in MB, or either as a percentage; for managed services also the metrics of their preset. Required, unless metrics is sent.',
    ),
  metrics: commaSeparated(metricName.type, MAX_METRICS, 'Metrics to show, in place of metric.').optional(),
})

/** GraphQL answers with the points alone, and with several series by a field of their own. */
export const getMetricsSeries = restQuery({
  name: 'getMetricsSeries',
  path: '/app-env/metrics-series',
  permission: 'appEnv:observe',
  about:
    'Metrics of an environment over time, averaged over each step: one of all its containers together, or with metrics and by several series at once.',
  example: { request: { metric: 'cpu_percent', step: '1m' } },
  input: {
    ...appEnvTarget,
    ...oneMetric,
    by: metricSplit.type
      .optional()
      .describe(
        'Split of each metric into a series for each version or container. Only CPU, memory and web requests have one.',
      ),
    from: instant('Earliest time of the points; sixty steps ago when omitted.').optional(),
    to: instant('Latest time of the points; now when omitted.').optional(),
    step: metricStep.type.default('1m').describe('Time that one point stands for.'),
    isLive: z.boolean().default(false).describe('Whether the series ends now, whatever `to` says.'),
  },
  type: metricsSeries.type,
  async run({ database, caller }, { metric, metrics, by, from, to, isLive, step, appEnvId, envName }) {
    const wanted = metrics ?? (metric ? [metric] : [])
    const [first] = wanted
    if (first === undefined) throw invalidInput(alternativeProblems(oneMetric, {}))
    const address = { appEnvId, envName }
    const times = { step, from: from ? new Date(from) : undefined, to: to && !isLive ? new Date(to) : undefined }
    const field = metrics ? 'metrics' : 'metric'
    const read = (request: SeriesListRequest) => readSeriesList(database, caller, address, request, field)
    const whole = await read({ ...times, metrics: by ? [first] : wanted })
    const { series } = by ? await read({ ...times, metrics: wanted, by }) : whole
    return {
      appEnvId: whole.appEnvId,
      metric: first,
      step,
      points: whole.series[0]?.points ?? [],
      ...(metrics || by ? { series } : {}),
    }
  },
})
