import { setImmediate } from 'node:timers/promises'
import type { EventBuffer, SizedEvent } from './buffer.ts'
import type { RecordedEvent } from './event.ts'

const YIELD_BYTES = 64 * 1024

export type Filter = (event: RecordedEvent) => boolean

export interface Follower {
  buffer: EventBuffer
  filter: Filter
  /** The follower has read up to here on its own. */
  after: bigint
}

/** What the reader asks of the log. */
interface Source {
  read(after: bigint): Promise<RecordedEvent[]>
  pageSize: number
}

/**
 * Reads one event sequence for all its followers: any number of them cost one query per batch of events. It reads only
 * when asked to.
 */
export class EventSequenceReader {
  readonly #source: Source
  readonly #followers = new Set<Follower>()
  #position: bigint
  #reading: Promise<void> | null = null
  #readAgain = false

  constructor(source: Source, position: bigint) {
    this.#source = source
    this.#position = position
  }

  get position(): bigint {
    return this.#position
  }

  get isIdle(): boolean {
    return this.#followers.size === 0
  }

  /** Followers that have read up to the reader's own position, or beyond, miss nothing from here on. */
  attach(follower: Follower): () => void {
    if (follower.after < this.#position) throw new Error('A follower was attached before it had caught up')
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  /** Reads new events. When a read is under way, another one follows right after it. */
  read(): Promise<void> {
    this.#readAgain = true
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #readAll(): Promise<void> {
    while (this.#readAgain) {
      this.#readAgain = false
      const events = await this.#source.read(this.#position)
      await this.#handAll(events)
      if (events.length === this.#source.pageSize) this.#readAgain = true
    }
  }

  /** Followers are let read now and then: a burst must drop those who are slow, and not those who had no time. */
  async #handAll(events: RecordedEvent[]): Promise<void> {
    let handed = 0
    for (const event of events) {
      const bytes = sizeOf(event)
      this.#hand({ event, bytes })
      handed += bytes
      if (handed < YIELD_BYTES) continue
      handed = 0
      await setImmediate()
    }
  }

  #hand(sized: SizedEvent): void {
    this.#position = sized.event.sequence
    for (const { buffer, filter, after } of this.#followers) {
      if (sized.event.sequence > after && filter(sized.event)) buffer.push(sized)
    }
  }

  failAll(error: unknown): void {
    for (const { buffer } of this.#followers) buffer.fail(error)
  }
}

/** Near enough: what a reader's backlog would weigh once it is written out. */
const sizeOf = (event: RecordedEvent): number => 200 + JSON.stringify(event.payload).length
