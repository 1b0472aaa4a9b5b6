import type { Config } from '../config.ts'
import type { Database } from '../database/client.ts'

/** Held by one worker at a time; of no account, so any number will do as long as nothing else uses it. */
const RETENTION_LOCK = 7_236_784_101

const BATCH = 5_000
const MOST_BATCHES = 20

/** Deletes what was promised to be kept for a time and has been: answers to idempotency keys, and events. */
export async function discardExpired(database: Database, config: Config): Promise<void> {
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    const deleted = await database.$transaction(async (tx) => {
      const [lock] = await tx.$queryRaw<
        { held: boolean }[]
      >`SELECT pg_try_advisory_xact_lock(${RETENTION_LOCK}::bigint) AS held`
      if (!lock?.held) return 0
      const records = await tx.$executeRaw`
        DELETE FROM idempotency_record WHERE ctid IN (
          SELECT ctid FROM idempotency_record WHERE expires_at < now() LIMIT ${BATCH})`
      return Math.max(records, await discardEvents(tx, config.BERTH_EVENT_RETENTION_HOURS))
    })
    if (deleted < BATCH) return
  }
}

/**
 * The oldest events of each ledger, without a gap, and in the same moment the mark below which a cursor is told that
 * it has expired. The newest event of a ledger is kept, so that a reader at the end never finds itself expired.
 */
async function discardEvents(tx: Pick<Database, '$queryRaw'>, hours: number): Promise<number> {
  const [row] = await tx.$queryRaw<{ deleted: number }[]>`
    WITH expired AS (
      SELECT e.ledger_id, e.sequence FROM event e JOIN ledger l ON l.id = e.ledger_id
      WHERE e.created_at < now() - make_interval(hours => ${hours}::int) AND e.sequence < l.last_event_sequence
      ORDER BY e.ledger_id, e.sequence LIMIT ${BATCH}
    ), deleted AS (
      DELETE FROM event e USING expired x WHERE e.ledger_id = x.ledger_id AND e.sequence = x.sequence
      RETURNING e.ledger_id, e.sequence
    ), mark AS (
      UPDATE ledger l SET expired_sequence = GREATEST(l.expired_sequence, d.newest)
      FROM (SELECT ledger_id, max(sequence) AS newest FROM deleted GROUP BY ledger_id) d WHERE l.id = d.ledger_id
    ) SELECT count(*)::int AS deleted FROM deleted`
  return row?.deleted ?? 0
}
