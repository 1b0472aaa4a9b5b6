import { z } from 'zod'
import type { Page } from './page.ts'

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
