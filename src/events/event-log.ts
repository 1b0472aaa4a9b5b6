import type { Database } from '../database/client.ts'
import { cursorExpired } from './cursor.ts'
import type { EventType, RecordedEvent } from './event.ts'

/** Events that one statement reads at most. */
export const LOG_PAGE = 500

/** From where to where a ledger's events are kept. One that nothing was ever recorded in has none. */
export async function eventSequenceMarks(
  database: Database,
  ledgerId: string,
): Promise<{ last: bigint; expired: bigint }> {
  const ledger = await database.ledger.findUnique({ where: { id: ledgerId } })
  return { last: ledger?.lastEventSequence ?? 0n, expired: ledger?.expiredSequence ?? 0n }
}

export const lastSequences = (database: Database, ledgerIds: string[]) =>
  database.ledger.findMany({ where: { id: { in: ledgerIds } }, select: { id: true, lastEventSequence: true } })

/** The events right after one, oldest first. Throws CURSOR_EXPIRED when the first of them is gone. */
export async function readPage(database: Database, ledgerId: string, after: bigint): Promise<RecordedEvent[]> {
  const rows = await database.event.findMany({
    where: { ledgerId, sequence: { gt: after } },
    orderBy: { sequence: 'asc' },
    take: LOG_PAGE,
  })
  // Sequences have no gaps, so a page that begins later shows that its beginning has expired meanwhile.
  if (rows[0] && rows[0].sequence !== after + 1n)
    throw cursorExpired((await eventSequenceMarks(database, ledgerId)).last)
  return rows.map(({ type, payload, appId, appEnvId, operationId, ...row }) => ({
    ...row,
    type: type as EventType,
    payload: payload as Record<string, unknown>,
    appId: appId ?? undefined,
    appEnvId: appEnvId ?? undefined,
    operationId: operationId ?? undefined,
  }))
}
