import { z } from 'zod'
import { invalidField } from '../domain/errors.ts'

export const DEFAULT_LIMIT = 200
export const MAX_LIMIT = 1000

/** A slice of a list that is ordered by id: ids sort by creation, so a cursor is simply the last id seen. */
export interface PageRequest {
  limit?: number | undefined
  cursor?: string | undefined
}

export interface Page<Row> {
  rows: Row[]
  /** Null when nothing follows. */
  nextCursor: string | null
}

/** The orders that a list can have where a cursor is an id, as Prisma takes them. */
export type Order = { readonly id: 'asc' } | { readonly id: 'desc' }

interface Slice {
  take: number
  after: { id?: { gt?: string; lt?: string } }
}

/** Reads one row more than asked, to know whether there are more. `find` gets Prisma's take and where. */
export async function page<Row extends { id: string }>(
  { limit = DEFAULT_LIMIT, cursor }: PageRequest,
  find: (slice: Slice) => Promise<Row[]>,
  orderBy: Order,
): Promise<Page<Row>> {
  if (cursor !== undefined && !/^[a-z]{2,5}_[0-9a-z]{26}$/.test(cursor)) {
    throw invalidField('cursor', 'must be the nextCursor of an earlier answer')
  }
  const beyond = orderBy.id === 'asc' ? { gt: cursor } : { lt: cursor }
  const rows = await find({ take: limit + 1, after: cursor === undefined ? {} : { id: beyond } })
  const kept = rows.slice(0, limit)
  return { rows: kept, nextCursor: rows.length > limit ? (kept.at(-1)?.id ?? null) : null }
}

/** `{ <name>: [item], nextCursor? }`: the seed's envelope (§4.2), plus paging. */
export const listAnswer = <Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
  z.object({
    [name]: z.array(item).describe('Items of the page.'),
    nextCursor: z.string().optional().describe('Cursor of the next page; only present when there is one.'),
  } as { [Key in Name]: z.ZodArray<Item> } & { nextCursor: z.ZodOptional<z.ZodString> })

export function listOf<Name extends string, Row, Item>(name: Name, page: Page<Row>, record: (row: Row) => Item) {
  const items = { [name]: page.rows.map(record) } as { [Key in Name]: Item[] }
  return page.nextCursor === null ? items : { ...items, nextCursor: page.nextCursor }
}
