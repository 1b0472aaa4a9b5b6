import { setTimeout as pause } from 'node:timers/promises'
import type { RecordOf } from '../../../calls/resource.ts'
import { invalidField } from '../../../domain/errors.ts'
import { metricPoint, metrics as metricsNow, metricsOneSeries } from '../../../services/metric/metric-fields.ts'
import { getMetrics } from '../../../services/metric/metric-queries.ts'
import { MAX_METRICS } from '../../../services/metric/metric-series.ts'
import { builder } from '../builder.ts'
import type { GraphQLContext } from '../context.ts'
import { recordType } from '../derive/resource-fields.ts'
import { whileAllowed } from '../subscriptions/while-allowed.ts'
import { addressArgs, addressOf } from './app-env.ts'
import { MetricEnum, MetricSplitEnum, MetricStepEnum } from './enums.ts'

/** Measurements come more rarely than this. */
const POLL_MS = 3_000

const Metrics = recordType<RecordOf<typeof metricsNow.answer>>(metricsNow)
const MetricPoint = recordType<RecordOf<typeof metricPoint.answer>>(metricPoint)
const MetricSeries = recordType<RecordOf<typeof metricsOneSeries.answer>>(metricsOneSeries)

builder.queryFields((t) => ({
  metricsSeries: t.field({
    type: [MetricPoint],
    description: 'A metric of all containers of an environment together over time, oldest first.',
    args: {
      ...addressArgs(t.arg),
      metric: t.arg({
        type: MetricEnum,
        required: true,
        description: 'Metric to show. Managed services also have those of their preset.',
      }),
      step: t.arg({ type: MetricStepEnum, defaultValue: '1m', description: 'Time that one point stands for.' }),
      from: t.arg({ type: 'DateTime', description: 'Earliest time of the points; sixty steps ago when omitted.' }),
      to: t.arg({ type: 'DateTime', description: 'Latest time of the points; now when omitted.' }),
    },
    async resolve(_root, { appEnvId, envName, metric, step, from, to }, { services, caller }) {
      const address = addressOf({ appEnvId, envName })
      const { points } = await services.metrics.series(caller, address, {
        metric,
        step: step ?? '1m',
        from: from ? new Date(from) : undefined,
        to: to ? new Date(to) : undefined,
      })
      return points
    },
  }),
  metricSeriesList: t.field({
    type: [MetricSeries],
    description:
      'Several metrics of an environment over time, in their order; with `by`, a series for each version or container, newest version first.',
    args: {
      ...addressArgs(t.arg),
      metrics: t.arg({
        type: [MetricEnum],
        required: true,
        description: `Metrics to show, at most ${MAX_METRICS}.`,
      }),
      by: t.arg({
        type: MetricSplitEnum,
        description: 'Split of each metric. Only CPU, memory and web requests have one.',
      }),
      step: t.arg({ type: MetricStepEnum, defaultValue: '1m', description: 'Time that one point stands for.' }),
      from: t.arg({ type: 'DateTime', description: 'Earliest time of the points; sixty steps ago when omitted.' }),
      to: t.arg({ type: 'DateTime', description: 'Latest time of the points; now when omitted.' }),
    },
    async resolve(_root, { appEnvId, envName, metrics, by, step, from, to }, { services, caller }) {
      if (metrics.length === 0 || metrics.length > MAX_METRICS)
        throw invalidField('metrics', `must be 1 to ${MAX_METRICS}`)
      const address = addressOf({ appEnvId, envName })
      const { series } = await services.metrics.seriesList(caller, address, {
        metrics: [...new Set(metrics)],
        by: by ?? undefined,
        step: step ?? '1m',
        from: from ? new Date(from) : undefined,
        to: to ? new Date(to) : undefined,
      })
      return series
    },
  }),
}))

builder.subscriptionField('metrics', (t) =>
  t.field({
    type: Metrics,
    description: 'Usage of an environment, at first and after each measurement. One of the two arguments is required.',
    args: addressArgs(t.arg),
    async subscribe(_root, { appEnvId, envName }, context) {
      const address = addressOf({ appEnvId, envName })
      const appEnv = await context.services.appEnvs.observe(context.caller, address)
      return whileAllowed(context, appEnv, (signal) => followMetrics(context, appEnv.id, signal))
    },
    resolve: (metrics) => metrics,
  }),
)

async function* followMetrics(context: GraphQLContext, appEnvId: string, signal: AbortSignal) {
  for (let known: string | null = null; !signal.aborted; ) {
    const metrics = await context.services.find(getMetrics, context, { appEnvId })
    const measured = [metrics.measuredAt, ...metrics.serviceMetrics.map(({ updatedAt }) => updatedAt)].join()
    if (measured !== known) yield { ...metrics, event: null }
    known = measured
    await pause(POLL_MS, undefined, { signal }).catch(() => {})
  }
}
