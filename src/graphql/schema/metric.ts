import { setTimeout as pause } from 'node:timers/promises'
import { METRICS, STEPS } from '../../services/metric/metric-queries.ts'
import type { Services } from '../../services/services.ts'
import { builder } from '../builder.ts'
import type { GraphQLContext } from '../context.ts'
import { whileAllowed } from '../subscriptions/while-allowed.ts'
import { MetricEnum, MetricStepEnum } from './enums.ts'

/** Measurements come more rarely than this. */
const POLL_MS = 3_000

type Now = Awaited<ReturnType<Services['metrics']['now']>>
type Series = Awaited<ReturnType<Services['metrics']['series']>>

const MetricValues = builder.objectRef<{ cpu: number; memory: number }>('MetricValues').implement({
  description: 'Processor and memory of all containers of an environment together.',
  fields: (t) => ({
    cpu: t.exposeFloat('cpu', { description: 'Processor: millicores, or per cent.' }),
    memory: t.exposeFloat('memory', { description: 'Memory: MB, or per cent.' }),
  }),
})

const Metrics = builder.objectRef<Now>('Metrics').implement({
  description: 'What the containers of an environment were given, and what they use now.',
  fields: (t) => ({
    allocated: t.expose('allocated', { type: MetricValues, description: 'What they may use.' }),
    used: t.expose('used', { type: MetricValues, description: 'What they use.' }),
    percent: t.expose('percent', { type: MetricValues, description: 'The same in per cent.' }),
    measuredAt: t.expose('measuredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When; null when nothing was measured lately.',
    }),
  }),
})

const MetricPoint = builder.objectRef<Series['points'][number]>('MetricPoint').implement({
  description: 'The average over one step.',
  fields: (t) => ({
    timestamp: t.expose('timestamp', { type: 'DateTime', description: 'Where the step begins.' }),
    value: t.exposeFloat('value', { description: 'The average.' }),
  }),
})

const target = {
  appEnvId: { description: 'Id of the environment. Wins when envName is sent too.' },
  envName: { description: 'CLI name of the environment.' },
}

builder.queryFields((t) => ({
  metrics: t.field({
    type: Metrics,
    description: 'What an environment was given and uses now. One of the two arguments is required.',
    args: { appEnvId: t.arg.id(target.appEnvId), envName: t.arg.string(target.envName) },
    resolve: (_root, { appEnvId, envName }, { services, caller }) =>
      services.metrics.now(caller, { appEnvId: appEnvId ?? undefined, envName: envName ?? undefined }),
  }),
  metricsSeries: t.field({
    type: [MetricPoint],
    description: 'What the containers of an environment used together over time, oldest first.',
    args: {
      appEnvId: t.arg.id(target.appEnvId),
      envName: t.arg.string(target.envName),
      metric: t.arg({ type: MetricEnum, required: true, description: 'What was measured.' }),
      step: t.arg({ type: MetricStepEnum, defaultValue: 'ONE_MINUTE', description: 'Time that a point stands for.' }),
      from: t.arg({ type: 'DateTime', description: 'No earlier than this; sixty steps ago when omitted.' }),
      to: t.arg({ type: 'DateTime', description: 'No later than this; now when omitted.' }),
    },
    async resolve(_root, { appEnvId, envName, metric, step, from, to }, { services, caller }) {
      const address = { appEnvId: appEnvId ?? undefined, envName: envName ?? undefined }
      const { points } = await services.metrics.series(caller, address, {
        metric: METRICS.find((name) => name.toUpperCase() === metric) ?? 'cpu_usage',
        step: STEP_OF[step ?? 'ONE_MINUTE'],
        from: from ? new Date(from) : undefined,
        to: to ? new Date(to) : undefined,
      })
      return points
    },
  }),
}))

builder.subscriptionField('metrics', (t) =>
  t.field({
    type: Metrics,
    description: 'What an environment uses, at first and after each measurement. One of the two arguments is required.',
    args: { appEnvId: t.arg.id(target.appEnvId), envName: t.arg.string(target.envName) },
    async subscribe(_root, { appEnvId, envName }, context) {
      const address = { appEnvId: appEnvId ?? undefined, envName: envName ?? undefined }
      const appEnv = await context.services.appEnvs.get(context.caller, address)
      return whileAllowed(context, appEnv, (signal) => followMetrics(context, appEnv.id, signal))
    },
    resolve: (metrics) => metrics,
  }),
)

async function* followMetrics({ services, caller }: GraphQLContext, appEnvId: string, signal: AbortSignal) {
  for (let known: string | null | undefined; !signal.aborted; ) {
    const metrics = await services.metrics.now(caller, { appEnvId })
    if (metrics.measuredAt !== known) yield { ...metrics, event: null }
    known = metrics.measuredAt
    await pause(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

/** GraphQL's names cannot begin with a digit. */
const STEP_OF = {
  ONE_MINUTE: STEPS[0],
  FIVE_MINUTES: STEPS[1],
  FIFTEEN_MINUTES: STEPS[2],
  ONE_HOUR: STEPS[3],
} as const
