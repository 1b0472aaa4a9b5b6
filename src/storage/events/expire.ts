import type { Database } from '../database/client.ts'

const BATCH = 5_000
const MAX_BATCHES = 200

interface Stale {
  eventSequenceId: string
  upTo: bigint
}

/**
 * Deletes events past the retention, in bounded batches, and records up to where: a cursor before that is refused,
 * instead of skipping what is gone. Uses the database's clock. Returns the number of deleted events.
 */
export async function expireEvents(database: Database, retentionHours: number): Promise<number> {
  let removed = 0
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const [stale] = await database.$queryRaw<Stale[]>`
      SELECT event_sequence_id AS "eventSequenceId", max(sequence) AS "upTo" FROM (
        SELECT event_sequence_id, sequence FROM event WHERE created_at < now() - make_interval(hours => ${retentionHours})
        ORDER BY event_sequence_id, sequence LIMIT ${BATCH}) AS oldest
      GROUP BY event_sequence_id LIMIT 1`
    if (!stale) break
    removed += await expireSequence(database, stale)
  }
  return removed
}

/** The mark is set first and in the same transaction: a reader never finds a gap that is not explained. */
async function expireSequence(database: Database, { eventSequenceId, upTo }: Stale): Promise<number> {
  const [, { count }] = await database.$transaction([
    database.eventSequence.update({ where: { id: eventSequenceId }, data: { expiredSequence: upTo } }),
    database.event.deleteMany({ where: { eventSequenceId, sequence: { lte: upTo } } }),
  ])
  return count
}
