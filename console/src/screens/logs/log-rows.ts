import type { ResultOf } from '../../graphql/graphql.ts'
import type { LineParts } from './documents.ts'
import type { Level } from './log-filter.ts'

export type SentLine = ResultOf<typeof LineParts>

/** A line, put together of its pieces. */
export interface LineRow {
  /** Lines further down have larger ones, and keep them. */
  key: number
  id: string
  /** Ids of its further pieces, in their order. */
  more?: readonly string[]
  /** Milliseconds. */
  at: number
  isError: boolean
  level: Level | null
  container: string
  contentId: string
  message: string
  /** Its next piece is yet to come. */
  isPartial: boolean
}

/** Says what is not a line: what is missing here, or that nothing is. */
export interface NoteRow {
  key: number
  note: string
}

export type Row = LineRow | NoteRow

export const isLine = (row: Row | undefined): row is LineRow => row !== undefined && 'id' in row

/** A line of more than 16 KB comes in pieces; of one without an end, this much is put together. */
const MAX_JOINED = 1_000_000

const names = new Map<string, string>()
/** Names are sent with each line: one of each is enough. */
function oneOf(name: string): string {
  const known = names.get(name)
  if (known !== undefined) return known
  names.set(name, name)
  return name
}

const rowOf = (line: SentLine, key: number): LineRow => ({
  key,
  id: line.id,
  at: Date.parse(line.timestamp),
  isError: line.stream === 'STDERR',
  level: line.level,
  container: oneOf(line.containerName),
  contentId: oneOf(line.contentId),
  message: line.message,
  isPartial: line.isPartial,
})

const goesOn = (row: Row | undefined, { at, container, isError, message }: LineRow): row is LineRow =>
  isLine(row) &&
  row.isPartial &&
  row.at === at &&
  row.container === container &&
  row.isError === isError &&
  row.message.length + message.length <= MAX_JOINED

const joined = (row: LineRow, next: LineRow): LineRow => ({
  ...row,
  message: row.message + next.message,
  isPartial: next.isPartial,
  more: [...(row.more ?? []), next.id, ...(next.more ?? [])],
})

/** Of each line that is held, a piece by a piece. */
export function* idsOf(rows: readonly Row[]): Generator<string> {
  for (const row of rows) {
    if (!isLine(row)) continue
    yield row.id
    if (row.more) yield* row.more
  }
}

/** Of the last line; null where there is none. */
export function lastIdOf(rows: readonly Row[]): string | null {
  const last = rows.findLast(isLine)
  return last?.more?.at(-1) ?? last?.id ?? null
}

/** Rows, oldest first, with the lines behind them; those that are there already are left out by `isHeld`. */
export function withNewer(rows: readonly Row[], lines: readonly SentLine[], isHeld: (id: string) => boolean): Row[] {
  const next = [...rows]
  for (const line of lines) {
    if (isHeld(line.id)) continue
    const last = next.at(-1)
    const row = rowOf(line, (last?.key ?? 0) + 1)
    if (goesOn(last, row)) next[next.length - 1] = joined(last, row)
    else next.push(row)
  }
  return next
}

/** Rows, oldest first, with the lines before them. */
export function withOlder(rows: readonly Row[], lines: readonly SentLine[]): Row[] {
  const older = withNewer([], lines, () => false)
  const before = (rows[0]?.key ?? 1) - older.length - 1
  for (const [at, row] of older.entries()) row.key = before + at
  const [first] = rows
  const last = older.at(-1)
  if (!isLine(first) || !goesOn(last, first)) return [...older, ...rows]
  return [...older.slice(0, -1), { ...joined(last, first), key: first.key }, ...rows.slice(1)]
}

/** Keys grow with the rows: where one is, or would be. */
export function indexOfKey(rows: readonly Row[], key: number): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows[middle]?.key ?? 0) < key) low = middle + 1
    else high = middle
  }
  return low
}

/** Which containers were seen up to which row, and the first line of each that began below the first row. */
export interface Beginnings {
  firstKey: number
  lastKey: number
  isWhole: boolean
  seen: Set<string>
  found: Map<number, LineRow>
}

/**
 * The first line of each container, by its key; what is known already is read on. Where older lines are not held, only of
 * versions that were made after the first line that is: of any other, earlier lines may have been written.
 */
export function beginnings(
  rows: readonly Row[],
  isWhole: boolean,
  madeAt: (contentId: string) => number | null,
  known: Beginnings | null,
): Beginnings {
  const firstKey = rows[0]?.key ?? 0
  const goesOn = known !== null && known.firstKey === firstKey && known.isWhole === isWhole
  const { seen, found } = goesOn ? known : { seen: new Set<string>(), found: new Map<number, LineRow>() }
  const start = rows.find(isLine)
  for (let at = goesOn ? indexOfKey(rows, known.lastKey + 1) : 0; at < rows.length; at++) {
    const row = rows[at]
    if (!isLine(row) || seen.has(row.container)) continue
    seen.add(row.container)
    if (start && (isWhole || (madeAt(row.contentId) ?? 0) > start.at)) found.set(row.key, row)
  }
  return { firstKey, lastKey: rows.at(-1)?.key ?? firstKey, isWhole, seen, found }
}
