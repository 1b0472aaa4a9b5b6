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
import { type Filter, LedgerReader } from './ledger-reader.ts'
import { LOG_PAGE, lastSequences, ledgerMarks, readPage } from './log.ts'
import type { Wakeups } from './wakeups.ts'

/** A lost hint costs at most this much. */
const LOOK_AGAIN_MS = 1_000
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
    expireEvents(database, config.BERTH_EVENT_RETENTION_HOURS).catch((error) => log.debug({ err: error }, 'Old events stay for now'))
  }, EXPIRE_EVERY_MS).unref()

  async function* follow(ledgerId: string, after: bigint, filter: Filter, signal: AbortSignal) {
    await requireKnown(database, ledgerId, after)
    let position = after
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

type Follower = Parameters<LedgerReader['attach']>[0]

/** One reader for each ledger that somebody follows. */
function createReaders(database: Database, wakeups: Wakeups, log: Logger) {
  const open = new Map<string, { reader: LedgerReader; stop: () => void }>()
  const timer = setInterval(() => void lookWhereBehind(), LOOK_AGAIN_MS).unref()

  async function look(ledgerId: string, reader: LedgerReader): Promise<void> {
    try {
      await reader.look()
    } catch (error) {
      if (!(error instanceof DomainError)) return log.debug({ err: error }, 'The event log could not be read; trying again')
      // The reader was kept from the log for longer than events are kept.
      reader.failAll(error)
      close(ledgerId)
    }
  }

  /** One statement for all ledgers, however many are followed. */
  async function lookWhereBehind(): Promise<void> {
    if (open.size === 0) return
    const last = await lastSequences(database, [...open.keys()]).catch(() => [])
    for (const { id, lastEventSequence } of last) {
      const reader = open.get(id)?.reader
      if (reader && lastEventSequence > reader.position) void look(id, reader)
    }
  }

  function close(ledgerId: string): void {
    open.get(ledgerId)?.stop()
    open.delete(ledgerId)
  }

  return {
    canJoin(ledgerId: string, position: bigint): boolean {
      const known = open.get(ledgerId)
      return known !== undefined && known.reader.position <= position
    },
    open(ledgerId: string, position: bigint): void {
      if (open.has(ledgerId)) return
      const source = { read: (after: bigint) => readPage(database, ledgerId, after), pageSize: LOG_PAGE }
      const reader = new LedgerReader(source, position)
      open.set(ledgerId, { reader, stop: wakeups.on(ledgerId, () => void look(ledgerId, reader)) })
    },
    join(ledgerId: string, follower: Follower): () => void {
      const { reader } = open.get(ledgerId) as { reader: LedgerReader }
      const detach = reader.attach(follower)
      void look(ledgerId, reader)
      return () => {
        detach()
        if (reader.isIdle && open.get(ledgerId)?.reader === reader) close(ledgerId)
      }
    },
    close() {
      clearInterval(timer)
      for (const ledgerId of [...open.keys()]) close(ledgerId)
    },
  }
}

async function requireKnown(database: Database, ledgerId: string, after: bigint): Promise<void> {
  const { last, expired } = await ledgerMarks(database, ledgerId)
  if (after < expired) throw cursorExpired()
  if (after > last) throw invalidField('after', 'is not a cursor of these events')
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
