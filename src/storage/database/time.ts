import type { Transaction } from './client.ts'

/**
 * The database's time; inside a transaction, the time of its start. All times that processes compare, above all expiry,
 * use it: the clocks of machines differ.
 */
export async function databaseTime(database: Pick<Transaction, '$queryRaw'>): Promise<Date> {
  const [row] = await database.$queryRaw<
    { epochMs: number }[]
  >`SELECT (extract(epoch FROM now()) * 1000)::float8 AS "epochMs"`
  if (!row) throw new Error('The database returned no time')
  return new Date(row.epochMs)
}

/**
 * The second that has begun by the database's time. Columns of whole seconds would round half of all times up, into the
 * future, where a query for everything until now does not find them.
 */
export async function databaseSecond(database: Pick<Transaction, '$queryRaw'>): Promise<Date> {
  const now = await databaseTime(database)
  now.setUTCMilliseconds(0)
  return now
}
