import type { Database, Transaction } from '../storage/database/client.ts'
import type { Prisma } from '../storage/database/generated/prisma/client.ts'
import { type FindMany, readerOf } from '../storage/database/reads/reader.ts'
import type { WantedText } from '../storage/database/reads/row-text.ts'

type Models = Prisma.TypeMap['model']
export type ModelName = keyof Models
export type Row<Model extends ModelName> = Models[Model]['payload']['scalars']

type Columns = Readonly<Record<string, unknown>>

/** The fields that an API asks for, as Prisma's own `select` or `include`; every column where it names none. */
export interface Wanted {
  select?: Columns
  include?: Columns
  /** What an answer has of the rows, where that is a text that the database can write: they may come as RowText. */
  text?: WantedText
}

/** A part of a list, as connections name it, and what is wanted of its rows. */
export interface Slice extends Wanted {
  take?: number
  skip?: number
  cursor?: object
}

interface Query extends Slice {
  where: object
  orderBy?: object
}

interface Delegate {
  count(query: { where: object; take: number }): Promise<number>
  findMany(query: Query): Promise<never[]>
  findFirst(query: Query): Promise<never | null>
}

const delegateOf = (client: Database | Transaction, model: ModelName) =>
  (client as unknown as Record<string, Delegate>)[model.charAt(0).toLowerCase() + model.slice(1)] as Delegate

/**
 * Every list of both APIs is read here, and knows the fields that are wanted: by the reader, except in a transaction.
 * Rows hold what was wanted, whatever their type says.
 */
export function findRows<Model extends ModelName>(
  client: Database | Transaction,
  model: Model,
  query: Query,
): Promise<Row<Model>[]> {
  const { text: _text, ...plain } = query
  const viaPrisma = () => delegateOf(client, model).findMany(plain)
  return (readerOf(client)?.findMany(model, query, viaPrisma) ?? viaPrisma()) as Promise<Row<Model>[]>
}

/** How many rows there are, counted to `most`. */
export const countRows = (
  client: Database | Transaction,
  model: ModelName,
  where: object,
  most: number,
): Promise<number> => delegateOf(client, model).count({ where, take: most })

/** The same as `findRows` for a single row; null when there is none. */
export async function findRow<Model extends ModelName>(
  client: Database | Transaction,
  model: Model,
  query: Query,
): Promise<Row<Model> | null> {
  if (!readerOf(client)) return delegateOf(client, model).findFirst(query)
  const [row] = await findRows(client, model, { ...query, take: 1 })
  return row ?? null
}

/**
 * The same by a column or columns that are unique: those of one tick are read together. Never by Prisma's findUnique: when the
 * cursor of a list within the row is of another list, it finds rows, or none where two rows are looked for in one tick.
 */
export function findByKey<Model extends ModelName>(
  client: Database | Transaction,
  model: Model,
  query: Query,
): Promise<Row<Model> | null> {
  const delegate = delegateOf(client, model)
  const viaPrisma: FindMany = (asked) => delegate.findMany(asked as Query)
  const row = readerOf(client)?.findByKey(model, query, viaPrisma) ?? delegate.findFirst(query)
  return row as Promise<Row<Model> | null>
}

/** With columns that a decision needs, whether they are wanted or not. */
export const withColumns = (wanted: Wanted, ...columns: string[]): Wanted =>
  wanted.select
    ? { ...wanted, select: { ...wanted.select, ...Object.fromEntries(columns.map((name) => [name, true])) } }
    : wanted
