import type { Database } from '../../storage/database/client.ts'

const BATCH = 10_000

/** Deletes counts of rate limits whose minute is over. */
export async function deleteOldCounts(database: Database): Promise<void> {
  // Skips rows that a request counts in, or another worker deletes.
  await database.$executeRaw`
    DELETE FROM rate_count WHERE ctid IN (
      SELECT ctid FROM rate_count WHERE ends_at < now() LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`
}
