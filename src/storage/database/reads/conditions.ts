import type { Column, Model } from './data-model.ts'
import { entriesOf, modelOf, nextAlias, parameter, Unknown, type Writer } from './writer.ts'

const COMPARISONS: Readonly<Record<string, string>> = { equals: '=', not: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' }

/** Kinds of values that PostgreSQL compares like Prisma does. */
const COMPARABLE = new Set(['String', 'Int', 'BigInt', 'Float', 'Boolean', 'DateTime'])

/** A `where` as conditions of SQL, all of which hold. */
export function conditionsOf(writer: Writer, model: Model, where: unknown, alias: string): string[] {
  return entriesOf(where).flatMap(([name, wanted]) => {
    if (name === 'AND') return listOf(wanted).flatMap((part) => conditionsOf(writer, model, part, alias))
    if (name === 'OR') return [anyOf(writer, model, wanted, alias)]
    if (name === 'NOT') return listOf(wanted).map((part) => `NOT (${allOf(writer, model, part, alias)})`)
    const column = model.columns.get(name)
    if (column) return columnConditions(writer, column, wanted, alias)
    const key = model.compoundKeys.get(name)
    if (key) return keyConditions(writer, model, key, wanted, alias)
    return [relationCondition(writer, model, name, wanted, alias)]
  })
}

const listOf = (wanted: unknown): unknown[] => (Array.isArray(wanted) ? wanted : [wanted])

const allOf = (writer: Writer, model: Model, where: unknown, alias: string): string =>
  conditionsOf(writer, model, where, alias).join(' AND ') || 'TRUE'

function anyOf(writer: Writer, model: Model, wanted: unknown, alias: string): string {
  const parts = listOf(wanted).map((part) => `(${allOf(writer, model, part, alias)})`)
  return `(${parts.join(' OR ') || 'FALSE'})`
}

function keyConditions(writer: Writer, model: Model, key: readonly string[], wanted: unknown, alias: string): string[] {
  const entries = entriesOf(wanted)
  if (entries.length !== key.length || !entries.every(([name]) => key.includes(name))) throw new Unknown('key')
  return conditionsOf(writer, model, wanted, alias)
}

function columnConditions(writer: Writer, column: Column, wanted: unknown, alias: string): string[] {
  const sql = `${alias}.${column.sql}`
  if (column.isList || !(COMPARABLE.has(column.type) || isEnum(column))) throw new Unknown(`where ${column.name}`)
  if (isValue(wanted)) return [compared(writer, sql, 'equals', wanted)]
  if (isObject(wanted) && 'contains' in wanted) return [containing(writer, column, sql, wanted)]
  return entriesOf(wanted).map(([operator, value]) => {
    if (operator === 'in' || operator === 'notIn') return contained(writer, sql, operator, value)
    if (!(operator in COMPARISONS) || !isValue(value)) throw new Unknown(operator)
    return compared(writer, sql, operator, value)
  })
}

/** Prisma's own types have these names; any other is an enum's. */
const isEnum = ({ type }: Column) => !['Json', 'Bytes', 'Decimal'].includes(type)

const isValue = (value: unknown): boolean =>
  value === null || ['string', 'number', 'boolean', 'bigint'].includes(typeof value) || value instanceof Date

function compared(writer: Writer, sql: string, operator: string, value: unknown): string {
  if (value !== null) return `${sql} ${COMPARISONS[operator]} ${parameter(writer, value)}`
  if (operator === 'equals') return `${sql} IS NULL`
  if (operator === 'not') return `${sql} IS NOT NULL`
  throw new Unknown(`${operator} null`)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** `{ contains, mode: 'insensitive' }`, with the pattern's own characters as they are in the text, as Prisma has it. */
function containing(writer: Writer, { type }: Column, sql: string, wanted: Readonly<Record<string, unknown>>): string {
  const { contains, mode, ...others } = wanted
  if (type !== 'String' || typeof contains !== 'string' || mode !== 'insensitive' || Object.keys(others).length > 0)
    throw new Unknown('contains')
  return `${sql} ILIKE '%' || ${parameter(writer, contains)} || '%'`
}

function contained(writer: Writer, sql: string, operator: 'in' | 'notIn', values: unknown): string {
  if (!Array.isArray(values) || values.some((value) => value === null || !isValue(value))) throw new Unknown(operator)
  const list = parameter(writer, values)
  return operator === 'in' ? `${sql} = ANY(${list})` : `${sql} <> ALL(${list})`
}

function relationCondition(writer: Writer, model: Model, name: string, wanted: unknown, alias: string): string {
  const relation = model.relations.get(name)
  if (!relation) throw new Unknown(`where ${name}`)
  if (!relation.isList) return exists(writer, model, name, wanted, alias)
  const filters = entriesOf(wanted).map(([filter, where]) => {
    if (filter === 'some') return exists(writer, model, name, where, alias)
    if (filter === 'none') return `NOT ${exists(writer, model, name, where, alias)}`
    // None that does not fit.
    if (filter === 'every') return `NOT ${exists(writer, model, name, { NOT: where }, alias)}`
    throw new Unknown(filter)
  })
  return filters.join(' AND ') || 'TRUE'
}

function exists(writer: Writer, model: Model, name: string, where: unknown, alias: string): string {
  const { target, on = [] } = model.relations.get(name) ?? {}
  const other = modelOf(writer, target ?? '')
  const inner = nextAlias(writer)
  const joined = on.map(([theirs, own]) => `${inner}.${theirs} = ${alias}.${own}`)
  const conditions = [...joined, ...conditionsOf(writer, other, where, inner)]
  return `EXISTS (SELECT 1 FROM ${other.table} ${inner} WHERE ${conditions.join(' AND ')})`
}
