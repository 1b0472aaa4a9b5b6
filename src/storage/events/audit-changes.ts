import type { AuditChange } from '../../domain/audit-change.ts'
import { MASK } from '../../domain/mask.ts'
import type { Transaction } from '../database/client.ts'
import { AUDITED_TABLES, type AuditedTable, OMITTED } from './audited-tables.ts'

/** As an audit entry keeps it, among its details. */
export interface AuditedChanges {
  fieldChanges?: AuditChange[]
  /** Changes beyond the limits of an entry. */
  fieldChangesLeftOut?: number
}

/** Limits of one entry, which nothing ever deletes. */
const MAX_CHANGES = 100
const MAX_CHARACTERS = 32_768
/** Of one value. */
const MAX_TEXT = 1_000
const MAX_ITEMS = 50

/** From here to its end, the transaction notes every change of audited tables. */
export const noteChanges = (tx: Transaction): Promise<number> =>
  tx.$executeRaw`SELECT set_config('berth.changes', '-', true), set_config('berth.changes_left_out', '', true)`

/** Runs a part of a transaction that its audit entry leaves out: it changes what belongs to another account. */
export async function withoutNotes(tx: Transaction, act: () => Promise<unknown>): Promise<void> {
  const [before] = await tx.$queryRaw<{ noted: string | null }[]>`
    SELECT current_setting('berth.changes', true) AS noted`
  await tx.$executeRaw`SELECT set_config('berth.changes', '', true)`
  await act()
  await tx.$executeRaw`SELECT set_config('berth.changes', ${before?.noted ?? ''}, true)`
}

type Columns = Readonly<Record<string, unknown>>

interface Note {
  table: string
  before: Columns | null
  after: Columns | null
}

/** What the transaction has noted, as the audit log shows it: the first value before, the last one after. */
export function auditedChanges(noted: string | null, leftOut: string | null): AuditedChanges {
  if (!noted) return {}
  const rows = new Map<string, Note>()
  for (const line of noted.split('\n').slice(1)) merge(rows, JSON.parse(line) as Note)
  const all = [...rows.values()].flatMap(changesOf)
  const kept = withinLimits(all)
  const missing = all.length - kept.length + Number(leftOut || 0)
  return {
    ...(kept.length > 0 ? { fieldChanges: kept } : {}),
    ...(missing > 0 ? { fieldChangesLeftOut: missing } : {}),
  }
}

/** A row that changes twice, or is deleted and inserted again, has changed once. */
function merge(rows: Map<string, Note>, note: Note): void {
  const known = AUDITED_TABLES[note.table]
  if (!known) return
  const naming = note.after ?? note.before ?? {}
  const key = JSON.stringify([note.table, ...(known.key ?? [known.id ?? 'id']).map((column) => naming[column])])
  const earlier = rows.get(key)
  rows.set(key, earlier ? joined(earlier, note) : note)
}

const joined = (earlier: Note, later: Note): Note => ({
  table: later.table,
  before: earlier.before && { ...later.before, ...earlier.before },
  after: later.after && { ...earlier.after, ...later.after },
})

function changesOf({ table, before, after }: Note): AuditChange[] {
  const known = AUDITED_TABLES[table] as AuditedTable
  const names = { ...before, ...after }
  const text = (column: string | undefined) =>
    column === undefined ? null : ((names[column] ?? null) as string | null)
  const thing = {
    type: known.type,
    id: String(names[known.id ?? 'id']),
    name: text(known.label),
    appEnvId: known.type === 'appEnv' ? text('id') : text('app_env_id'),
  }
  const omitted = wordsOf(`${OMITTED} ${known.omitted ?? ''}`)
  const shown = wordsOf(known.shown)
  return Object.keys(names)
    .filter((column) => shown.has(column) || !omitted.has(column))
    .flatMap((column) => {
      const field = known.as?.[column] ?? camelCase(column)
      const [was, is] = [before?.[column] ?? null, after?.[column] ?? null]
      return differences(field, was, is, shown.has(column)).map((change) => ({ ...thing, ...change }))
    })
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const camelCase = (column: string) => column.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())

type Difference = Pick<AuditChange, 'field' | 'before' | 'after'>

/** Of two objects, what differs in them; of anything else, the whole. */
function differences(field: string, was: unknown, is: unknown, isShown: boolean): Difference[] {
  if (JSON.stringify(was) === JSON.stringify(is)) return []
  if (isObject(was) && isObject(is)) {
    const names = Object.keys({ ...was, ...is })
    return names.flatMap((name) =>
      differences(`${field}.${name}`, was[name] ?? null, is[name] ?? null, isShown && !mayHoldSecrets(name)),
    )
  }
  const shownAs = isShown ? readable : masked
  return [{ field, before: shownAs(was), after: shownAs(is) }]
}

const isObject = (value: unknown): value is Columns =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Headers of a health check may hold a login. */
const mayHoldSecrets = (name: string) => name === 'headers'

const masked = (value: unknown) => (value === null ? null : MASK)

function readable(value: unknown): unknown {
  if (typeof value === 'string') return cut(time(value))
  const safe = withoutSecrets(shortened(value))
  const text = JSON.stringify(safe)
  return text.length > MAX_TEXT ? cut(text) : safe
}

const shortened = (value: unknown) =>
  Array.isArray(value) && value.length > MAX_ITEMS
    ? [...value.slice(0, MAX_ITEMS), `… and ${value.length - MAX_ITEMS} more`]
    : value

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (!isObject(value)) return value
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.map(([name, one]) => [name, mayHoldSecrets(name) ? masked(one) : withoutSecrets(one)]),
  )
}

/** Never in the middle of a character, half of which cannot be stored. */
const cut = (text: string) =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}… (${text.length} characters)` : text

/** As PostgreSQL writes times into JSON; in answers they end with Z. */
const time = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d$/.test(text) ? new Date(text).toISOString() : text

function withinLimits(changes: readonly AuditChange[]): AuditChange[] {
  let characters = 0
  return changes.slice(0, MAX_CHANGES).filter((change) => {
    characters += JSON.stringify(change).length
    return characters <= MAX_CHARACTERS
  })
}
