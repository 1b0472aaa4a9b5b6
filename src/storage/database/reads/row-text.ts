import type { Model } from './data-model.ts'
import type { TextRow } from './json-query.ts'
import { joinOf, type Part, sliceOf } from './slice.ts'
import { modelOf, nextAlias, Unknown, type Writer } from './writer.ts'

/** A value of an answer: a column, a text that is the same for all rows, or a page of rows that belong to the row. */
export type TextField = FlatField | ListField
export type FlatField = ColumnField | FixedField

interface FixedField {
  name: string
  text: string
}

interface ColumnField {
  name: string
  column: string
  /** A scalar of GraphQL, or `enum`. */
  type: string
  isRequired: boolean
  /** Of an enum. */
  values?: readonly string[]
}

export interface ListField {
  name: string
  relation: string
  /** Of the page, in order. */
  members: readonly (FixedField | { name: string; rows: readonly FlatField[] })[]
}

/** Rows that are wanted as the text of an answer, and not for their values. */
export interface WantedText {
  /** The same for equal fields. */
  key: string
  fields: readonly TextField[]
  /** Which rows each `ListField` has, in their order. */
  lists: readonly Part[]
}

/** A row as the JSON text that an answer has of it. As properties it has its primary key only, which cursors need. */
export class RowText {
  readonly #json: string

  constructor(json: string) {
    this.#json = json
  }

  get json(): string {
    return this.#json
  }

  /** For code that serializes an answer without knowing of texts. */
  toJSON(): unknown {
    return JSON.parse(this.#json)
  }
}

/** Null when not all rows have a text. */
export type DecodeTexts = (rows: TextRow[]) => RowText[] | null

/** PostgreSQL cuts longer names off. */
const MAX_NAME_BYTES = 63

/** Throws `Unknown` for rows whose text PostgreSQL would write in another way than JSON.stringify. */
export function textsOf(writer: Writer, model: Model, query: Part, { fields, lists }: WantedText) {
  const alias = nextAlias(writer)
  const parts = [...lists]
  const row = rowText(model, fields, alias, (list) => pageText(writer, model, list, parts.shift() ?? {}, alias))
  const keys = model.primaryKey.map((name) => keyOf(model, name, alias))
  const { sql, isReversed } = sliceOf(writer, model, query, alias, null)
  const decode: DecodeTexts = (rows) => {
    if (rows.some(([json]) => json === null)) return null
    const texts = rows.map((row) => withKey(model, row))
    return isReversed ? texts.reverse() : texts
  }
  return { sql: `SELECT ${[row, ...keys].join(', ')} FROM ${model.table} ${alias}${sql}`, decode }
}

/** A row as text; null when one of its values has none. */
function rowText(
  model: Model,
  fields: readonly TextField[],
  alias: string,
  pageOf: (list: ListField) => string,
): string {
  const flat = fields.filter((field): field is FlatField => !('relation' in field))
  const known = flat.flatMap((field) => knownValues(model, field, alias))
  if (flat.length < fields.length) return onlyWhen(known, joinedText(model, fields, alias, pageOf))
  const columns = flat.map((field) => `${sqlOf(model, field, alias)} AS "${nameOf(field)}"`)
  return onlyWhen(known, `(SELECT row_to_json(j)::text FROM (SELECT ${columns.join(', ')}) j)`)
}

/**
 * Put together, because a page is a text already: PostgreSQL would read it again to make JSON of it. Null when a page is, of
 * which a row has no text.
 */
function joinedText(
  model: Model,
  fields: readonly TextField[],
  alias: string,
  pageOf: (list: ListField) => string,
): string {
  const members = fields.map((field) => {
    const value =
      'relation' in field ? `(${pageOf(field)})` : `coalesce(to_json(${sqlOf(model, field, alias)})::text, 'null')`
    return `"${nameOf(field)}":' || ${value}`
  })
  return `('{${members.join(" || ',")} || '}')`
}

const onlyWhen = (conditions: readonly string[], value: string) =>
  conditions.length > 0 ? `CASE WHEN ${conditions.join(' AND ')} THEN ${value} END` : value

/** A page of the rows that a relation leads to, as text; null when one of them has no text. */
function pageText(writer: Writer, model: Model, { relation: name, members }: ListField, part: Part, outer: string) {
  const relation = model.relations.get(name)
  if (!relation?.isList) throw new Unknown(name)
  const target = modelOf(writer, relation.target)
  const alias = nextAlias(writer)
  const rows = members.flatMap((member) => ('rows' in member ? [member.rows] : []))
  // Rows that are wanted in two forms, or in none, have no one text.
  if (rows.length !== 1 || !rows[0]) throw new Unknown(name)
  const row = rowText(target, rows[0], alias, () => {
    throw new Unknown(name)
  })
  const { sql, isReversed } = sliceOf(writer, target, part, alias, joinOf(relation, alias, outer))
  if (isReversed) throw new Unknown(name)
  const texts = members.map((member) => {
    const value = 'rows' in member ? `[' || coalesce(string_agg(r.j, ','), '') || ']` : `"${plain(member.text)}"`
    return `"${nameOf(member)}":${value}`
  })
  const page = `'{${texts.join(',')}}'`
  return `SELECT CASE WHEN count(*) = count(r.j) THEN ${page} END FROM (SELECT ${row} AS j FROM ${target.table} ${alias}${sql}) r`
}

function nameOf({ name }: { name: string }): string {
  if (name.length > MAX_NAME_BYTES) throw new Unknown(name)
  return plain(name)
}

function keyOf(model: Model, name: string, alias: string): string {
  const column = model.columns.get(name)
  if (column?.type !== 'String') throw new Unknown(name)
  return `${alias}.${column.sql}`
}

/** Of GraphQL's types, by the types of the columns that they have the same JSON as. */
const TYPES: Readonly<Record<string, string>> = {
  ID: 'String',
  String: 'String',
  Int: 'Int',
  Boolean: 'Boolean',
  DateTime: 'DateTime',
}

function sqlOf(model: Model, field: FlatField, alias: string): string {
  if ('text' in field) return `'${plain(field.text)}'::text`
  const column = columnOf(model, field)
  const sql = `${alias}.${column.sql}`
  if (column.type !== 'DateTime') return sql
  // As toISOString writes it; times have four-digit years. With a microsecond more, all six digits of the second are written,
  // of which three stay. `to_char` takes nearly twice as long, and a list has many times.
  return `substr(to_json(${sql} AT TIME ZONE 'UTC' + interval '0.000001 s')::text, 2, 23) || 'Z'`
}

function columnOf(model: Model, field: ColumnField) {
  const column = model.columns.get(field.column)
  if (!column || column.isList || (field.isRequired && !column.isRequired)) throw new Unknown(field.column)
  // Text, or an enum of PostgreSQL, whose values knownValues compares as text.
  const isFitting = field.values ? !NOT_TEXT.has(column.type) : TYPES[field.type] === column.type
  if (!isFitting) throw new Unknown(field.column)
  return column
}

const NOT_TEXT = new Set(['Int', 'BigInt', 'Float', 'Decimal', 'Boolean', 'DateTime', 'Json', 'Bytes'])

/** A row with a value that its enum does not know has no text: it is an error of its field. */
function knownValues(model: Model, field: FlatField, alias: string): string[] {
  if ('text' in field || !field.values) return []
  const column = columnOf(model, field)
  const sql = `${alias}.${column.sql}`
  const isKnown = `${sql}::text = ANY('{${field.values.map(plain).join(',')}}')`
  return [column.isRequired ? isKnown : `(${sql} IS NULL OR ${isKnown})`]
}

function plain(word: string): string {
  if (!/^\w+$/.test(word)) throw new Unknown(word)
  return word
}

function withKey({ primaryKey }: Model, [json, ...key]: TextRow): RowText {
  const text = new RowText(json as string)
  return Object.assign(text, Object.fromEntries(primaryKey.map((name, index) => [name, key[index]])))
}
