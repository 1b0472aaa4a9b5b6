import type { Transaction } from './client.ts'

/**
 * The database's time, which is that of its transaction when it is asked in one. Everything that is compared between
 * processes, expiry above all, goes by this: clocks of machines differ.
 */
export async function databaseTime(database: Pick<Transaction, '$queryRaw'>): Promise<Date> {
  const [row] = await database.$queryRaw<
    { epochMs: number }[]
  >`SELECT (extract(epoch FROM now()) * 1000)::float8 AS "epochMs"`
  if (!row) throw new Error('The database did not tell the time')
  return new Date(row.epochMs)
}
