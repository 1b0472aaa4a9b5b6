import { decimalOf, megabytesText, moneyText } from '../../../text/decimal.ts'

/** What is needed of a plan to say what it allows. */
export interface PlanLimits {
  maxApps: number
  maxAppEnvs: number
  maxContainers: number
  maxZClouds: number
  maxBuildMinutes: number
  logDays: number
  metricDays: number
  functionsIncluded: boolean
  autoscalingIncluded: boolean
}

export interface PlanPrices {
  zCloudHourPrice: number
  jobZCloudHourPrice: number
  buildMinutePrice: number
  volumeGbMonthPrice: number
  backupGbMonthPrice: number
  frozenGbMonthPrice: number
}

/** Prices are in millionths of the currency. */
const MICRO_PLACES = 6

const PRICES: Readonly<Record<keyof PlanPrices, string>> = {
  zCloudHourPrice: 'zCloud of what serves, an hour',
  jobZCloudHourPrice: 'zCloud of job runs, an hour',
  buildMinutePrice: 'Minute of a build',
  volumeGbMonthPrice: 'GB of volumes, 30 days',
  backupGbMonthPrice: 'GB of backups, 30 days',
  frozenGbMonthPrice: 'GB of frozen memory, 30 days',
}

export const PRICE_NAMES = Object.keys(PRICES) as (keyof PlanPrices)[]

export const priceLabel = (name: keyof PlanPrices): string => PRICES[name]

/** Names and amounts of those that are not free; without a currency, the plain amount. */
export const pricesOf = (plan: PlanPrices, currency: string | null): (readonly [string, string])[] =>
  PRICE_NAMES.filter((name) => plan[name] > 0).map((name) => {
    const amount = decimalOf(plan[name], MICRO_PLACES)
    return [PRICES[name], currency ? moneyText(amount, currency) : amount] as const
  })

export const includedText = ({ functionsIncluded, autoscalingIncluded }: PlanLimits): string =>
  [functionsIncluded && 'functions', autoscalingIncluded && 'autoscaling'].filter(Boolean).join(', ') ||
  'neither functions nor autoscaling'

interface BuildResources {
  cpu: number | null
  memoryMb: number | null
  diskMb: number | null
  timeoutSeconds: number | null
}

export function buildText({ cpu, memoryMb, diskMb, timeoutSeconds }: BuildResources): string {
  const parts = [
    cpu !== null && `${cpu} CPU`,
    memoryMb !== null && megabytesText(memoryMb),
    diskMb !== null && `${megabytesText(diskMb)} disk`,
    timeoutSeconds !== null && `${Math.round(timeoutSeconds / 60)} min`,
  ].filter(Boolean)
  return parts.length > 0 ? `at most ${parts.join(', ')}` : 'as the installation says'
}
