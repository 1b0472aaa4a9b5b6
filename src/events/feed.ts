import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Database } from '../database/client.ts'
import { DomainError, invalidField } from '../domain/errors.ts'
import { abortable } from './abortable.ts'
import { EventBuffer } from './buffer.ts'
import { cursorExpired } from './cursor.ts'
import type { RecordedEvent } from './event.ts'
import { expireEvents } from './expire.ts'
import type { Filter } from './ledger-reader.ts'
import { LOG_PAGE, ledgerMarks, readPage } from './log.ts'
import { createReaders } from './readers.ts'
import type { Wakeups } from './wakeups.ts'

const RETRY_MS = 500
const EXPIRE_EVERY_MS = 10 * 60_000
const MAX_BACKLOG_BYTES = 1024 * 1024

export interface FollowOptions {
  /** The last event that was seen. */
  after: bigint
  filter?: Filter
  signal?: AbortSignal | undefined
}

export interface EventFeed {
  /** The newest event's sequence; whoever starts there sees all that is recorded later. */
  head(ledgerId: string): Promise<bigint>
  /** The events after one, oldest first, a page of them. Throws CURSOR_EXPIRED when some of them are gone. */
  read(ledgerId: string, after: bigint): Promise<RecordedEvent[]>
  /** Every event after one, for as long as it is read: none lost, none twice, in the order of commit. */
  follow(ledgerId: string, options: FollowOptions): AsyncGenerator<RecordedEvent, void>
  close(): void
}

interface FeedOptions {
  database: Database
  wakeups: Wakeups
  config: Pick<Config, 'BERTH_EVENT_RETENTION_HOURS'>
  log: Logger
  maxBacklogBytes?: number
}

/** Reads the event log. NOTIFY makes it quick; looking once a second makes it certain. */
export function createEventFeed({ database, wakeups, config, log, ...options }: FeedOptions): EventFeed {
  const { maxBacklogBytes = MAX_BACKLOG_BYTES } = options
  const readers = createReaders(database, wakeups, log)
  const closing = new AbortController()
  const expiring = setInterval(() => {
    expireEvents(database, config.BERTH_EVENT_RETENTION_HOURS).catch((error) =>
      log.debug({ err: error }, 'Old events stay for now'),
    )
  }, EXPIRE_EVERY_MS).unref()

  async function* follow(ledgerId: string, after: bigint, filter: Filter, signal: AbortSignal) {
    const last = await requireKnown(database, ledgerId, after)
    let position = after
    if (after === last) readers.open(ledgerId, position)
    // Old events are read alone, page by page, however slowly; only what is new comes through the buffer.
    while (!readers.canJoin(ledgerId, position)) {
      const page = await untilAnswered(() => readPage(database, ledgerId, position), signal)
      for (const event of page) {
        position = event.sequence
        if (filter(event)) yield event
      }
      if (signal.aborted) return
      if (page.length < LOG_PAGE) readers.open(ledgerId, position)
    }
    // Nothing is awaited between the check and this: an event that came in then would be nobody's.
    const buffer = new EventBuffer(maxBacklogBytes)
    const leave = readers.join(ledgerId, { buffer, filter, after: position })
    try {
      while (!signal.aborted) {
        const event = buffer.shift()
        if (event) yield event
        else await buffer.wait(signal)
      }
    } finally {
      leave()
    }
  }

  return {
    head: async (ledgerId) => (await ledgerMarks(database, ledgerId)).last,
    async read(ledgerId, after) {
      await requireKnown(database, ledgerId, after)
      return readPage(database, ledgerId, after)
    },
    follow: (ledgerId, { after, filter = () => true, signal }) => {
      const until = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal
      return abortable(until, (left) => follow(ledgerId, after, filter, left))
    },
    close() {
      closing.abort()
      clearInterval(expiring)
      readers.close()
    },
  }
}

/** The ledger's last sequence. Throws for a cursor whose events are gone, or were never there. */
async function requireKnown(database: Database, ledgerId: string, after: bigint): Promise<bigint> {
  const { last, expired } = await ledgerMarks(database, ledgerId)
  if (after < expired) throw cursorExpired()
  if (after > last) throw invalidField('after', 'is not a cursor of these events')
  return last
}

/** A follower outlives a database that is away for a while. */
async function untilAnswered<T>(read: () => Promise<T[]>, signal: AbortSignal): Promise<T[]> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (signal.aborted) return []
      if (error instanceof DomainError) throw error
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }
}
