import { setTimeout as sleep } from 'node:timers/promises'
import { type RawData, WebSocket } from 'ws'

/** Beyond so much that is not sent yet, a sender waits. */
const MAX_UNSENT_BYTES = 256 * 1024
/** A peer that does not answer a close frame by then is cut. What it has not read yet comes before that frame. */
const CUT_AFTER_MS = 10_000
/** For the messages that came before the end. */
const TAKE_MS = 2_000

export interface SocketClosed {
  code: number
  reason: string
}

interface PacedSocketOptions {
  /** Between pings. A peer that answers none is cut. */
  heartbeatMs: number
  /** Each message, once the one before has been taken. Until then nothing more is read. */
  onMessage(content: Buffer, isBinary: boolean): Promise<void> | void
}

/** A WebSocket that holds little: it reads no faster than messages are taken, and a sender waits for a slow peer. */
export class PacedSocket {
  readonly closed: Promise<SocketClosed>
  /** Closed, and what came before was taken; that is not awaited for long. */
  readonly finished: Promise<SocketClosed>
  readonly #socket: WebSocket
  readonly #onMessage: PacedSocketOptions['onMessage']
  #taking: Promise<void> = Promise.resolve()
  #waiting = 0
  #isAlive = true

  constructor(socket: WebSocket, { heartbeatMs, onMessage }: PacedSocketOptions) {
    this.#socket = socket
    this.#onMessage = onMessage
    this.closed = new Promise((resolve) => {
      socket.once('close', (code: number, reason: Buffer) => resolve({ code, reason: reason.toString('utf8') }))
    })
    this.finished = this.closed.then(async (closed) => {
      await Promise.race([this.#taking, sleep(TAKE_MS, undefined, { ref: false })])
      return closed
    })
    // It is closed as well, with a code that says why.
    socket.on('error', () => {})
    socket.on('message', (data, isBinary) => this.#take(data, isBinary))
    this.#beat(heartbeatMs)
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  /** Resolves when the peer is not far behind. A closed socket takes everything, and sends nothing. */
  async send(content: Buffer | string): Promise<void> {
    if (!this.isOpen) return
    const sent = Promise.withResolvers<void>()
    this.#socket.send(content, { binary: typeof content !== 'string' }, () => sent.resolve())
    if (this.#socket.bufferedAmount > MAX_UNSENT_BYTES) await Promise.race([sent.promise, this.closed])
  }

  close(code: number, reason: string, cutAfterMs = CUT_AFTER_MS): void {
    if (this.#socket.readyState === WebSocket.CLOSED) return
    // It may wait for messages to be taken, and would not read the peer's own close frame.
    this.#socket.resume()
    this.#socket.close(code, reason)
    setTimeout(() => this.#socket.terminate(), cutAfterMs).unref()
  }

  cut(): void {
    this.#socket.terminate()
  }

  #take(data: RawData, isBinary: boolean): void {
    const content = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)])
    this.#waiting += 1
    if (this.#waiting === 1) this.#socket.pause()
    this.#taking = this.#taking
      .then(() => this.#onMessage(content, isBinary))
      .catch(() => this.cut())
      .finally(() => {
        this.#waiting -= 1
        if (this.#waiting === 0) this.#socket.resume()
      })
  }

  #beat(heartbeatMs: number): void {
    this.#socket.on('pong', () => {
      this.#isAlive = true
    })
    const timer = setInterval(() => {
      // One that waits for its messages to be taken reads no pong.
      if (!this.#isAlive && this.#waiting === 0) return this.cut()
      this.#isAlive = this.#waiting > 0
      if (this.isOpen) this.#socket.ping(() => {})
    }, heartbeatMs).unref()
    void this.closed.then(() => clearInterval(timer))
  }
}
