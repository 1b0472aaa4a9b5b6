import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../database/client.ts'
import { invalidField } from '../domain/errors.ts'
import { EventBuffer } from './buffer.ts'
import { cursorExpired } from './cursor.ts'
import type { EventType, RecordedEvent } from './event.ts'
import { type Filter, LedgerReader } from './ledger-reader.ts'
import type { Wakeups } from './wakeups.ts'

/** A lost hint costs at most this much. */
const LOOK_AGAIN_MS = 1_000
const RETRY_MS = 500
const PAGE_SIZE = 500
const MAX_BACKLOG_BYTES = 1024 * 1024

export interface FollowOptions {
  /** The last event that was seen. */
  after: bigint
  filter?: Filter
  signal?: AbortSignal | undefined
}

export interface EventFeed {
  /** The newest event's sequence; a reader who starts there sees all that is recorded later. */
  head(ledgerId: string): Promise<bigint>
  /** The events after one, oldest first, a page of them. Throws CURSOR_EXPIRED when some of them are gone. */
  read(ledgerId: string, after: bigint): Promise<RecordedEvent[]>
  /** Every event after one, for as long as it is read: none lost, none twice, in the order of commit. */
  follow(ledgerId: string, options: FollowOptions): AsyncGenerator<RecordedEvent, void>
  close(): Promise<void>
}

interface FeedOptions {
  database: Database
  wakeups: Wakeups
  log: Logger
  maxBacklogBytes?: number
}

/** Reads the event log. NOTIFY makes it quick; looking once a second makes it certain. */
export function createEventFeed({ database, wakeups, log, maxBacklogBytes = MAX_BACKLOG_BYTES }: FeedOptions): EventFeed {
  const readers = new Map<string, { reader: LedgerReader; stop: () => void }>()
  const closing = new AbortController()
  let polling: Promise<void> | null = null

  const look = (reader: LedgerReader) =>
    reader.look().catch((error) => log.debug({ err: error }, 'The event log could not be read; trying again'))

  function readerOf(ledgerId: string, position: bigint): LedgerReader {
    const known = readers.get(ledgerId)
    if (known) return known.reader
    const source = { read: (after: bigint) => readPage(database, ledgerId, after), pageSize: PAGE_SIZE }
    const reader = new LedgerReader(source, position)
    readers.set(ledgerId, { reader, stop: wakeups.on(ledgerId, () => void look(reader)) })
    polling ??= poll().finally(() => {
      polling = null
    })
    return reader
  }

  /** One statement for all ledgers that somebody follows, however many. */
  async function poll(): Promise<void> {
    while (readers.size > 0 && !closing.signal.aborted) {
      await sleep(LOOK_AGAIN_MS, undefined, { signal: closing.signal }).catch(() => {})
      const ids = [...readers.keys()]
      const rows = await database.ledger
        .findMany({ where: { id: { in: ids } }, select: { id: true, lastEventSequence: true } })
        .catch(() => [])
      for (const { id, lastEventSequence } of rows) {
        const reader = readers.get(id)?.reader
        if (reader && lastEventSequence > reader.position) void look(reader)
      }
    }
  }

  function leave(ledgerId: string, detach: () => void): void {
    detach()
    const known = readers.get(ledgerId)
    if (!known?.reader.isIdle) return
    known.stop()
    readers.delete(ledgerId)
  }

  async function* follow(ledgerId: string, { after, filter = () => true, signal }: FollowOptions) {
    const until = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal
    await requireKnown(database, ledgerId, after)
    let position = after
    for (;;) {
      // Nothing may happen between the two: an event that came in then would be nobody's.
      const known = readers.get(ledgerId)?.reader
      if (!known || known.position <= position) break
      for (const event of await untilAnswered(() => readPage(database, ledgerId, position), until)) {
        position = event.sequence
        if (filter(event)) yield event
      }
      if (until.aborted) return
    }
    const reader = readerOf(ledgerId, position)
    const buffer = new EventBuffer(maxBacklogBytes)
    const detach = reader.attach({ buffer, filter, after: position })
    try {
      void look(reader)
      while (!until.aborted) {
        const event = buffer.shift()
        if (event) yield event
        else await buffer.wait(until)
      }
    } finally {
      leave(ledgerId, detach)
    }
  }

  return {
    head: async (ledgerId) => (await ledgerOf(database, ledgerId)).last,
    async read(ledgerId, after) {
      await requireKnown(database, ledgerId, after)
      return readPage(database, ledgerId, after)
    },
    follow,
    async close() {
      closing.abort()
      for (const { stop } of readers.values()) stop()
      await polling
    },
  }
}

async function ledgerOf(database: Database, ledgerId: string) {
  const ledger = await database.ledger.findUnique({ where: { id: ledgerId } })
  return { last: ledger?.lastEventSequence ?? 0n, expired: ledger?.expiredSequence ?? 0n }
}

async function requireKnown(database: Database, ledgerId: string, after: bigint): Promise<void> {
  const { last, expired } = await ledgerOf(database, ledgerId)
  if (after < expired) throw cursorExpired()
  if (after > last) throw invalidField('after', 'is not a cursor of these events')
}

async function readPage(database: Database, ledgerId: string, after: bigint): Promise<RecordedEvent[]> {
  const rows = await database.event.findMany({
    where: { ledgerId, sequence: { gt: after } },
    orderBy: { sequence: 'asc' },
    take: PAGE_SIZE,
  })
  // Sequences have no gaps, so a page that begins later shows that its beginning has expired meanwhile.
  if (rows[0] && rows[0].sequence !== after + 1n) throw cursorExpired()
  return rows.map(({ type, payload, appId, appEnvId, operationId, ...row }) => ({
    ...row,
    type: type as EventType,
    payload: payload as Record<string, unknown>,
    appId: appId ?? undefined,
    appEnvId: appEnvId ?? undefined,
    operationId: operationId ?? undefined,
  }))
}

/** A follower outlives a database that is away for a while. */
async function untilAnswered(read: () => Promise<RecordedEvent[]>, signal: AbortSignal): Promise<RecordedEvent[]> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (signal.aborted) return []
      if (error instanceof Error && error.name === 'DomainError') throw error
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }
}
