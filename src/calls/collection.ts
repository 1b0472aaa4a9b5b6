import type { Database } from '../storage/database/client.ts'
import type { Caller } from './caller.ts'
import { type Order, type Page, type PageRequest, page } from './page.ts'
import { findRows, type ModelName, type Row, type Slice, type Wanted, withColumns } from './read.ts'

interface Collected<Model extends ModelName, Filter> {
  model: Model
  orderBy: object
  /** Which rows the caller may see of those that the filter names. Throws when they may see none. */
  scope(database: Database, caller: Caller, filter: Filter): Promise<object>
}

/** A list of a noun, whose rows are chosen and ordered alike in both APIs. */
export const collection = <Model extends ModelName, Filter>({ model, orderBy, scope }: Collected<Model, Filter>) => ({
  /** A page after a cursor, which is an id. */
  async list(
    database: Database,
    caller: Caller,
    filter: Filter,
    request: PageRequest,
    wanted: Wanted = {},
  ): Promise<Page<Row<Model> & { id: string }>> {
    const where = await scope(database, caller, filter)
    return page(
      request,
      ({ take, after }) =>
        findRows(database, model, {
          ...withColumns(wanted, 'id'),
          where: { AND: [where, after] },
          take,
          orderBy,
        }) as Promise<(Row<Model> & { id: string })[]>,
      orderBy as Order,
    )
  },

  /** The slice that a connection asks for. */
  async slice(database: Database, caller: Caller, filter: Filter, slice: Slice): Promise<Row<Model>[]> {
    const where = await scope(database, caller, filter)
    return findRows(database, model, { ...slice, where, orderBy })
  },
})
