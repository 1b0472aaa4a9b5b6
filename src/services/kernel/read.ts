import type { Database, Transaction } from '../../database/client.ts'
import type { Prisma } from '../../database/generated/prisma/client.ts'

type Models = Prisma.TypeMap['model']
export type ModelName = keyof Models
export type Row<Model extends ModelName> = Models[Model]['payload']['scalars']

type Columns = Readonly<Record<string, unknown>>

/** The fields that an API asks for, as Prisma's own `select` or `include`; every column where it names none. */
export interface Wanted {
  select?: Columns
  include?: Columns
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
  findMany(query: Query): Promise<never[]>
  findFirst(query: Query): Promise<never | null>
  findUnique(query: Query): Promise<never | null>
}

const delegateOf = (client: Database | Transaction, model: ModelName) =>
  (client as unknown as Record<string, Delegate>)[model.charAt(0).toLowerCase() + model.slice(1)] as Delegate

/**
 * Every list of both APIs is read here, and knows the fields that are wanted: what answers faster than Prisma takes its
 * place here, and nowhere else. Rows hold what was wanted, whatever their type says.
 */
export const findRows = <Model extends ModelName>(
  client: Database | Transaction,
  model: Model,
  query: Query,
): Promise<Row<Model>[]> => delegateOf(client, model).findMany(query)

/** The same for a single row; null when there is none. */
export const findRow = <Model extends ModelName>(
  client: Database | Transaction,
  model: Model,
  query: Query,
): Promise<Row<Model> | null> => delegateOf(client, model).findFirst(query)

/** The same by a unique key: those of one tick are read together. */
export const findByKey = <Model extends ModelName>(
  client: Database | Transaction,
  model: Model,
  query: Query,
): Promise<Row<Model> | null> => delegateOf(client, model).findUnique(query)

/** With columns that a decision needs, whether they are wanted or not. */
export const withColumns = (wanted: Wanted, ...columns: string[]): Wanted =>
  wanted.select
    ? { ...wanted, select: { ...wanted.select, ...Object.fromEntries(columns.map((name) => [name, true])) } }
    : wanted
