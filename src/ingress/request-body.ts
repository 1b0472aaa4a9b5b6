import type { IncomingMessage } from 'node:http'
import { forwardableTrailers } from './inbound-request.ts'
import type { UpstreamConnection } from './upstream-connection.ts'

// A visitor whose request was refused in the middle of its body may finish sending, within reason: closing at
// once would reset the connection, and the answer that says why would be lost with it.
const LINGER = { bytes: 16 * 1_048_576, ms: 5_000 }

/** The body of a request on its way to a replica, at the pace of whoever is slower. */
export class RequestBody {
  bytes = 0
  isComplete = false
  /** The replica takes no more for now. */
  isHeldBack = false
  lastByteAt = performance.now()
  private readonly request: IncomingMessage
  private readonly isChunked: boolean
  private readonly limitBytes: number
  private readonly onTooLarge: () => void
  private connection: UpstreamConnection | null = null

  constructor(request: IncomingMessage, isChunked: boolean, limitBytes: number, onTooLarge: () => void) {
    this.request = request
    this.isChunked = isChunked
    this.limitBytes = limitBytes
    this.onTooLarge = onTooLarge
  }

  /** Once a byte has been read, the request cannot be sent a second time. */
  get isStarted(): boolean {
    return this.bytes > 0 || this.isComplete
  }

  sendTo(connection: UpstreamConnection): void {
    this.connection = connection
    this.request.on('data', this.onData)
    this.request.on('end', this.onEnd)
  }

  /** Stops sending. What has not been read can go to another connection. */
  stop(): void {
    this.request.off('data', this.onData)
    this.request.off('end', this.onEnd)
    this.connection = null
  }

  /** Nobody wants the rest: reads it so that the connection can go on, or closes it when there is too much. */
  discard(): void {
    this.stop()
    const { request } = this
    if (request.complete || request.destroyed) return
    let discarded = 0
    const timer = setTimeout(() => request.socket.destroy(), LINGER.ms).unref()
    request.on('data', (chunk: Buffer) => {
      discarded += chunk.length
      if (discarded > LINGER.bytes) request.socket.destroy()
    })
    request.once('close', () => clearTimeout(timer))
    request.resume()
  }

  private readonly onData = (chunk: Buffer): void => {
    const socket = this.connection?.socket
    if (!socket) return
    this.bytes += chunk.length
    this.lastByteAt = performance.now()
    if (this.bytes > this.limitBytes) {
      this.onTooLarge()
      return
    }
    if (this.isChunked) {
      socket.cork()
      socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1')
      socket.write(chunk)
      socket.write('\r\n', 'latin1')
      socket.uncork()
    } else socket.write(chunk)
    if (socket.writableNeedDrain) this.holdBack(socket)
  }

  private holdBack(socket: UpstreamConnection['socket']): void {
    this.isHeldBack = true
    this.request.pause()
    socket.once('drain', () => {
      this.isHeldBack = false
      this.lastByteAt = performance.now()
      this.request.resume()
    })
  }

  private readonly onEnd = (): void => {
    this.isComplete = true
    this.lastByteAt = performance.now()
    if (!this.isChunked) return
    this.connection?.socket.write(`0\r\n${forwardableTrailers(this.request.rawTrailers)}\r\n`, 'latin1')
  }
}
