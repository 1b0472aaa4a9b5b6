import type { ResultOf, VariablesOf } from '../../graphql/graphql.ts'
import type { Containers, MetricContext, MetricSeriesOf } from './documents.ts'

export type Metric = VariablesOf<typeof MetricSeriesOf>['whole'][number]
export type Step = VariablesOf<typeof MetricSeriesOf>['step']
export type Split = 'VERSION' | 'CONTAINER'
export type Series = NonNullable<ResultOf<typeof MetricSeriesOf>['whole']>[number]
export type Context = ResultOf<typeof MetricContext>
export type Pod = NonNullable<ResultOf<typeof Containers>['pods']>[number]

/** Metrics that share a plot, because they are of one unit and one question. */
export interface Plot {
  title: string
  unit: string
  /** With what each is called in its plot. */
  metrics: readonly (readonly [metric: Metric, label: string])[]
  /** Whether it can be shown by version and container. */
  canSplit?: boolean
  /** Shown instead of all of them, by version or container. */
  whenSplit?: Metric
}

const COMPUTING: readonly Plot[] = [
  { title: 'CPU', unit: 'millicores', metrics: [['CPU_USAGE', 'All containers']], canSplit: true },
  { title: 'Memory', unit: 'MB', metrics: [['MEMORY_USAGE', 'All containers']], canSplit: true },
]

const DURATIONS = [
  ['DURATION_P50', 'Half of them'],
  ['DURATION_P95', '95 %'],
  ['DURATION_P99', '99 %'],
] as const

const WEB: readonly Plot[] = [
  {
    title: 'Requests',
    unit: 'per minute',
    metrics: [
      ['REQUESTS_2XX', '2xx'],
      ['REQUESTS_3XX', '3xx'],
      ['REQUESTS_4XX', '4xx'],
      ['REQUESTS_5XX', '5xx'],
      ['REQUESTS_ABORTED', 'Left before the answer'],
    ],
    canSplit: true,
    whenSplit: 'REQUESTS',
  },
  { title: 'Duration of requests', unit: 'ms', metrics: DURATIONS, canSplit: true, whenSplit: 'DURATION_P95' },
  {
    title: 'Bodies of requests and answers',
    unit: 'bytes per minute',
    metrics: [
      ['BYTES_IN', 'Requests'],
      ['BYTES_OUT', 'Answers'],
    ],
  },
]

const FUNCTION: readonly Plot[] = [
  {
    title: 'Invocations',
    unit: 'per minute',
    metrics: [
      ['INVOCATIONS', 'All'],
      ['INVOCATION_ERRORS', 'Answered with 5xx'],
    ],
  },
  { title: 'Duration of requests', unit: 'ms', metrics: [...DURATIONS, ['QUEUE_TIME', 'Waiting for a container']] },
  {
    title: 'Cold starts',
    unit: 'per minute',
    metrics: [
      ['COLD_STARTS_FROZEN', 'From a frozen container'],
      ['COLD_STARTS_STOPPED', 'From a stopped container'],
      ['COLD_STARTS_NONE', 'Without a container'],
    ],
  },
  { title: 'Containers', unit: '', metrics: [['CONTAINERS', 'Containers that ran']] },
]

const UNITS = { COUNT: '', MB: 'MB', PERCENT: '%', PER_SECOND: 'per second', SECONDS: 's' } as const

interface Kind {
  isJob: boolean
  isFunction: boolean
  isService: boolean
}

/** What is plotted of an environment, by what it is. */
export function plotsOf({ isJob, isFunction, isService }: Kind, context: Context | null): Plot[] {
  const own = (context?.metrics?.serviceMetrics ?? []).map(({ name, description, unit }): Plot => {
    const title = sentence(name.replaceAll('_', ' '))
    return { title, unit: UNITS[unit], metrics: [[name.toUpperCase() as Metric, description]] }
  })
  return [...COMPUTING, ...(isService ? own : isJob ? [] : isFunction ? FUNCTION : WEB)]
}

const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1).replace(/\bwal\b/i, 'WAL')

/** The API takes this many in one call. */
const MAX_METRICS = 20

/** Of all plots in one call: what is split, and what is not. */
export function askedFor(plots: readonly Plot[], by: Split | null) {
  const split = by ? plots.filter(({ canSplit }) => canSplit).map((plot) => splitMetric(plot)) : []
  const whole = plots
    .filter(({ canSplit }) => !(by && canSplit))
    .flatMap(({ metrics }) => metrics.map(([metric]) => metric))
  return { split, hasSplit: split.length > 0, whole: whole.slice(0, MAX_METRICS), hasWhole: whole.length > 0, by }
}

export const splitMetric = ({ whenSplit, metrics }: Plot): Metric => whenSplit ?? (metrics[0]?.[0] as Metric)

const MINUTE = 60
const STEPS: readonly (readonly [step: Step, seconds: number])[] = [
  ['ONE_MINUTE', MINUTE],
  ['FIVE_MINUTES', 5 * MINUTE],
  ['FIFTEEN_MINUTES', 15 * MINUTE],
  ['ONE_HOUR', 60 * MINUTE],
]
/** More would be less than a pixel each; the API answers twice as many. */
const MAX_POINTS = 720

/** The shortest step with which a range has few enough points; seconds. */
export function stepFor(seconds: number): readonly [step: Step, seconds: number] {
  return STEPS.find(([, each]) => seconds / each <= MAX_POINTS) ?? (STEPS.at(-1) as (typeof STEPS)[number])
}

export interface Range {
  /** Seconds. */
  from: number
  to: number
}

export interface PlotLine {
  label: string
  values: (number | null)[]
}

/** Every step of the range, and the value of each series there; null where nothing was measured. */
export function aligned(
  series: readonly (readonly [label: string, series: Series])[],
  { from, to }: Range,
  step: number,
) {
  const start = Math.floor(from / step) * step
  const count = Math.max(1, Math.floor((to - start) / step) + 1)
  const times = Array.from({ length: count }, (_, index) => start + index * step)
  const lines = series.map(([label, { points }]): PlotLine => {
    const values: (number | null)[] = Array.from({ length: count }, () => null)
    for (const { timestamp, value } of points) {
      const at = Math.round((Date.parse(timestamp) / 1000 - start) / step)
      if (at >= 0 && at < count) values[at] = value
    }
    return { label, values }
  })
  return { times, lines }
}

const COMPACT_FROM = 10_000
const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** `12.5K`, `34.5`, `0.02`. */
export function numberText(value: number): string {
  if (value !== 0 && Math.abs(value) < 1) return value.toPrecision(2).replace(/\.?0+$/, '')
  return (Math.abs(value) < COMPACT_FROM ? plain : compact).format(value)
}
