import type { Socket } from 'node:net'
import { KEEP_ALIVE_SECONDS } from './client-answer.ts'

// Limits clients that send their heads slowly to hold connections.
const HEAD_TIMEOUT_MS = 15_000
// When a request is answered in the middle of its body, or the connection ends with the answer, the client may finish sending,
// within limits: closing at once would reset the connection, and the client would lose the answer that says why.
const LINGER = { bytes: 16 * 1_048_576, ms: 5_000 }

/** How long a client connection may go on as it is. Times are those of `performance.now()`. */
export class ConnectionDeadlines {
  private readonly socket: Socket
  private readonly idleMs: number
  /** When the connection, or its last request, was the last that happened. */
  private idleSince = performance.now()
  private idleLimitMs = HEAD_TIMEOUT_MS
  private headSince: number | null = null
  /** What still comes is read and dropped: since everything was written, and how much it was. */
  private lingers: { since: number | null; bytes: number } | null = null
  /** What is written and not taken, and since when that has not changed. */
  private untaken = { since: this.idleSince, bytes: 0 }

  constructor(socket: Socket, idleMs: number) {
    this.socket = socket
    this.idleMs = idleMs
  }

  beginHead(): void {
    this.headSince ??= performance.now()
  }

  beginRequest(): void {
    this.headSince = null
    this.idleLimitMs = KEEP_ALIVE_SECONDS * 1000
  }

  endRequest(): void {
    this.lingers = null
    this.idleSince = performance.now()
  }

  beginLingering(): void {
    this.lingers ??= { since: null, bytes: 0 }
  }

  /** Counts what is dropped. False when that is more than may be. */
  drop({ length }: Buffer): boolean {
    if (!this.lingers) return true
    this.lingers.bytes += length
    return this.lingers.bytes <= LINGER.bytes
  }

  isHeadLate(now: number): boolean {
    return this.headSince !== null && now - this.headSince > HEAD_TIMEOUT_MS
  }

  /** Without a request, or the beginning of one. */
  isIdleTooLong(now: number): boolean {
    if (this.socket.writableLength > 0) this.idleSince = now
    return this.headSince === null && now - this.idleSince > this.idleLimitMs
  }

  /** The client takes nothing, whatever it sends meanwhile. */
  isStuck(now: number): boolean {
    const bytes = this.socket.writableLength
    if (bytes === 0 || bytes !== this.untaken.bytes) this.untaken = { since: now, bytes }
    return now - this.untaken.since > this.idleMs
  }

  /** To be asked once the answer, if there is one, is written. */
  hasLingered(now: number): boolean {
    if (!this.lingers || this.socket.writableLength > 0) return false
    this.lingers.since ??= now
    return now - this.lingers.since > LINGER.ms
  }
}
