import { z } from 'zod'
import { invalidField } from '../domain/errors.ts'

export const DEFAULT_LIMIT = 200
export const MAX_LIMIT = 1000

/** How far the items of a list are counted: that takes as long as reading them. */
export const MAX_COUNT = 100_000

/** A page of a list; a cursor is the id of the last item seen, whatever the order. */
export interface PageRequest {
  limit?: number | undefined
  cursor?: string | undefined
}

export interface Page<Row> {
  rows: Row[]
  /** Null when nothing follows. */
  nextCursor: string | null
}

/** Throws for what is no cursor of a list whose cursors are ids. */
export function checkCursor(cursor: string): void {
  if (!/^[a-z]{2,5}_[0-9a-z]{26}$/.test(cursor))
    throw invalidField('cursor', 'must be the nextCursor of an earlier answer')
}

/** A page of rows of which one more was read than asked, to know whether there are more. */
export function pageOf<Row>(rows: Row[], limit: number, cursorOf: (row: Row) => string): Page<Row> {
  const kept = rows.slice(0, limit)
  const last = kept.at(-1)
  return { rows: kept, nextCursor: last !== undefined && rows.length > limit ? cursorOf(last) : null }
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
