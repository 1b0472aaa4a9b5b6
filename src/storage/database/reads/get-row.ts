import { type Connected, inTransaction } from './in-transaction.ts'
import { readerOf } from './reader.ts'
import type { Query } from './selection.ts'

/**
 * One row and its relations by one statement, so that all of it is of one moment; by Prisma where it is not known how.
 * Throws as Prisma does when there is no such row.
 */
export async function getRow<Row>(
  client: Connected,
  model: string,
  query: Query,
  viaPrisma: () => Promise<Row>,
): Promise<Row> {
  const reader = readerOf(client)
  const rows = reader
    ? await reader.findMany(model, query, async () => [(await viaPrisma()) as never])
    : await inTransaction(client, model, query)
  return (rows?.[0] as Row | undefined) ?? viaPrisma()
}
