import { z } from 'zod'
import { count, seconds } from './setting-types.ts'

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))

/** Settings of what is measured: metrics, usage and its price. */
export const USAGE_SETTINGS = {
  BERTH_METRICS_SECONDS: seconds(15, 300).describe(
    'Interval between measurements of the CPU and memory that containers use.',
  ),
  BERTH_SERVICE_METRICS_SECONDS: seconds(60, 300).describe(
    'Interval at which managed services are asked for their metrics, such as connections and size on disk.',
  ),
  BERTH_USAGE_SECONDS: seconds(60, 3600).describe(
    'Interval between two measurements of running containers, volumes and backups for usage. What disappeared without its end being recorded counts until the last measurement.',
  ),
  BERTH_USAGE_MONTHS: count(24, 240).describe(
    'Months for which the usage log is kept. Statements stay; older ones can no longer be worked out again.',
  ),
  BERTH_CURRENCY: z
    .string()
    .refine((code) => CURRENCIES.has(code), 'must be the code of a currency, such as EUR')
    .default('EUR')
    .describe('Currency of the prices of plans. Statements keep the one that they were closed with.'),
}
