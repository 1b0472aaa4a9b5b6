import type { Logger } from 'pino'
import { DomainError } from '../../domain/errors.ts'
import type { Database } from '../database/client.ts'
import { LOG_PAGE, lastSequences, readPage } from './event-log.ts'
import { EventSequenceReader, type Follower } from './event-sequence-reader.ts'
import type { Wakeups } from './wakeups.ts'

/** A lost notification costs at most this much delay. */
const POLL_MS = 1_000

/** One reader for each event sequence that has followers. */
export function createReaders(database: Database, wakeups: Wakeups, log: Logger) {
  const open = new Map<string, { reader: EventSequenceReader; stop: () => void }>()
  const timer = setInterval(() => void readWhereBehind(), POLL_MS).unref()

  async function readNew(eventSequenceId: string, reader: EventSequenceReader): Promise<void> {
    try {
      await reader.read()
    } catch (error) {
      if (!(error instanceof DomainError))
        return log.debug({ err: error }, 'Reading the event log failed; it is retried')
      // The reader was kept from the log for longer than events are kept.
      reader.failAll(error)
      close(eventSequenceId)
    }
  }

  /** One statement for all event sequences, however many are followed. */
  async function readWhereBehind(): Promise<void> {
    if (open.size === 0) return
    const last = await lastSequences(database, [...open.keys()]).catch(() => [])
    for (const { id, lastEventSequence } of last) {
      const reader = open.get(id)?.reader
      if (reader && lastEventSequence > reader.position) void readNew(id, reader)
    }
  }

  function close(eventSequenceId: string): void {
    open.get(eventSequenceId)?.stop()
    open.delete(eventSequenceId)
  }

  return {
    /** True when the reader has read up to exactly here, and so this is the cursor of an event that is kept. */
    isAt: (eventSequenceId: string, position: bigint): boolean =>
      open.get(eventSequenceId)?.reader.position === position,
    canJoin(eventSequenceId: string, position: bigint): boolean {
      const known = open.get(eventSequenceId)
      return known !== undefined && known.reader.position <= position
    },
    open(eventSequenceId: string, position: bigint): void {
      if (open.has(eventSequenceId)) return
      const source = { read: (after: bigint) => readPage(database, eventSequenceId, after), pageSize: LOG_PAGE }
      const reader = new EventSequenceReader(source, position)
      open.set(eventSequenceId, {
        reader,
        stop: wakeups.on(eventSequenceId, () => void readNew(eventSequenceId, reader)),
      })
    },
    join(eventSequenceId: string, follower: Follower): () => void {
      const { reader } = open.get(eventSequenceId) as { reader: EventSequenceReader }
      const detach = reader.attach(follower)
      void readNew(eventSequenceId, reader)
      return () => {
        detach()
        if (reader.isIdle && open.get(eventSequenceId)?.reader === reader) close(eventSequenceId)
      }
    },
    close() {
      clearInterval(timer)
      for (const eventSequenceId of [...open.keys()]) close(eventSequenceId)
    },
  }
}
