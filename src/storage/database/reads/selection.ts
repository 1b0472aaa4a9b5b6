import { conditionsOf } from './conditions.ts'
import type { Column, Model, Relation } from './data-model.ts'
import type { WantedText } from './row-text.ts'
import { joinOf, type Nesting, type Part, sliceOf } from './slice.ts'
import { entriesOf, modelOf, nextAlias, Unknown, type Writer } from './writer.ts'

/** Makes what Prisma would answer of the JSON that PostgreSQL answers. */
export type Decode = (json: never) => unknown

export interface Query extends Part {
  select?: unknown
  include?: unknown
  /** What is enough of the rows, where that is known; they may also come as what else is selected. */
  text?: WantedText
}

const KNOWN = new Set(['select', 'include', 'where', 'orderBy', 'cursor', 'take', 'skip'])

/** PostgreSQL takes no more arguments in a call. */
const MAX_FIELDS = 100

/** A list as one JSON array of rows, each of which is an array of its fields. */
export function listOf(writer: Writer, model: Model, query: Query, join?: (alias: string) => Nesting): Field {
  const unknown = Object.keys(query).find((name) => !KNOWN.has(name))
  if (unknown) throw new Unknown(unknown)
  const alias = nextAlias(writer)
  const row = rowOf(writer, model, query, alias)
  const { sql, isReversed } = sliceOf(writer, model, query, alias, join?.(alias) ?? null)
  const rows = `SELECT ${row.sql} AS j FROM ${model.table} ${alias}${sql}`
  return { sql: `SELECT json_agg(j) FROM (${rows}) r`, decode: listDecoder(row.decode, isReversed) }
}

interface Field {
  sql: string
  /** Null when the JSON is the value. */
  decode: Decode | null
}

/** One row as a JSON array, in the order of the selection. */
function rowOf(writer: Writer, model: Model, query: Query, alias: string): { sql: string; decode: Decode } {
  const named = selected(model, query).map(
    ([name, wanted]) => [name, fieldOf(writer, model, name, wanted, alias)] as const,
  )
  if (named.length === 0 || named.length > MAX_FIELDS) throw new Unknown('selection')
  const sql = `json_build_array(${named.map(([, field]) => field.sql).join(', ')})`
  return { sql, decode: rowDecoder(named.map(([name, { decode }]) => ({ name, decode }))) }
}

function selected(model: Model, { select, include }: Query): [name: string, wanted: unknown][] {
  if (select !== undefined && include !== undefined) throw new Unknown('select and include')
  if (select !== undefined) return entriesOf(select).filter(([, wanted]) => wanted !== false)
  const columns = [...model.columns.keys()].map((name) => [name, true] as [string, unknown])
  return [...columns, ...entriesOf(include ?? {}).filter(([, wanted]) => wanted !== false)]
}

function fieldOf(writer: Writer, model: Model, name: string, wanted: unknown, alias: string): Field {
  const column = model.columns.get(name)
  if (column) {
    if (wanted !== true) throw new Unknown(name)
    return columnField(column, alias)
  }
  if (name === '_count') return countsOf(writer, model, wanted, alias)
  const relation = model.relations.get(name)
  if (!relation) throw new Unknown(name)
  const query = wanted === true ? {} : (Object.fromEntries(entriesOf(wanted)) as Query)
  return relation.isList ? nestedList(writer, relation, query, alias) : nestedRow(writer, relation, query, alias)
}

const toDate = ((text: string) => new Date(text)) as Decode
const toBigInt = ((text: string) => BigInt(text)) as Decode

function columnField({ sql, type, isList }: Column, alias: string): Field {
  if (type === 'Bytes' || type === 'Decimal') throw new Unknown(type)
  if (isList) {
    if (type === 'DateTime' || type === 'BigInt') throw new Unknown(`list of ${type}`)
    // An array that was never set is an empty one for Prisma.
    return { sql: `coalesce(${alias}.${sql}, '{}')`, decode: null }
  }
  if (type === 'DateTime') return { sql: `${alias}.${sql}`, decode: toDate }
  // As text: JSON's numbers are floats here.
  if (type === 'BigInt') return { sql: `${alias}.${sql}::text`, decode: toBigInt }
  return { sql: `${alias}.${sql}`, decode: null }
}

function nestedList(writer: Writer, relation: Relation, query: Query, alias: string): Field {
  const join = (inner: string) => joinOf(relation, inner, alias)
  const { sql, decode } = listOf(writer, modelOf(writer, relation.target), query, join)
  return { sql: `coalesce((${sql}), '[]')`, decode }
}

/** How many rows there are of each relation, as Prisma's `_count` has it: `{ select: { apps: { where } } }`. */
function countsOf(writer: Writer, model: Model, wanted: unknown, alias: string): Field {
  const [[what, relations] = ['', {}], ...others] = entriesOf(wanted)
  if (what !== 'select' || others.length > 0) throw new Unknown('_count')
  const counts = entriesOf(relations).map(([name, counted]) => {
    const relation = model.relations.get(name)
    const [[condition, where] = ['where', {}], ...more] = counted === true ? [] : entriesOf(counted)
    if (!relation?.isList || condition !== 'where' || more.length > 0) throw new Unknown(`_count ${name}`)
    const target = modelOf(writer, relation.target)
    const inner = nextAlias(writer)
    const conditions = [...joinOf(relation, inner, alias).conditions, ...conditionsOf(writer, target, where, inner)]
    return `'${name}', (SELECT count(*) FROM ${target.table} ${inner} WHERE ${conditions.join(' AND ')})`
  })
  return { sql: `json_build_object(${counts.join(', ')})`, decode: null }
}

/** The one row that a relation leads to, as an array; null when there is none. */
function nestedRow(writer: Writer, { target, on }: Relation, query: Query, alias: string): Field {
  const { select, include, ...others } = query
  if (Object.keys(others).length > 0) throw new Unknown('arguments of a single row')
  const inner = nextAlias(writer)
  const model = modelOf(writer, target)
  const { sql, decode } = rowOf(writer, model, query, inner)
  const joined = on.map(([theirs, own]) => `${inner}.${theirs} = ${alias}.${own}`).join(' AND ')
  return { sql: `(SELECT ${sql} FROM ${model.table} ${inner} WHERE ${joined})`, decode }
}

function listDecoder(decode: Decode, isReversed: boolean): Decode {
  const decodeAll = (rows: unknown[]) => {
    for (let index = 0; index < rows.length; index += 1) rows[index] = decode(rows[index] as never)
    return isReversed ? rows.reverse() : rows
  }
  return decodeAll as Decode
}

/**
 * A function that was written for these fields is several times as fast as a loop over them. Names come from the data
 * model, never from a caller.
 */
function rowDecoder(fields: readonly { name: string; decode: Decode | null }[]): Decode {
  const properties = fields.map(({ name, decode }, index) => {
    const value = decode ? `row[${index}] === null ? null : decoders[${index}](row[${index}])` : `row[${index}]`
    return `${JSON.stringify(name)}: ${value}`
  })
  const make = new Function('decoders', `return (row) => ({ ${properties.join(', ')} })`)
  return make(fields.map(({ decode }) => decode))
}
