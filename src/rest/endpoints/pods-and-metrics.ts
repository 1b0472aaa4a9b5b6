import { z } from 'zod'
import { metric, metricStep, metrics, metricsSeries } from '../../resources/metric.ts'
import { pod } from '../../resources/pod.ts'
import { appEnvTarget, instant } from '../../services/kernel/input.ts'
import { read } from '../protocol/route.ts'

export const listPods = read({
  name: 'listPods',
  permission: 'appEnv:observe',
  about: 'The containers of an environment, as they were last observed.',
  query: z.strictObject(appEnvTarget),
  answer: z.object({ pods: z.array(pod.answer.type).describe('Containers of the environment, by name.') }),
  run: async ({ services, caller }, address) => ({ pods: await services.pods.list(caller, address) }),
})

export const getMetrics = read({
  name: 'getMetrics',
  permission: 'appEnv:observe',
  about: 'What the containers of an environment are allotted, and what they use now.',
  query: z.strictObject(appEnvTarget),
  answer: metrics.answer.type,
  run: ({ services, caller }, address) => services.metrics.now(caller, address),
})

export const getMetricsSeries = read({
  name: 'getMetricsSeries',
  permission: 'appEnv:observe',
  about: 'A metric of all containers of an environment together over time, averaged over each step.',
  query: z.strictObject({
    ...appEnvTarget,
    metric: metric.type.describe(
      'cpu_usage in millicores, memory_usage in MB, or either as a percentage; for managed services also the metrics of their preset.',
    ),
    from: instant('Earliest time of the points; sixty steps ago when omitted.').optional(),
    to: instant('Latest time of the points; now when omitted.').optional(),
    step: metricStep.type.default('1m').describe('Time that one point stands for.'),
    isLive: z.boolean().default(false).describe('Whether the series ends now, whatever `to` says.'),
  }),
  answer: metricsSeries.type,
  run: ({ services, caller }, { from, to, isLive, appEnvId, envName, ...which }) =>
    services.metrics.series(
      caller,
      { appEnvId, envName },
      {
        ...which,
        from: from ? new Date(from) : undefined,
        to: to && !isLive ? new Date(to) : undefined,
      },
    ),
})
