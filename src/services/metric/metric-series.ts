import { getAppType } from '../../app-types/app-types.ts'
import { engineOf, hasHosts, isScaledByRequests } from '../../app-types/behaviours.ts'
import type { Caller } from '../../calls/caller.ts'
import { invalidField } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { observeAppEnv } from '../targets/get-app-env.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import { type AveragedRange, MAX_ALL_POINTS, type SplitAverage } from './averages.ts'
import { containerAverages } from './container-metrics.ts'
import {
  type ContainerMetric,
  containerMetrics,
  type MetricSplit,
  type OneSeries,
  type RequestMetric,
  requestMetrics,
  type Step,
  type TrafficMetric,
  trafficMetrics,
} from './metric-fields.ts'
import { requestAverages } from './request-metrics.ts'
import { serviceAverages } from './service-metrics.ts'
import { trafficAverages } from './traffic-metrics.ts'

const STEP_SECONDS: Readonly<Record<Step, number>> = { '1m': 60, '5m': 300, '15m': 900, '1h': 3600 }

const MAX_POINTS = 1_500
const USUAL_POINTS = 60
const FIRST_TIME = Date.UTC(2000, 0)

/** Metrics of one call. */
export const MAX_METRICS = 20
/** Of one answer. */
const MAX_SERIES = 200

interface Times {
  from?: Date | undefined
  to?: Date | undefined
  step: Step
}

export interface SeriesRequest extends Times {
  metric: string
}

export interface SeriesListRequest extends Times {
  metrics: readonly string[]
  by?: MetricSplit | undefined
}

/** One series, averaged over each step; steps in which nothing was measured have no point. */
export async function readSeries(
  database: Database,
  caller: Caller,
  address: AppEnvAddress,
  { metric, ...times }: SeriesRequest,
) {
  const { appEnvId, step, series } = await readSeriesList(
    database,
    caller,
    address,
    { metrics: [metric], ...times },
    'metric',
  )
  return { appEnvId, metric, step, points: series[0]?.points ?? [] }
}

/**
 * Several series, in the order of the metrics; split, those of each metric with the newest version first. Throws
 * INVALID_INPUT for a metric that the environment does not have, naming the field.
 */
export async function readSeriesList(
  database: Database,
  caller: Caller,
  address: AppEnvAddress,
  request: SeriesListRequest,
  field: 'metric' | 'metrics' = 'metrics',
) {
  const { metrics, by = null, step } = request
  const { id, appId } = await observeAppEnv(database, caller, address)
  const app = await database.app.findUniqueOrThrow({ where: { id: appId } })
  const range = { ...rangeOf(request), seconds: STEP_SECONDS[step] }
  const own = measuredMetrics(app)
  for (const metric of metrics)
    if (!own.includes(metric))
      throw invalidField(field, `${metric} is not measured here; this environment has ${own.join(', ')}`)
  const averages = await averagesOf(database, { id, app }, metrics, range, by)
  const series = await seriesOf(database, metrics, averages, by)
  return { appEnvId: id, step, series }
}

type MeasuredApp = { type: string; dockerPreset: string }

/** The metrics that an environment of the app has. */
function measuredMetrics(app: MeasuredApp): string[] {
  const isWeb = hasHosts(getAppType(app.type)) && !isScaledByRequests(app)
  const ofRequests = isScaledByRequests(app) ? requestMetrics : isWeb ? trafficMetrics : []
  const ofEngine = engineOf(app)?.metrics.series.map(({ name }) => name) ?? []
  return [...containerMetrics, ...ofRequests, ...ofEngine]
}

async function averagesOf(
  database: Database,
  { id, app }: { id: string; app: MeasuredApp },
  metrics: readonly string[],
  range: AveragedRange,
  by: MetricSplit | null,
): Promise<SplitAverage[]> {
  const wanted = <Name extends string>(names: readonly Name[]) => names.filter((name) => metrics.includes(name))
  const ofContainers = wanted<ContainerMetric>(containerMetrics)
  const ofFunction = isScaledByRequests(app) ? wanted<RequestMetric>(requestMetrics) : []
  const ofWeb = isScaledByRequests(app) ? [] : wanted<TrafficMetric>(trafficMetrics)
  const ofEngine = metrics.filter((name) => ![...ofContainers, ...ofFunction, ...ofWeb].includes(name as never))
  const whole = [...ofFunction, ...ofEngine]
  if (by && whole.length > 0)
    throw invalidField(
      'by',
      `cannot be sent with ${whole.join(', ')}, which is known of the environment as a whole only`,
    )
  const averages = [
    ...(ofContainers.length > 0 ? await containerAverages(database, id, ofContainers, range, by) : []),
    ...(ofWeb.length > 0 ? await trafficAverages(database, id, ofWeb, range, by) : []),
  ]
  const unsplit = { contentId: null, containerName: null }
  for (const metric of ofFunction)
    averages.push(
      ...(await requestAverages(database, id, metric, range)).map((one) => ({ ...one, ...unsplit, metric })),
    )
  for (const metric of ofEngine)
    averages.push(
      ...(await serviceAverages(database, id, app, metric, range)).map((one) => ({ ...one, ...unsplit, metric })),
    )
  if (averages.length > MAX_ALL_POINTS)
    throw invalidField(
      'step',
      `leads to more than ${MAX_ALL_POINTS} points; send a longer step, a shorter time or fewer metrics`,
    )
  return averages
}

async function seriesOf(
  database: Database,
  metrics: readonly string[],
  averages: readonly SplitAverage[],
  by: MetricSplit | null,
): Promise<OneSeries[]> {
  const contentIds = [...new Set(averages.flatMap(({ contentId }) => contentId ?? []))]
  const contents = await database.content.findMany({
    where: { id: { in: contentIds } },
    select: { id: true, version: true },
  })
  const versions = new Map(contents.map(({ id, version }) => [id, version]))
  const all = new Map<string, OneSeries>()
  const one = (metric: string, contentId: string | null, containerName: string | null) => {
    const key = JSON.stringify([metric, contentId, containerName])
    const version = contentId === null ? null : (versions.get(contentId) ?? null)
    const series = all.get(key) ?? { metric, contentId, version, containerName, points: [] }
    all.set(key, series)
    return series
  }
  // A metric without measurements is shown as such, unless there is nothing to split it by.
  if (!by) for (const metric of metrics) one(metric, null, null)
  for (const { metric, contentId, containerName, at, value } of averages)
    one(metric, contentId, containerName).points.push({ timestamp: at.toISOString(), value: rounded(value) })
  if (all.size > MAX_SERIES)
    throw invalidField('by', `leads to more than ${MAX_SERIES} series; send a shorter time or fewer metrics`)
  const place = (series: OneSeries) => metrics.indexOf(series.metric)
  return [...all.values()].sort(
    (a, b) =>
      place(a) - place(b) ||
      (b.version ?? 0) - (a.version ?? 0) ||
      (a.containerName ?? '').localeCompare(b.containerName ?? ''),
  )
}

function rangeOf(request: Times): { from: Date; to: Date } {
  const seconds = STEP_SECONDS[request.step]
  const to = request.to ?? new Date()
  // PostgreSQL knows no times before the year 1 as JavaScript writes them; nothing was measured then.
  const before = (points: number) => new Date(Math.max(to.getTime() - points * seconds * 1000, FIRST_TIME))
  const earliest = before(MAX_POINTS)
  const wished = request.from ?? before(USUAL_POINTS)
  return { from: new Date(Math.max(wished.getTime(), earliest.getTime())), to }
}

const rounded = (value: number) => Math.round(value * 10) / 10
