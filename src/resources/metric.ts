import { z } from 'zod'
import { enumeration } from './enumeration.ts'
import { fieldsOf, text, time } from './field.ts'
import { answer, resource } from './resource.ts'

export const metric = enumeration('Metric', 'What is measured by a metric.', {
  cpu_usage: 'CPU use, in millicores.',
  memory_usage: 'Memory use, in MB.',
  cpu_percent: 'CPU use, in percent of what is allotted.',
  memory_percent: 'Memory use, in percent of what is allotted.',
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

export type Metric = keyof typeof metric.values
export type Step = keyof typeof metricStep.values

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

interface Now {
  appEnvId: string
  allocated: Values
  used: Values
  percent: Values
  measuredAt: string | null
}

const now = fieldsOf<Now>()
const values = metricValues.answer.type
const appEnvId = fieldsOf<{ appEnvId: string }>().given('appEnvId', text, 'Id of the environment.', { only: 'rest' })

export const metrics = resource({
  name: 'Metrics',
  description: 'What the containers of an environment are allotted, and what they use now.',
  fields: {
    appEnvId,
    allocated: now.given('allocated', values, 'Millicores and MB that all containers are allotted together.'),
    used: now.given('used', values, 'Millicores and MB that all containers use together.'),
    percent: now.given('percent', values, 'Use in percent of what the measured containers are allotted.'),
    measuredAt: now.given('measuredAt', time.nullable(), 'Time of the measurement; null when there is no recent one.'),
  },
})

const point = fieldsOf<{ timestamp: string; value: number }>()

export const metricPoint = resource({
  name: 'MetricPoint',
  description: 'The average of a metric over one step.',
  fields: {
    timestamp: point.given('timestamp', time, 'Time at which the step begins.'),
    value: point.given('value', z.number(), 'Average of the metric over the step.'),
  },
})

interface Series {
  metric: Metric
  step: Step
  points: { timestamp: string; value: number }[]
}

const series = fieldsOf<Series>()

export const metricsSeries = answer({
  appEnvId,
  metric: series.given('metric', metric.type, 'Metric that was measured.'),
  step: series.given('step', metricStep.type, 'Time that one point stands for.'),
  points: series.given(
    'points',
    z.array(metricPoint.answer.type),
    'Points of the series, oldest first; steps without a measurement have none.',
  ),
})
