import { connect, type Socket } from 'node:net'
import { isHostExhausted } from '../../domain/host-exhausted.ts'
import type { Target } from '../routes/route-table.ts'
import { type InPieces, turns } from '../turns.ts'
import { ResponseParser, type ResponseSink } from './response-parser.ts'

/**
 * How a request failed, which decides whether another replica may try it: `exhausted` because this machine could not
 * open a connection, which says nothing about the replica; `refused` before anything was sent, `reset` before anything
 * was answered, `broken` in or by the answer.
 */
export type FailureKind = 'exhausted' | 'refused' | 'reset' | 'broken'

export interface UpstreamSink extends ResponseSink {
  /** What was written so far is on its way; only now may bytes be sent that cannot be sent again. */
  onConnect(): void
  /** No more bytes are there for now. */
  onPause(): void
  onFailure(kind: FailureKind, error: Error): void
}

/** Takes the bytes after a protocol switch; false stops them until `resume`. */
type RawReader = (bytes: Buffer) => boolean

const CONNECT_TIMEOUT_MS = 3_000
const READ_BUFFER_BYTES = 65_536
// Many servers close after five idle seconds, and a request that crosses with that is lost.
const IDLE_LIMIT_MS = 4_000

// One buffer for all connections: reads are handled one at a time, and users that keep bytes copy them. Node would
// otherwise allocate this much for every read.
const readBuffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES)

/**
 * One connection to a replica, which serves one request at a time.
 *
 * Why neither node:http's client nor undici: a bare proxy on undici's dispatch takes 1.3 times the CPU time per
 * request of the whole ingress on this, one on node's Agent 1.6 times (measured in turn on one machine). It also
 * knows what a proxy must know to retry: whether it was connected, whether anything was answered.
 */
export class UpstreamConnection implements InPieces {
  readonly socket: Socket
  isConnected = false
  isReused = false
  idleSince = 0
  idleLimitMs = IDLE_LIMIT_MS
  private sink: UpstreamSink | null = null
  private parser: ResponseParser | null = null
  private rawReader: RawReader | null = null
  private hasAnswered = false
  private isPaused = false
  /** What was read, and is parsed in a later turn of the event loop. Nothing more is read before. */
  private held: Buffer | null = null
  private isWaiting = false
  private error: Error | null = null

  constructor(target: Target, onClose: (connection: UpstreamConnection) => void) {
    this.socket = connect({
      host: target.address,
      port: target.port,
      noDelay: true,
      // The end of a tunnel's one direction is not the end of the other.
      allowHalfOpen: true,
      onread: { buffer: readBuffer, callback: (length) => this.read(readBuffer.subarray(0, length)) },
    })
    this.socket.setTimeout(CONNECT_TIMEOUT_MS, () => this.socket.destroy(new Error('connecting took too long')))
    this.socket.once('connect', () => {
      this.isConnected = true
      this.socket.setTimeout(0)
      this.sink?.onConnect()
    })
    this.socket.once('end', () => this.end())
    this.socket.once('error', (error) => {
      this.error = error
    })
    this.socket.once('close', () => {
      onClose(this)
      this.fail(this.error ?? new Error('the connection was closed'))
    })
  }

  /** It serves no further request. */
  get hasEnded(): boolean {
    return this.socket.destroyed || this.socket.readableEnded
  }

  /** Sends a request's head (latin1, as Node hands headers out) and delivers the answer to the sink. */
  begin(head: string, method: string, sink: UpstreamSink): void {
    this.sink = sink
    this.parser = new ResponseParser(method, sink)
    this.hasAnswered = false
    this.socket.write(head, 'latin1')
  }

  /** Ends the exchange: the sink gets no more events. The connection is then idle, or to be destroyed. */
  finish(): void {
    this.sink = null
    this.parser = null
    this.held = null
  }

  /** Leaves HTTP behind, with everything read from now on going to the reader. */
  switchTo(reader: RawReader): void {
    this.finish()
    this.rawReader = reader
  }

  limitIdle(keepAliveSeconds: number): void {
    // A second before the other end would close, or half of the time where that is shorter.
    const limitMs = Math.max(keepAliveSeconds * 1000 - 1000, keepAliveSeconds * 500)
    this.idleLimitMs = Math.min(IDLE_LIMIT_MS, limitMs)
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
    if (this.held) this.wait()
    else this.socket.resume()
  }

  doPiece(): void {
    const bytes = this.held
    this.isWaiting = false
    if (!bytes || this.isPaused) return
    this.held = null
    this.parse(bytes)
    if (!this.held && !this.isPaused) this.socket.resume()
  }

  destroy(): void {
    this.finish()
    this.socket.destroy()
  }

  private read(bytes: Buffer): boolean {
    if (this.rawReader) return this.rawReader(bytes)
    // An answer without a request: whatever came next would be taken for the answer to another request.
    if (!this.parser) {
      this.socket.destroy()
      return true
    }
    this.hasAnswered = true
    this.parse(bytes)
    return !this.isPaused && !this.held
  }

  private parse(bytes: Buffer): void {
    const { parser } = this
    if (!parser) return
    try {
      const rest = parser.feed(bytes)
      this.sink?.onPause()
      // A copy, because others read into the same buffer.
      if (rest.length > 0 && this.parser === parser) this.hold(Buffer.from(rest))
    } catch (error) {
      this.fail(error as Error)
    }
  }

  private hold(bytes: Buffer): void {
    this.held = bytes
    if (!this.isPaused) this.wait()
  }

  private wait(): void {
    if (this.isWaiting) return
    this.isWaiting = true
    turns.join(this)
  }

  private end(): void {
    if (this.rawReader) return
    try {
      this.parser?.end()
    } catch (error) {
      this.fail(error as Error)
    }
    this.socket.destroy()
  }

  private fail(error: Error): void {
    const { sink } = this
    if (!sink) return
    this.destroy()
    sink.onFailure(this.kindOf(error), error)
  }

  private kindOf(error: Error): FailureKind {
    if (this.isConnected) return this.hasAnswered ? 'broken' : 'reset'
    return isHostExhausted(error) ? 'exhausted' : 'refused'
  }
}
