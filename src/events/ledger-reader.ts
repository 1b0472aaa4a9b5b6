import type { EventBuffer, SizedEvent } from './buffer.ts'
import type { RecordedEvent } from './event.ts'

export type Filter = (event: RecordedEvent) => boolean

export interface Follower {
  buffer: EventBuffer
  filter: Filter
  /** Up to here it has read by itself. */
  after: bigint
}

/** What the reader asks of the log. */
interface Source {
  read(after: bigint): Promise<RecordedEvent[]>
  pageSize: number
}

/**
 * Reads one ledger once for all who follow it: any number of followers cost one query for each batch of
 * events. It is told to look; between two looks it does nothing.
 */
export class LedgerReader {
  readonly #source: Source
  readonly #followers = new Set<Follower>()
  #position: bigint
  #reading: Promise<void> | null = null
  #lookAgain = false

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

  /** Looks for new events; a look that is asked for while one is under way happens right after it. */
  look(): Promise<void> {
    this.#lookAgain = true
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #readAll(): Promise<void> {
    while (this.#lookAgain) {
      this.#lookAgain = false
      const events = await this.#source.read(this.#position)
      for (const event of events) this.#hand({ event, bytes: sizeOf(event) })
      if (events.length === this.#source.pageSize) this.#lookAgain = true
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
