import { z } from 'zod'
import { appEnvTarget, instant } from '../../services/kernel/input.ts'
import { METRICS, STEPS } from '../../services/metric/metric-queries.ts'
import { read } from '../protocol/route.ts'

const date = (about: string) => z.iso.datetime().nullable().describe(about)

const termination = z
  .object({
    reason: z.enum(['OUT_OF_MEMORY', 'COMPLETED', 'ERROR']).describe('Why it ended.'),
    exitCode: z.int().nullable().describe('With which code; null when nobody saw it.'),
    outOfMemory: z.boolean().describe('Whether it had used up its memory.'),
    finishedAt: z.iso.datetime().describe('When.'),
  })
  .nullable()

const pod = z
  .object({
    name: z.string().describe('Name of the container.'),
    podId: z.string().describe('Its id on the engine.'),
    status: z.string().describe('CREATED, RUNNING, RESTARTING, PAUSED, EXITED or DEAD.'),
    containerReady: z.boolean().describe('Whether it takes traffic.'),
    startedAt: date('When it was started last.'),
    finishedAt: date('When it ended; null while it runs.'),
    restartCount: z.int().describe('How often the engine restarted it.'),
    lastTermination: termination.describe('How it ended last; null when it never did.'),
    resources: z
      .object({ cpu: z.number().describe('In zCPU.'), memory: z.number().describe('In MB.') })
      .describe('What it was given.'),
    nodeName: z.string().describe('Where it runs.'),
    contentId: z.string().describe('The version that it runs.'),
  })
  .meta({ id: 'Pod', description: 'A container of an environment.' })

export const listPods = read({
  name: 'listPods',
  about: 'The containers of an environment, as they were last seen.',
  query: z.strictObject(appEnvTarget),
  answer: z.object({ pods: z.array(pod).describe('One for each container.') }),
  run: async ({ services, caller }, address) => ({ pods: await services.pods.list(caller, address) }),
})

const use = z.object({ cpu: z.number(), memory: z.number() })

export const getMetrics = read({
  name: 'getMetrics',
  about: 'What the containers of an environment were given, and what they use now.',
  query: z.strictObject(appEnvTarget),
  answer: z.object({
    appEnvId: z.string().describe('Environment id.'),
    allocated: use.describe('Millicores and MB that all containers may use together.'),
    used: use.describe('Millicores and MB that they use.'),
    percent: use.describe('The same as a part of what those measured may use.'),
    measuredAt: date('When; null when nothing was measured lately.'),
  }),
  run: ({ services, caller }, address) => services.metrics.now(caller, address),
})

export const getMetricsSeries = read({
  name: 'getMetricsSeries',
  about: 'How much the containers of an environment used together over time, averaged over each step.',
  query: z.strictObject({
    ...appEnvTarget,
    metric: z.enum(METRICS).describe('cpu_usage in millicores, memory_usage in MB, or either as a percentage.'),
    from: instant('No earlier than this. Default: sixty steps ago.').optional(),
    to: instant('No later than this. Default: now.').optional(),
    step: z.enum(STEPS).default('1m').describe('Time that one point stands for.'),
    isLive: z.boolean().default(false).describe('Up to now, whatever `to` says.'),
  }),
  answer: z.object({
    appEnvId: z.string().describe('Environment id.'),
    metric: z.enum(METRICS).describe('What was measured.'),
    step: z.enum(STEPS).describe('Time that one point stands for.'),
    points: z
      .array(
        z.object({
          timestamp: z.iso.datetime().describe('Where the step begins.'),
          value: z.number().describe('The average.'),
        }),
      )
      .describe('Oldest first; steps without a measurement are left out.'),
  }),
  run: ({ services, caller }, { metric, step, from, to, isLive, ...address }) =>
    services.metrics.series(caller, address, {
      ...{ metric, step },
      from: from ? new Date(from) : undefined,
      to: to && !isLive ? new Date(to) : undefined,
    }),
})
