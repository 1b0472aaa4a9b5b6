import type { z } from 'zod'
import { invalidField } from '../domain/errors.ts'
import type { Database } from '../storage/database/client.ts'
import type { Caller } from './caller.ts'
import { conditionsOf, type Given, type ListFilters } from './filters.ts'
import { BY_AGE, type OrderBy, type Orders } from './order.ts'
import { checkCursor, DEFAULT_LIMIT, MAX_COUNT, type Page, type PageRequest, pageOf } from './page.ts'
import { countRows, findRow, findRows, type ModelName, type Row, type Slice, type Wanted, withColumns } from './read.ts'

interface Collected<Model extends ModelName, Filter, Filters extends ListFilters> {
  model: Model
  /** Newest first and oldest first, where nothing else is said. */
  orders?: Orders
  filters?: Filters
  /** The column that cursors are made of: `id`, where nothing else is said. */
  key?: string
  /** Which rows the caller may see of those that the filter names. Throws when they may see none. */
  scope(database: Database, caller: Caller, filter: Filter): Promise<object>
}

interface Ordered {
  orderBy?: string | undefined
}

/** Input of every list: its filters and its order. */
export type ListInput<Filters extends ListFilters> = { [Name in keyof Filters]: Filters[Name]['type'] } & {
  orderBy: z.ZodDefault<z.ZodEnum<Record<string, string>>>
}

/** A list of a noun, whose rows are filtered and ordered alike in all APIs. */
export const collection = <
  Model extends ModelName,
  Filter,
  const Filters extends ListFilters = Readonly<Record<never, never>>,
>({
  model,
  orders = BY_AGE,
  filters = {} as Filters,
  key = 'id',
  scope,
}: Collected<Model, Filter, Filters>) => {
  type Asked = Filter & Given<Filters> & Ordered

  const orderOf = ({ orderBy }: Ordered): OrderBy => {
    const { by } = orders
    return (orderBy === undefined ? undefined : by[orderBy]) ?? (Object.values(by)[0] as OrderBy)
  }

  const whereOf = async (database: Database, caller: Caller, asked: Asked): Promise<object> => {
    const where = await scope(database, caller, asked)
    const conditions = conditionsOf(filters, asked, where)
    return conditions.length > 0 ? { AND: [where, ...conditions] } : where
  }

  return {
    input: {
      ...Object.fromEntries(Object.entries(filters).map(([name, { type }]) => [name, type])),
      orderBy: orders.enumeration.type
        .default(Object.keys(orders.by)[0] as string)
        .describe(orders.enumeration.description),
    } as unknown as ListInput<Filters>,

    /** A page after a cursor, which is an id. */
    async list(
      database: Database,
      caller: Caller,
      asked: Asked,
      { limit = DEFAULT_LIMIT, cursor }: PageRequest,
      wanted: Wanted = {},
    ): Promise<Page<Row<Model>>> {
      if (cursor !== undefined) checkCursor(cursor)
      const where = await whereOf(database, caller, asked)
      const orderBy = orderOf(asked)
      const after = cursor === undefined ? {} : await beyond(database, model, orderBy, { [key]: cursor }, false)
      const query = { ...withColumns(wanted, key), where: { AND: [where, after] }, take: limit + 1, orderBy }
      return pageOf(await findRows(database, model, query), limit, (row) =>
        String((row as Record<string, unknown>)[key]),
      )
    },

    /** The slice that a connection asks for. */
    async slice(database: Database, caller: Caller, asked: Asked, slice: Slice): Promise<Row<Model>[]> {
      const where = await whereOf(database, caller, asked)
      const orderBy = orderOf(asked)
      const { cursor, skip, ...part } = slice
      const id = (cursor as { id?: string } | undefined)?.id
      if (id === undefined) return findRows(database, model, { ...slice, where, orderBy })
      const after = await beyond(database, model, orderBy, { id }, (slice.take ?? 0) < 0)
      return findRows(database, model, { ...part, where: { AND: [where, after] }, orderBy })
    },

    /** How many rows there are in all pages together, counted to `MAX_COUNT`. */
    count: async (database: Database, caller: Caller, asked: Asked): Promise<number> =>
      countRows(database, model, await whereOf(database, caller, asked), MAX_COUNT),
  }
}

/**
 * The rows that follow one row in an order; those before it, when the list is read backwards. A condition, and not
 * Prisma's cursor: that one loses a row when the row of the cursor no longer passes the filters.
 */
async function beyond(
  database: Database,
  model: ModelName,
  orderBy: OrderBy,
  at: Readonly<Record<string, string>>,
  isBackwards: boolean,
): Promise<object> {
  const columns = orderBy.flatMap((one) => Object.entries(one))
  const select = Object.fromEntries(columns.map(([name]) => [name, true]))
  const isKnown = Object.keys(select).every((name) => name in at)
  const row = isKnown ? at : await findRow(database, model, { where: at, select })
  // An empty page would look like the end of the list.
  if (!row) throw invalidField('cursor', 'names an item that is gone; start at the first page again')
  const [[first, direction] = ['id', 'desc'], [second] = []] = columns
  const values = row as Readonly<Record<string, unknown>>
  const isUp = (direction === 'asc') !== isBackwards
  const strictly = (name: string) => ({ [name]: { [isUp ? 'gt' : 'lt']: values[name] } })
  if (second === undefined) return strictly(first)
  // The first condition is what an index can begin at.
  const from = { [first]: { [isUp ? 'gte' : 'lte']: values[first] } }
  return { AND: [from, { OR: [strictly(first), { [first]: values[first], ...strictly(second) }] }] }
}
