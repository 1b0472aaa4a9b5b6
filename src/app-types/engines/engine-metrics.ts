/** What a server said of itself, by name, and when. */
export interface Reading {
  atMs: number
  values: Readonly<Record<string, number>>
}

export type MetricUnit = 'COUNT' | 'PER_SECOND' | 'PERCENT' | 'MB' | 'SECONDS'

/** One series of what an engine reports. Engines that use the same name mean the same: unit and description are equal. */
export interface EngineMetric {
  /** In lower case, with underscores. */
  name: string
  unit: MetricUnit
  /** What is measured; stands alone where it is shown. */
  description: string
  /** How the values of several containers become one. */
  combined: 'SUM' | 'AVERAGE' | 'MAX'
  /** Null where it is not known: not reported, or a change since an earlier reading that there is not. */
  value: (now: Reading, before: Reading | null) => number | null
}

type Value = EngineMetric['value']

const LINE = /^([A-Za-z_][\w.]*)(?:\{[^}]*\})?[\s:=]+(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*$/
/** Beyond it nothing is a measurement, and sums of such numbers lose digits. */
const LARGEST = 2 ** 53

/** Numbers that a metrics command printed. */
export function readingOf(printed: string, atMs: number): Reading {
  const values: Record<string, number> = Object.create(null)
  for (const line of printed.split('\n')) {
    const [, name = '', number] = LINE.exec(line) ?? []
    const value = Number(number)
    if (name !== '' && Math.abs(value) <= LARGEST) values[name] = (values[name] ?? 0) + value
  }
  return { atMs, values }
}

/** The number as it was reported. */
export const reported =
  (name: string, { times = 1, plus = 0 } = {}): Value =>
  ({ values }) => {
    const value = values[name]
    return value === undefined ? null : Math.max(0, value * times + plus)
  }

const PER_MB = 1 / (1024 * 1024)

/** The sum of numbers in bytes, of which at least one is reported. */
export const megabytes =
  (...names: readonly string[]): Value =>
  ({ values }) => {
    const known = names.flatMap((name) => values[name] ?? [])
    return known.length > 0 ? known.reduce((sum, bytes) => sum + bytes, 0) * PER_MB : null
  }

/** How far a counter went since the reading before. A server that was started again counts from zero. */
function growth(name: string, now: Reading, before: Reading | null): number | null {
  const [from, to] = [before?.values[name], now.values[name]]
  return from === undefined || to === undefined || to < from ? null : to - from
}

/** Growth of counters, added up, by the second. */
export const perSecond =
  (...names: readonly string[]): Value =>
  (now, before) => {
    const seconds = before ? (now.atMs - before.atMs) / 1000 : 0
    const grown = names.flatMap((name) => growth(name, now, before) ?? [])
    return seconds > 0 && grown.length === names.length ? grown.reduce((sum, one) => sum + one, 0) / seconds : null
  }

/** Part of the growth of two counters that is the first one's, in percent. Null while neither grows. */
export const sharePercent =
  (part: string, rest: string): Value =>
  (now, before) => {
    const [some, others] = [growth(part, now, before), growth(rest, now, before)]
    return some === null || others === null || some + others === 0 ? null : (100 * some) / (some + others)
  }

/** The same, where the second counter counts all. */
export const missedPercent =
  (missed: string, all: string): Value =>
  (now, before) => {
    const [misses, total] = [growth(missed, now, before), growth(all, now, before)]
    return misses === null || total === null || total === 0 ? null : Math.max(0, 100 * (1 - misses / total))
  }

type Described = Omit<EngineMetric, 'value'>

/** Every engine has it: clients are drained by it. */
export const CONNECTIONS: Described = {
  name: 'connections',
  unit: 'COUNT',
  description: 'Open connections of clients.',
  combined: 'SUM',
}
const DISK_USAGE: Described = {
  name: 'disk_usage',
  unit: 'MB',
  description: 'Size of the data on disk.',
  combined: 'SUM',
}
const MEMORY: Described = {
  name: 'engine_memory',
  unit: 'MB',
  description: 'Memory that the engine itself says it uses.',
  combined: 'SUM',
}
const CACHE_HIT_RATE: Described = {
  name: 'cache_hit_rate',
  unit: 'PERCENT',
  description: 'Part of the reads that the cache answered.',
  combined: 'AVERAGE',
}
const OPERATIONS: Described = {
  name: 'operations',
  unit: 'PER_SECOND',
  description: 'Statements, commands or requests that clients had carried out.',
  combined: 'SUM',
}
const ACTIVE: Described = {
  name: 'active_operations',
  unit: 'COUNT',
  description: 'Statements, commands or requests that run at the moment.',
  combined: 'SUM',
}
const WAITING: Described = {
  name: 'waiting_operations',
  unit: 'COUNT',
  description: 'Statements, commands or requests that wait for a lock or for their turn.',
  combined: 'SUM',
}

/** What several engines report, under the same name and in the same words. */
export const connections = (value: Value): EngineMetric => ({ ...CONNECTIONS, value })
export const diskUsage = (value: Value): EngineMetric => ({ ...DISK_USAGE, value })
export const engineMemory = (value: Value): EngineMetric => ({ ...MEMORY, value })
export const cacheHitRate = (value: Value): EngineMetric => ({ ...CACHE_HIT_RATE, value })
export const operations = (value: Value): EngineMetric => ({ ...OPERATIONS, value })
export const activeOperations = (value: Value): EngineMetric => ({ ...ACTIVE, value })
export const waitingOperations = (value: Value): EngineMetric => ({ ...WAITING, value })
