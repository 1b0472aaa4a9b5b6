import { z } from 'zod'
import type { MetricUnit } from '../../app-types/engines/engine-metrics.ts'
import { ENGINES } from '../../app-types/engines/list.ts'
import { enumeration } from '../../calls/enumeration.ts'
import { fieldsOf, flag, text, time, whole } from '../../calls/field.ts'
import { answer, resource } from '../../calls/resource.ts'
import { replicas } from '../app-env/app-env-status-fields.ts'

const CONTAINER_METRICS = {
  cpu_usage: 'CPU use, in millicores.',
  memory_usage: 'Memory use, in MB.',
  cpu_percent: 'CPU use, in percent of what is allotted.',
  memory_percent: 'Memory use, in percent of what is allotted.',
}

export type ContainerMetric = keyof typeof CONTAINER_METRICS

/** Of apps that are scaled by requests. */
const REQUEST_METRICS = {
  invocations: 'Requests to a function that ended, per minute.',
  invocation_errors: 'Requests to a function that were answered with 5xx, per minute.',
  cold_starts_frozen: 'Wakes of a function from a frozen container, per minute.',
  cold_starts_stopped: 'Wakes of a function from a stopped container, per minute.',
  cold_starts_none: 'Wakes of a function that had no container, per minute.',
  queue_time: 'Time that a request to a function waited for a container, on the average, in milliseconds.',
  containers: 'Containers of a function that ran.',
}

/** Of every app that requests reach by host. */
const DURATION_METRICS = {
  duration_p50: 'Time in which half of the requests to a function or web app ended, in milliseconds.',
  duration_p95: 'Time in which 95 percent of the requests to a function or web app ended, in milliseconds.',
  duration_p99: 'Time in which 99 percent of the requests to a function or web app ended, in milliseconds.',
}

/** Of web apps, as the ingress counts them. */
const TRAFFIC_METRICS = {
  requests: 'Requests to a web app that ended, per minute.',
  requests_1xx: 'Requests to a web app that became connections of another protocol, such as WebSocket, per minute.',
  requests_2xx: 'Requests to a web app that were answered with 2xx, per minute.',
  requests_3xx: 'Requests to a web app that were answered with 3xx, per minute.',
  requests_4xx: 'Requests to a web app that were answered with 4xx, per minute.',
  requests_5xx: 'Requests to a web app that were answered with 5xx, by it or in its place, per minute.',
  requests_aborted: 'Requests to a web app whose client left before the answer ended, per minute.',
  bytes_in: 'Bytes of the bodies of requests to a web app, per minute.',
  bytes_out: 'Bytes of the bodies of answers of a web app, per minute.',
}

export type DurationMetric = keyof typeof DURATION_METRICS
export type RequestMetric = keyof typeof REQUEST_METRICS | DurationMetric
export type TrafficMetric = keyof typeof TRAFFIC_METRICS | DurationMetric

export const containerMetrics = Object.keys(CONTAINER_METRICS) as ContainerMetric[]

const durationMetrics = Object.keys(DURATION_METRICS)
export const requestMetrics = [...Object.keys(REQUEST_METRICS), ...durationMetrics] as RequestMetric[]
export const trafficMetrics = [...Object.keys(TRAFFIC_METRICS), ...durationMetrics] as TrafficMetric[]

/** The part of all durations that each of them is about. */
export const DURATION_PARTS: Readonly<Record<DurationMetric, number>> = {
  duration_p50: 0.5,
  duration_p95: 0.95,
  duration_p99: 0.99,
}

export const isDurationMetric = (name: string): name is DurationMetric => name in DURATION_METRICS

/** Those of containers, which every environment has, those of requests, and those that engines of managed services report. */
export const metric = enumeration<string>('Metric', 'Quantity that a metric measures.', {
  ...CONTAINER_METRICS,
  ...REQUEST_METRICS,
  ...DURATION_METRICS,
  ...TRAFFIC_METRICS,
  ...Object.fromEntries(
    ENGINES.flatMap(({ metrics }) => metrics.series).map(({ name, description }) => [name, description]),
  ),
})

/** GraphQL's names cannot begin with a digit. */
const STEP_NAMES: Readonly<Record<string, string>> = {
  '1m': 'ONE_MINUTE',
  '5m': 'FIVE_MINUTES',
  '15m': 'FIFTEEN_MINUTES',
  '1h': 'ONE_HOUR',
}

export const metricStep = enumeration(
  'MetricStep',
  'Time that one point of a series stands for.',
  {
    '1m': 'One point for each minute.',
    '5m': 'One point for each five minutes.',
    '15m': 'One point for each quarter of an hour.',
    '1h': 'One point for each hour.',
  },
  (step) => STEP_NAMES[step] ?? step,
)

export type Step = keyof typeof metricStep.values

interface SeriesRow {
  name: string
  unit: MetricUnit
  description: string
}

export const metricUnit = enumeration<MetricUnit>('MetricUnit', 'Unit of a metric.', {
  COUNT: 'A number of things.',
  PER_SECOND: 'A number of things in each second.',
  PERCENT: 'A part in percent.',
  MB: 'Megabytes of 1024 × 1024 bytes.',
  SECONDS: 'A time in seconds.',
})

const seriesRow = fieldsOf<SeriesRow>()

export const metricSeries = resource({
  name: 'ServiceMetricSeries',
  description: 'A series of measurements that the engine of a managed service reports.',
  fields: {
    name: seriesRow.given('name', text, 'Name of the metric.'),
    unit: seriesRow.given('unit', metricUnit.type, 'Unit of the values.'),
    description: seriesRow.given('description', text, 'What is measured.'),
  },
})

const MEASURED_AT = 'Time of the measurement; null when there is no recent one.'

interface Values {
  cpu: number
  memory: number
}

const value = fieldsOf<Values>()

const metricValues = resource({
  name: 'MetricValues',
  description: 'CPU and memory of all containers of an environment together.',
  fields: {
    cpu: value.given('cpu', z.number(), 'CPU, in millicores or percent.'),
    memory: value.given('memory', z.number(), 'Memory, in MB or percent.'),
  },
})

interface Use {
  allocated: number
  used: number
  usagePercent: number
  updatedAt: string | null
}

const use = fieldsOf<Use>()

const resourceUse = resource({
  name: 'ResourceUse',
  description: 'How much of one resource all containers of an environment use together.',
  fields: {
    allocated: use.given('allocated', z.number(), 'CPU cores or MB that all containers are allotted together.'),
    used: use.given('used', z.number(), 'CPU cores or MB that all containers use together.'),
    usagePercent: use.given('usagePercent', z.number(), 'Use in percent of what the measured containers are allotted.'),
    updatedAt: use.given('updatedAt', time.nullable(), MEASURED_AT),
  },
})

const uses = fieldsOf<{ cpu: Use; memory: Use }>()

const resourceUses = resource({
  name: 'ResourceUses',
  description: 'Use of CPU and memory by all containers of an environment together.',
  fields: {
    cpu: uses.given('cpu', resourceUse.answer.type, 'Use of CPU, in cores.'),
    memory: uses.given('memory', resourceUse.answer.type, 'Use of memory, in MB.'),
  },
})

interface Counted {
  desired: number
  running: number
  ready: number
  updatedAt: string | null
}

const containerCounts = resource({
  name: 'ContainerCounts',
  description: 'Desired and observed containers of an environment.',
  fields: {
    ...replicas.fields,
    updatedAt: fieldsOf<Counted>().given(
      'updatedAt',
      time.nullable(),
      'Time at which the containers were last observed; null when they never were.',
    ),
  },
})

interface Scaled {
  enabled: boolean
  min: number | null
  max: number | null
  cpuPercent: number | null
  memoryPercent: number | null
}

const scaled = fieldsOf<Scaled>()
const set = whole.nullable()

const autoScaled = resource({
  name: 'AutoScaled',
  description: 'Whether and within which bounds the number of containers follows the load.',
  fields: {
    enabled: scaled.given('enabled', flag, 'Whether the number of containers follows the load.'),
    min: scaled.given('min', set, 'Minimum number of containers; null when it was never set.'),
    max: scaled.given('max', set, 'Maximum number of containers; null when it was never set.'),
    cpuPercent: scaled.given('cpuPercent', set, 'Target CPU use, in percent; null when it was never set.'),
    memoryPercent: scaled.given('memoryPercent', set, 'Target memory use, in percent; null when it is not a target.'),
  },
})

interface Measured extends SeriesRow {
  value: number | null
  updatedAt: string | null
}

const measured = fieldsOf<Measured>()

const serviceMetric = resource({
  name: 'ServiceMetric',
  description: 'Metrics that the engine of a managed service reports, of all containers of the environment together.',
  fields: {
    ...metricSeries.fields,
    value: measured.given('value', z.number().nullable(), 'The latest value; null when it is not known.'),
    updatedAt: measured.given('updatedAt', time.nullable(), MEASURED_AT),
  },
})

interface Now {
  appEnvId: string
  timestamp: string
  resources: { cpu: Use; memory: Use }
  containers: Counted
  autoScaling: Scaled
  allocated: Values
  used: Values
  percent: Values
  measuredAt: string | null
  serviceMetrics: Measured[]
}

const now = fieldsOf<Now>()
const values = metricValues.answer.type
const appEnvId = fieldsOf<{ appEnvId: string }>().given('appEnvId', text, 'Id of the environment.', { only: 'rest' })

export const metrics = resource({
  name: 'Metrics',
  description: 'Limits of the containers of an environment, and their current usage.',
  fields: {
    appEnvId,
    timestamp: now.given('timestamp', time, 'Time of the answer.'),
    resources: now.given('resources', resourceUses.answer.type, 'Use of CPU, in cores, and of memory, in MB.'),
    containers: now.given('containers', containerCounts.answer.type, 'Desired and observed containers.'),
    autoScaling: now.given('autoScaling', autoScaled.answer.type, 'How the number of containers follows the load.'),
    allocated: now.given('allocated', values, 'Millicores and MB that all containers are allotted together.'),
    used: now.given('used', values, 'Millicores and MB that all containers use together.'),
    percent: now.given('percent', values, 'Use in percent of what the measured containers are allotted.'),
    measuredAt: now.given('measuredAt', time.nullable(), MEASURED_AT),
    serviceMetrics: now.given(
      'serviceMetrics',
      z.array(serviceMetric.answer.type),
      'Metrics that the engine of a managed service reports; empty for other apps.',
    ),
  },
})

const point = fieldsOf<{ timestamp: string; value: number }>()

export const metricPoint = resource({
  name: 'MetricPoint',
  description: 'The average of a metric over one step.',
  examples: {
    value: 12.5,
  },
  fields: {
    timestamp: point.given('timestamp', time, 'Time at which the step begins.'),
    value: point.given('value', z.number(), 'Average of the metric over the step.'),
  },
})

export const metricSplit = enumeration('MetricSplit', 'What a metric is shown for each of.', {
  version: 'Each version has a series of its own.',
  container: 'Each container has a series of its own.',
})

export type MetricSplit = keyof typeof metricSplit.values

export interface OneSeries {
  metric: string
  contentId: string | null
  version: number | null
  containerName: string | null
  points: { timestamp: string; value: number }[]
}

const oneSeries = fieldsOf<OneSeries>()

const POINTS = 'Points of the series, oldest first; steps without a measurement have none.'

export const metricsOneSeries = resource({
  name: 'MetricSeries',
  id: 'MetricSeries',
  description: 'A metric over time.',
  examples: { version: 3 },
  fields: {
    metric: oneSeries.given('metric', metric.type, 'Metric that was measured.'),
    contentId: oneSeries.given(
      'contentId',
      text.nullable(),
      'Id of the version that the series is about; null for all of them together, and for requests that no container was asked for.',
    ),
    version: oneSeries.given('version', whole.nullable(), 'Number of that version; null where contentId is.'),
    containerName: oneSeries.given(
      'containerName',
      text.nullable(),
      'Name of the container that the series is about; null for all of them together, and for requests that none was asked for.',
    ),
    points: oneSeries.given('points', z.array(metricPoint.answer.type), POINTS),
  },
})

interface Series {
  metric: string
  step: Step
  points: { timestamp: string; value: number }[]
}

const series = fieldsOf<Series>()

export const metricsSeries = answer({
  appEnvId,
  metric: series.given('metric', metric.type, 'Metric that was measured; the first one of several.'),
  step: series.given('step', metricStep.type, 'Time that one point stands for.'),
  points: series.given(
    'points',
    z.array(metricPoint.answer.type),
    `${POINTS} Of all containers of the environment together.`,
  ),
  series: fieldsOf<{ series: OneSeries[] | undefined }>().given(
    'series',
    z.array(metricsOneSeries.answer.type).optional(),
    'Every series, in the order of `metrics`, newest version first; only where `metrics` or `by` was sent.',
  ),
})
