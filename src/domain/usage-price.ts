import type { UsageKind } from './usage-interval.ts'
import { withoutTrailing } from './without-trailing.ts'

/** What a plan charges, in millionths of the currency: whole numbers, so that sums are exact. */
export interface UsagePrices {
  /** One zCloud for an hour, of containers that serve and of job runs. */
  zCloudHourPrice: number
  jobZCloudHourPrice: number
  /** One minute of a build. */
  buildMinutePrice: number
  /** 1024 MB for 30 days: memory of frozen containers, disk of volumes, backups. */
  frozenGbMonthPrice: number
  volumeGbMonthPrice: number
  backupGbMonthPrice: number
}

export type UsageUnit = 'ZCLOUD_SECOND' | 'SECOND' | 'MB_SECOND'

interface Tariff {
  unit: UsageUnit
  price: keyof UsagePrices
}

const TARIFFS: Readonly<Record<UsageKind, Tariff>> = {
  COMPUTE: { unit: 'ZCLOUD_SECOND', price: 'zCloudHourPrice' },
  JOB_RUN: { unit: 'ZCLOUD_SECOND', price: 'jobZCloudHourPrice' },
  FROZEN: { unit: 'MB_SECOND', price: 'frozenGbMonthPrice' },
  BUILD: { unit: 'SECOND', price: 'buildMinutePrice' },
  VOLUME: { unit: 'MB_SECOND', price: 'volumeGbMonthPrice' },
  BACKUP: { unit: 'MB_SECOND', price: 'backupGbMonthPrice' },
}

const USAGE_KINDS = Object.keys(TARIFFS) as UsageKind[]

/** How many parts a unit has in the log: sizes are thousandths of a zCloud or MB, and times are milliseconds. */
const PARTS: Readonly<Record<UsageUnit, bigint>> = { ZCLOUD_SECOND: 1_000_000n, SECOND: 1_000n, MB_SECOND: 1_000n }

const HOUR = 3_600n
const MINUTE = 60n
const GB_MONTH = 1_024n * 30n * 86_400n
const UNITS_PRICED: Readonly<Record<UsageUnit, bigint>> = { ZCLOUD_SECOND: HOUR, SECOND: MINUTE, MB_SECOND: GB_MONTH }

/** What one environment used of one kind, in parts of its unit. */
export interface UsedParts {
  /** UTC, `2026-11-23`. */
  day: string
  appId: string
  appEnvId: string
  envName: string
  kind: UsageKind
  parts: bigint
}

/** The same with its price, in millionths of the currency. */
export interface PricedUsage extends UsedParts {
  micros: bigint
}

/** From this day on, until the next one. */
export interface DatedPrices extends UsagePrices {
  day: string
}

/** By the prices of its day; those of the first day hold for what was before. */
export function priced(used: readonly UsedParts[], prices: readonly DatedPrices[]): PricedUsage[] {
  return used.map((one) => {
    const of = prices.findLast(({ day }) => day <= one.day) ?? prices[0]
    const { unit, price } = TARIFFS[one.kind]
    const micros = of ? halfUp(one.parts * BigInt(of[price]), PARTS[unit] * UNITS_PRICED[unit]) : 0n
    return { ...one, micros }
  })
}

/** As answers show it: numbers as text, because they are exact. */
export interface UsageAmount {
  kind: UsageKind
  unit: UsageUnit
  quantity: string
  amount: string
}

export interface UsageLine extends UsageAmount, Omit<UsedParts, 'parts'> {}

const amountOf = (kind: UsageKind, parts: bigint, micros: bigint): UsageAmount => {
  const { unit } = TARIFFS[kind]
  return { kind, unit, quantity: decimal(parts, PARTS[unit]), amount: decimal(micros, MICROS) }
}

export const lineOf = ({ day, appId, appEnvId, envName, kind, parts, micros }: PricedUsage): UsageLine => ({
  day,
  appId,
  appEnvId,
  envName,
  ...amountOf(kind, parts, micros),
})

/** Of all environments together, one for each kind that was used. */
export const totalsOf = (used: readonly PricedUsage[]): UsageAmount[] =>
  USAGE_KINDS.flatMap((kind) => {
    const those = used.filter((one) => one.kind === kind)
    return those.length > 0 ? [amountOf(kind, sum(those, 'parts'), sum(those, 'micros'))] : []
  })

export interface StatementLine extends UsageAmount {
  appId: string
  appEnvId: string
  envName: string
}

export interface Statement {
  lines: StatementLine[]
  total: string
}

/** One line for each environment and kind, in whole minor units of the currency, so that the lines add up to the total. */
export function statementOf(used: readonly PricedUsage[], currency: string): Statement {
  const minor = 10n ** BigInt(6 - minorDigits(currency))
  const groups = Map.groupBy(used, ({ appEnvId, kind }) => `${appEnvId} ${kind}`)
  const lines = [...groups.values()].map((days) => {
    const { appId, appEnvId, envName, kind } = days.at(-1) as PricedUsage
    const micros = halfUp(sum(days, 'micros'), minor) * minor
    const amounts = { ...amountOf(kind, sum(days, 'parts'), micros), amount: money(micros, currency) }
    return { micros, line: { appId, appEnvId, envName, ...amounts } }
  })
  lines.sort((one, other) => compare(keyOf(one.line), keyOf(other.line)))
  return { lines: lines.map(({ line }) => line), total: money(sum(lines, 'micros'), currency) }
}

const keyOf = ({ appEnvId, kind }: StatementLine) => `${appEnvId} ${kind}`
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

/** What the month will have cost, if the rest of it is used as the time before was. */
export function forecastOf({ micros, recentMicros, recentMs, restMs }: Record<ForecastFact, bigint>): bigint {
  return recentMs > 0n ? micros + halfUp(recentMicros * restMs, recentMs) : micros
}

type ForecastFact = 'micros' | 'recentMicros' | 'recentMs' | 'restMs'

const MICROS = 1_000_000n

export const sumOf = (used: readonly PricedUsage[]): bigint => sum(used, 'micros')

function sum<Name extends string>(all: readonly Record<Name, bigint>[], name: Name): bigint {
  return all.reduce((total, one) => total + one[name], 0n)
}

/** An amount in the currency, `12.34`. */
export function money(micros: bigint, currency: string): string {
  const digits = minorDigits(currency)
  const minor = halfUp(micros, 10n ** BigInt(6 - digits))
  return fixed(minor, digits)
}

/** `12.34` in millionths. */
export function microsOf(text: string): bigint {
  const [whole = '0', part = ''] = text.split('.')
  return BigInt(whole) * MICROS + BigInt(part.padEnd(6, '0'))
}

const minorDigits = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2

/** Neither is negative. */
const halfUp = (numerator: bigint, denominator: bigint): bigint => (2n * numerator + denominator) / (2n * denominator)

const fixed = (value: bigint, digits: number): string => {
  if (digits === 0) return String(value)
  const text = String(value).padStart(digits + 1, '0')
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** Exact, without zeros at its end. */
const decimal = (parts: bigint, of: bigint): string =>
  withoutTrailing(fixed(parts, String(of).length - 1), '0').replace(/\.$/, '')
