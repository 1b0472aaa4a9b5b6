import { DomainError } from '../../domain/errors.ts'
import type { RecordedEvent } from './event.ts'

/** An event and its size, measured once however many read it. */
export interface SizedEvent {
  event: RecordedEvent
  bytes: number
}

const tooSlow = (): DomainError =>
  new DomainError('UNAVAILABLE', 'TOO_SLOW', 'You read too slowly; go on from the cursor of the last event you got')

/** What one reader has still to read. A reader that falls too far behind is dropped, with an error that says so. */
export class EventBuffer {
  readonly #maxBytes: number
  readonly #onOverflow: () => void
  #queue: SizedEvent[] = []
  #head = 0
  #bytes = 0
  #failure: unknown = null
  #hasEnded = false
  #wake: (() => void) | null = null

  /** Calls `onOverflow` at once: a client that does not read would not learn of it by reading. */
  constructor(maxBytes: number, onOverflow: () => void) {
    this.#maxBytes = maxBytes
    this.#onOverflow = onOverflow
  }

  /** True once no reader is left. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  push(sized: SizedEvent): void {
    if (this.#failure || this.#hasEnded) return
    this.#bytes += sized.bytes
    if (this.#bytes > this.#maxBytes) {
      this.fail(tooSlow())
      this.#onOverflow()
      return
    }
    this.#queue.push(sized)
    this.#wake?.()
  }

  /** Ends the reader with an error, now; what it has not read yet is dropped. */
  fail(error: unknown): void {
    this.#failure ??= error
    this.#drop()
  }

  /** Ends the reader without a word. */
  end(): void {
    this.#hasEnded = true
    this.#drop()
  }

  #drop(): void {
    this.#queue = []
    this.#head = 0
    this.#wake?.()
  }

  /** The next event, or undefined when there is none yet. Throws once the reader has failed. */
  shift(): RecordedEvent | undefined {
    if (this.#failure) throw this.#failure
    const sized = this.#queue[this.#head]
    if (!sized) return undefined
    this.#head += 1
    this.#bytes -= sized.bytes
    if (this.#head === this.#queue.length) {
      this.#queue = []
      this.#head = 0
    }
    return sized.event
  }

  /** Resolves when there may be something to read, or the reader has ended. */
  wait(): Promise<void> {
    if (this.#failure || this.#hasEnded || this.#head < this.#queue.length) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = null
        resolve()
      }
    })
  }
}
