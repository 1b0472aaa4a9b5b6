import { conditionsOf } from './conditions.ts'
import type { Column, Model, Relation } from './data-model.ts'
import { entriesOf, parameter, Unknown, type Writer } from './writer.ts'

/** The part of a query that says which rows of a table, and in which order. */
export interface Part {
  where?: unknown
  orderBy?: unknown
  cursor?: unknown
  take?: number
  skip?: number
}

interface Sliced {
  /** What follows the table's alias. */
  sql: string
  /** The rows come in the opposite order. */
  isReversed: boolean
}

/** What ties a list to the row that it is nested in. */
export interface Nesting {
  conditions: readonly string[]
  /** The quoted columns of the list that are equal in all of its rows. */
  columns: ReadonlySet<string>
}

/** The rows that a relation leads to from one row. */
export const joinOf = ({ on }: Relation, inner: string, outer: string): Nesting => ({
  conditions: on.map(([theirs, own]) => `${inner}.${theirs} = ${outer}.${own}`),
  columns: new Set(on.map(([theirs]) => theirs)),
})

/** Conditions, order and bounds of a list. */
export function sliceOf(writer: Writer, model: Model, part: Part, alias: string, nesting: Nesting | null): Sliced {
  const { where = {}, cursor, take, skip } = part
  const conditions = [...(nesting?.conditions ?? []), ...conditionsOf(writer, model, where, alias)]
  const isPart = take !== undefined || skip !== undefined || cursor !== undefined
  const order = orderOf(model, part.orderBy, isPart)
  const isReversed = take !== undefined && take < 0
  if (cursor !== undefined) {
    const scope = { conditions, alias, nesting }
    conditions.push(cursorCondition(writer, model, part, scope, { order, isReversed }))
  }
  const by = order.map(
    ({ column, isAscending }) => `${alias}.${column.sql} ${isAscending !== isReversed ? 'ASC' : 'DESC'}`,
  )
  const sql = [
    conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '',
    by.length > 0 ? ` ORDER BY ${by.join(', ')}` : '',
    take === undefined ? '' : ` LIMIT ${parameter(writer, Math.abs(take))}`,
    skip === undefined ? '' : ` OFFSET ${parameter(writer, skip)}`,
  ]
  return { sql: sql.join(''), isReversed }
}

interface OrderedBy {
  column: Column
  isAscending: boolean
}

/** A part of a list without an order is ordered by the primary key, as Prisma does. */
function orderOf(model: Model, orderBy: unknown, isPart: boolean): OrderedBy[] {
  const given = orderBy === undefined ? [] : Array.isArray(orderBy) ? orderBy : [orderBy]
  const order = given.flatMap(entriesOf)
  const entries = order.length > 0 || !isPart ? order : model.primaryKey.map((name) => [name, 'asc'] as const)
  return entries.map(([name, direction]) => {
    const column = model.columns.get(name)
    if (!column || column.isList || !(direction === 'asc' || direction === 'desc')) throw new Unknown(`order ${name}`)
    return { column, isAscending: direction === 'asc' }
  })
}

interface Scope {
  conditions: string[]
  alias: string
  nesting: Nesting | null
}

/**
 * From the row of the cursor on. Prisma looks for that row in the table when the list is the whole answer and has a
 * unique order; otherwise among the rows of the list, so that a cursor of another list finds nothing.
 */
function cursorCondition(
  writer: Writer,
  model: Model,
  { cursor, where }: Part,
  { conditions, alias, nesting }: Scope,
  { order, isReversed }: { order: OrderedBy[]; isReversed: boolean },
): string {
  const [first] = order
  // One column; with more of them the comparison would be of rows, and no list has such an order.
  if (!first || order.length > 1 || !first.column.isRequired) throw new Unknown('cursor')
  const { name, sql } = first.column
  const isStable = model.keys.some((key) => key.length === 1 && key[0] === name)
  if (!isStable && !isUniqueWithin(model, name, where, nesting)) throw new Unknown('cursor')
  const inner = `c${alias}`
  const found = conditionsOf(writer, model, cursor, inner)
  if (nesting || !isStable) {
    const aliases = new RegExp(`\\b${alias}\\.`, 'g')
    found.push(...conditions.map((condition) => condition.replace(aliases, `${inner}.`)))
  }
  const at = `(SELECT ${inner}.${sql} FROM ${model.table} ${inner} WHERE ${found.join(' AND ')})`
  return `${alias}.${sql} ${first.isAscending !== isReversed ? '>=' : '<='} ${at}`
}

/** Whether the column is unique among the rows of a list that share a value in the other columns of a key. */
function isUniqueWithin(model: Model, name: string, where: unknown, nesting: Nesting | null): boolean {
  const fixed = new Set([name, ...fixedBy(where)])
  const isFixed = (field: string) => fixed.has(field) || nesting?.columns.has(model.columns.get(field)?.sql ?? '')
  return model.keys.some((key) => key.includes(name) && key.every(isFixed))
}

/** The columns that a `where` compares with one value. */
function fixedBy(where: unknown): string[] {
  if (where === undefined) return []
  return entriesOf(where).flatMap(([name, wanted]) => {
    if (name === 'AND') return (Array.isArray(wanted) ? wanted : [wanted]).flatMap(fixedBy)
    return typeof wanted === 'string' ? [name] : []
  })
}
