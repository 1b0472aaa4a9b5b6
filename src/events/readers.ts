import type { Logger } from 'pino'
import type { Database } from '../database/client.ts'
import { DomainError } from '../domain/errors.ts'
import { LOG_PAGE, lastSequences, readPage } from './event-log.ts'
import { EventSequenceReader, type Follower } from './event-sequence-reader.ts'
import type { Wakeups } from './wakeups.ts'

/** A lost hint costs at most this much. */
const LOOK_AGAIN_MS = 1_000

/** One reader for each ledger that somebody follows. */
export function createReaders(database: Database, wakeups: Wakeups, log: Logger) {
  const open = new Map<string, { reader: EventSequenceReader; stop: () => void }>()
  const timer = setInterval(() => void lookWhereBehind(), LOOK_AGAIN_MS).unref()

  async function look(ledgerId: string, reader: EventSequenceReader): Promise<void> {
    try {
      await reader.look()
    } catch (error) {
      if (!(error instanceof DomainError))
        return log.debug({ err: error }, 'The event log could not be read; trying again')
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
    /** True when the reader has read up to exactly here, and so this is the cursor of an event that is kept. */
    isAt: (ledgerId: string, position: bigint): boolean => open.get(ledgerId)?.reader.position === position,
    canJoin(ledgerId: string, position: bigint): boolean {
      const known = open.get(ledgerId)
      return known !== undefined && known.reader.position <= position
    },
    open(ledgerId: string, position: bigint): void {
      if (open.has(ledgerId)) return
      const source = { read: (after: bigint) => readPage(database, ledgerId, after), pageSize: LOG_PAGE }
      const reader = new EventSequenceReader(source, position)
      open.set(ledgerId, { reader, stop: wakeups.on(ledgerId, () => void look(ledgerId, reader)) })
    },
    join(ledgerId: string, follower: Follower): () => void {
      const { reader } = open.get(ledgerId) as { reader: EventSequenceReader }
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
