import { DomainError } from '../domain/errors.ts'
import type { RecordedEvent } from './event.ts'

/** An event and its size, measured once however many read it. */
export interface SizedEvent {
  event: RecordedEvent
  bytes: number
}

/** What one reader has still to read. A reader that falls too far behind is dropped, with an error that says so. */
export class EventBuffer {
  readonly #maxBytes: number
  #queue: SizedEvent[] = []
  #head = 0
  #bytes = 0
  #failure: unknown = null
  #wake: (() => void) | null = null

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  push(sized: SizedEvent): void {
    if (this.#failure) return
    this.#bytes += sized.bytes
    if (this.#bytes > this.#maxBytes) {
      this.fail(
        new DomainError(
          'UNAVAILABLE',
          'TOO_SLOW',
          'You read too slowly; go on from the cursor of the last event you got',
        ),
      )
      return
    }
    this.#queue.push(sized)
    this.#signal()
  }

  /** Ends the reader with an error, now; what it has not read yet is dropped. */
  fail(error: unknown): void {
    this.#failure ??= error
    this.#queue = []
    this.#head = 0
    this.#signal()
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

  /** Resolves when there may be something to read, or the signal fires. */
  wait(signal: AbortSignal | undefined): Promise<void> {
    if (this.#failure || this.#head < this.#queue.length || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        this.#wake = null
        signal?.removeEventListener('abort', done)
        resolve()
      }
      this.#wake = done
      signal?.addEventListener('abort', done, { once: true })
    })
  }

  #signal(): void {
    this.#wake?.()
  }
}
