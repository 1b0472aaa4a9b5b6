import type { Database } from '../../storage/database/client.ts'

const BATCH = 5_000
const MAX_BATCHES = 20

/** Deletes answers to idempotency keys after their retention. Returns how many. */
export async function deleteExpiredAnswers(database: Database): Promise<number> {
  let discarded = 0
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    // Skips rows that another worker is deleting or a request is renewing.
    const deleted = await database.$executeRaw`
      DELETE FROM idempotency_record WHERE ctid IN (
        SELECT ctid FROM idempotency_record WHERE expires_at < now() LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`
    discarded += deleted
    if (deleted < BATCH) break
  }
  return discarded
}
