import type { IncomingMessage } from 'node:http'
import type { UpstreamConnection } from '../upstreams/upstream-connection.ts'
import { discardBody } from './discard-body.ts'
import { forwardableTrailers } from './inbound-request.ts'

/** Sends the body of a request to a replica, at the pace of the slower side. */
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

  /** Stops sending, and nobody wants the rest. */
  discard(): void {
    this.stop()
    discardBody(this.request)
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
