import type { UpstreamConnection } from '../upstreams/upstream-connection.ts'
import { trailersOfClient, writeChunk } from './chunked-body.ts'
import { headerLines } from './client-answer.ts'
import type { BodyReader, ClientBody } from './client-body.ts'

/** Sends the body of a request to a replica, at the pace of the slower side. */
export class RequestBody implements BodyReader {
  bytes = 0
  isComplete = false
  /** The replica takes no more for now. */
  isHeldBack = false
  lastByteAt = performance.now()
  private readonly source: ClientBody
  private readonly isChunked: boolean
  private readonly limitBytes: number
  private readonly onTooLarge: () => void
  private connection: UpstreamConnection | null = null

  constructor(source: ClientBody, isChunked: boolean, limitBytes: number, onTooLarge: () => void) {
    this.source = source
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
    this.source.readBy(this)
  }

  /** Stops sending. What has not been read can go to another connection. */
  stop(): void {
    if (this.connection) this.source.readBy(null)
    this.connection = null
  }

  onBody(chunk: Buffer): void {
    const socket = this.connection?.socket
    if (!socket) return
    this.bytes += chunk.length
    this.lastByteAt = performance.now()
    if (this.bytes > this.limitBytes) {
      this.onTooLarge()
      return
    }
    if (this.isChunked) writeChunk(socket, chunk)
    else socket.write(chunk)
    if (socket.writableNeedDrain) this.holdBack(socket)
  }

  private holdBack(socket: UpstreamConnection['socket']): void {
    this.isHeldBack = true
    this.source.pause()
    socket.once('drain', () => {
      this.isHeldBack = false
      this.lastByteAt = performance.now()
      if (this.connection?.socket === socket) this.source.resume()
    })
  }

  onBodyEnd(trailers: readonly string[]): void {
    this.isComplete = true
    this.lastByteAt = performance.now()
    if (!this.isChunked) return
    this.connection?.socket.write(`0\r\n${headerLines(trailersOfClient(trailers))}\r\n`, 'latin1')
  }
}
