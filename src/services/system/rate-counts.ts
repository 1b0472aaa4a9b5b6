import type { Database } from '../../storage/database/client.ts'

const MINUTE_SECONDS = 60
/** Counts stop here, so that the column cannot overflow; far above every limit. */
const MAX_POINTS = 2_000_000_000

export interface RateCount {
  total: number
  secondsLeft: number
}

/** Adds to what all processes count of a key; its window begins with the first of it, by the database's clock. */
export async function addToCount(
  database: Pick<Database, '$queryRaw'>,
  key: string,
  points: number,
  windowSeconds: number,
): Promise<RateCount> {
  const [count] = await database.$queryRaw<RateCount[]>`
    INSERT INTO rate_count AS c (key, points, ends_at)
      VALUES (${key}, ${points}, now() + make_interval(secs => ${windowSeconds}))
    ON CONFLICT (key) DO UPDATE SET
      points = CASE WHEN c.ends_at > now() THEN least(${MAX_POINTS}, c.points::bigint + excluded.points) ELSE excluded.points END,
      ends_at = CASE WHEN c.ends_at > now() THEN c.ends_at ELSE excluded.ends_at END
    RETURNING points AS total, extract(epoch FROM ends_at - now())::float8 AS "secondsLeft"`
  if (!count) throw new Error('The database returned no count')
  return count
}

export async function resetCount(database: Pick<Database, '$executeRaw'>, key: string): Promise<void> {
  await database.$executeRaw`DELETE FROM rate_count WHERE key = ${key}`
}

/** Counts of rate limits that all API processes share, by the minute. */
export const sharedCounts = (database: Database) => ({
  add: (key: string, points: number): Promise<RateCount> => addToCount(database, key, points, MINUTE_SECONDS),
})
