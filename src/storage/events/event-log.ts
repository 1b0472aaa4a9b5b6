import type { Database } from '../database/client.ts'
import { cursorExpired } from './cursor.ts'
import type { EventType, RecordedEvent } from './event.ts'

/** Events that one statement reads at most. */
export const LOG_PAGE = 500

/** Range of the events that are kept. Both are 0 for an event sequence without events. */
export async function eventSequenceBounds(
  database: Database,
  eventSequenceId: string,
): Promise<{ last: bigint; expired: bigint }> {
  const counters = await database.eventSequence.findUnique({ where: { id: eventSequenceId } })
  return { last: counters?.lastEventSequence ?? 0n, expired: counters?.expiredSequence ?? 0n }
}

export const lastSequences = (database: Database, eventSequenceIds: string[]) =>
  database.eventSequence.findMany({
    where: { id: { in: eventSequenceIds } },
    select: { id: true, lastEventSequence: true },
  })

/** The events right after one, oldest first. Throws CURSOR_EXPIRED when the first of them is gone. */
export async function readPage(database: Database, eventSequenceId: string, after: bigint): Promise<RecordedEvent[]> {
  const rows = await database.event.findMany({
    where: { eventSequenceId, sequence: { gt: after } },
    orderBy: { sequence: 'asc' },
    take: LOG_PAGE,
  })
  // Sequences have no gaps, so a page that begins later shows that its beginning has expired meanwhile.
  if (rows[0] && rows[0].sequence !== after + 1n)
    throw cursorExpired((await eventSequenceBounds(database, eventSequenceId)).last)
  return rows.map(({ type, payload, appId, appEnvId, operationId, ...row }) => ({
    ...row,
    type: type as EventType,
    payload: payload as Record<string, unknown>,
    appId: appId ?? undefined,
    appEnvId: appEnvId ?? undefined,
    operationId: operationId ?? undefined,
  }))
}
