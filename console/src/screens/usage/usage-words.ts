import { sumOfDecimals } from '../../../../text/decimal.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import type { UsageLines } from './documents.ts'

export type Line = NonNullable<ResultOf<typeof UsageLines>['usageLines']>['nodes'][number]
export type UsageKind = Line['kind']

export const KINDS: Readonly<Record<UsageKind, string>> = {
  COMPUTE: 'Containers that serve',
  JOB_RUN: 'Job runs',
  BUILD: 'Builds',
  FROZEN: 'Memory of frozen containers',
  VOLUME: 'Volumes',
  BACKUP: 'Backups',
}

export interface Group {
  key: string
  lines: Line[]
  amount: string
  /** zCloud seconds of what served and of runs: what is left to compare by where nothing has a price. */
  zCloudSeconds: number
}

/** The lines by day, or by environment, with their sums. */
export function groupsOf(lines: readonly Line[], keyOf: (line: Line) => string): Group[] {
  const groups = Map.groupBy(lines, keyOf)
  return [...groups].map(([key, own]) => ({
    key,
    lines: own,
    amount: sumOfDecimals(own.map(({ amount }) => amount)),
    zCloudSeconds: own.reduce((sum, { unit, quantity }) => sum + (unit === 'ZCLOUD_SECOND' ? Number(quantity) : 0), 0),
  }))
}

/** `2026-11` of a time, by UTC, as the API counts months. */
export const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7)

/** From the beginning of a month to that of the next. */
export function rangeOf(month: string): { from: string; to: string } {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return {
    from: new Date(Date.UTC(year, number - 1)).toISOString(),
    to: new Date(Date.UTC(year, number)).toISOString(),
  }
}
