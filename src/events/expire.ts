import type { Database } from '../database/client.ts'

/**
 * Forgets events older than the retention, ledger by ledger, and remembers up to where: a cursor before that
 * is refused instead of skipping what is gone. Returns how many events were removed.
 */
export async function expireEvents(database: Database, retentionHours: number): Promise<number> {
  const before = new Date(Date.now() - retentionHours * 3_600_000)
  const stale = await database.event.groupBy({
    by: ['ledgerId'],
    where: { createdAt: { lt: before } },
    _max: { sequence: true },
  })
  let removed = 0
  for (const { ledgerId, _max } of stale) {
    if (_max.sequence === null) continue
    removed += await expireLedger(database, ledgerId, _max.sequence)
  }
  return removed
}

/** The mark is set first and in the same transaction: a reader never finds a gap that is not explained. */
async function expireLedger(database: Database, ledgerId: string, upTo: bigint): Promise<number> {
  const [, { count }] = await database.$transaction([
    database.ledger.update({ where: { id: ledgerId }, data: { expiredSequence: upTo } }),
    database.event.deleteMany({ where: { ledgerId, sequence: { lte: upTo } } }),
  ])
  return count
}
