import type { UsageKind } from '../../domain/usage-interval.ts'
import { type PricedUsage, priced, type UsedParts } from '../../domain/usage-price.ts'
import type { Transaction } from '../database/client.ts'

export interface UsageRange {
  accountId: string
  from: Date
  to: Date
}

type Reader = Pick<Transaction, '$queryRaw' | 'usagePrice'>

/** What an account used from one time to another, by environment, kind and day (UTC), with its price. */
export async function readUsage(database: Reader, range: UsageRange): Promise<PricedUsage[]> {
  const prices = await database.usagePrice.findMany({ where: { accountId: range.accountId }, orderBy: { day: 'asc' } })
  return priced(await readParts(database, range), prices)
}

interface Row extends Omit<UsedParts, 'parts' | 'kind'> {
  kind: UsageKind
  parts: string
}

/** Milliseconds are counted as whole numbers: nothing is rounded. */
async function readParts(database: Reader, { accountId, from, to }: UsageRange): Promise<UsedParts[]> {
  const rows = await database.$queryRaw<Row[]>`
    SELECT to_char(day, 'YYYY-MM-DD') AS day, app_id AS "appId", app_env_id AS "appEnvId", kind::text AS kind,
      (array_agg(env_name ORDER BY id DESC))[1] AS "envName",
      sum(amount * (extract(epoch FROM ends - begins) * 1000)::bigint)::text AS parts
    FROM (
      SELECT i.*, day,
        greatest(i.started_at, ${from}::timestamptz, day AT TIME ZONE 'UTC') AS begins,
        least(i.until, ${to}::timestamptz, (day + interval '1 day') AT TIME ZONE 'UTC') AS ends
      FROM usage_interval i, generate_series(
        date_trunc('day', greatest(i.started_at, ${from}::timestamptz) AT TIME ZONE 'UTC'),
        least(i.until, ${to}::timestamptz) AT TIME ZONE 'UTC', interval '1 day') AS day
      WHERE i.account_id = ${accountId} AND i.until > ${from} AND i.started_at < ${to}) AS parts
    WHERE ends > begins
    GROUP BY day, app_id, app_env_id, kind ORDER BY day, app_env_id, kind`
  return rows.map(({ parts, ...row }) => ({ ...row, parts: BigInt(parts) }))
}
