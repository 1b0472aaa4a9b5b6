import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Database } from '../database/client.ts'
import { EventBuffer } from './buffer.ts'
import { cancellable } from './cancellable-generator.ts'
import { cursorExpired, unknownCursor } from './cursor.ts'
import type { RecordedEvent } from './event.ts'
import { eventSequenceBounds, LOG_PAGE, readPage } from './event-log.ts'
import type { Filter } from './event-sequence-reader.ts'
import { createReaders } from './readers.ts'
import type { Wakeups } from './wakeups.ts'

const RETRY_MS = 500
const EXPIRE_EVERY_MS = 10 * 60_000

export interface FollowOptions {
  /** The last event that was seen. */
  after: bigint
  filter?: Filter
  /** Called at once when the reader is dropped for reading too slowly; its next read throws TOO_SLOW. */
  onTooSlow?: (() => void) | undefined
}

export interface EventFeed {
  /** Sequence of the newest event; a follower that starts there gets everything recorded later. */
  head(eventSequenceId: string): Promise<bigint>
  /** The events after one, oldest first, a page of them. Throws CURSOR_EXPIRED when some of them are gone. */
  read(eventSequenceId: string, after: bigint): Promise<RecordedEvent[]>
  /** Every event after one, for as long as it is read: none lost, none twice, in the order of commit. */
  follow(eventSequenceId: string, options: FollowOptions): AsyncGenerator<RecordedEvent, void>
  close(): void
}

interface FeedOptions {
  database: Database
  wakeups: Wakeups
  config: Pick<Config, 'BERTH_EVENT_RETENTION_HOURS' | 'BERTH_SUBSCRIBER_BACKLOG_KB'>
  log: Logger
}

/** Reads the event log. NOTIFY makes it fast; polling once a second makes it reliable. */
export function createEventFeed({ database, wakeups, config, log }: FeedOptions): EventFeed {
  const maxBacklogBytes = config.BERTH_SUBSCRIBER_BACKLOG_KB * 1024
  const readers = createReaders(database, wakeups, log)
  const followers = new Set<EventBuffer>()
  const expiring = setInterval(() => {
    expireEvents(database, config.BERTH_EVENT_RETENTION_HOURS).catch((error) =>
      log.debug({ err: error }, 'Deleting expired events failed; it is retried'),
    )
  }, EXPIRE_EVERY_MS).unref()

  async function* follow(eventSequenceId: string, after: bigint, filter: Filter, buffer: EventBuffer) {
    followers.add(buffer)
    let leave = () => {}
    try {
      let position = after
      // A follower at the shared reader's position needs no query, however many there are.
      if (!readers.isAt(eventSequenceId, after) && after === (await requireKnown(database, eventSequenceId, after)))
        readers.open(eventSequenceId, position)
      // Old events are read alone, page by page, however slowly; only what is new comes through the buffer.
      while (!readers.canJoin(eventSequenceId, position)) {
        const page = await untilAnswered(() => readPage(database, eventSequenceId, position), buffer)
        for (const event of page) {
          position = event.sequence
          if (filter(event)) yield event
        }
        if (buffer.hasEnded) return
        if (page.length < LOG_PAGE) readers.open(eventSequenceId, position)
      }
      // Nothing is awaited between the check and this: an event that came in then would be lost.
      leave = readers.join(eventSequenceId, { buffer, filter, after: position })
      while (!buffer.hasEnded) {
        const event = buffer.shift()
        if (event) yield event
        else await buffer.wait()
      }
    } finally {
      leave()
      followers.delete(buffer)
    }
  }

  return {
    head: async (eventSequenceId) => (await eventSequenceBounds(database, eventSequenceId)).last,
    async read(eventSequenceId, after) {
      await requireKnown(database, eventSequenceId, after)
      return readPage(database, eventSequenceId, after)
    },
    follow: (eventSequenceId, { after, filter = () => true, onTooSlow = () => {} }) => {
      const buffer = new EventBuffer(maxBacklogBytes, onTooSlow)
      return cancellable(follow(eventSequenceId, after, filter, buffer), () => buffer.end())
    },
    close() {
      for (const buffer of [...followers]) buffer.end()
      clearInterval(expiring)
      readers.close()
    },
  }
}

/** The last sequence. Throws for a cursor whose events are gone or never existed. */
async function requireKnown(database: Database, eventSequenceId: string, after: bigint): Promise<bigint> {
  const { last, expired } = await eventSequenceBounds(database, eventSequenceId)
  if (after < expired) throw cursorExpired(last)
  if (after > last) throw unknownCursor()
  return last
}

/** A follower outlives a database that is away for a while. */
async function untilAnswered<T>(read: () => Promise<T[]>, buffer: EventBuffer): Promise<T[]> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (buffer.hasEnded) return []
      if (error instanceof DomainError) throw error
      await sleep(RETRY_MS)
    }
  }
}

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
