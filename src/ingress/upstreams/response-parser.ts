import { MalformedMessage } from '../header-lines.ts'
import { ChunkedDecoder } from './chunked-decoder.ts'
import { parseResponseHead, type ResponseHead } from './response-head.ts'

/** Receives a response as it arrives. Bytes are a view of a shared buffer: good only until the call returns. */
export interface ResponseSink {
  onInformational(head: ResponseHead): void
  onHead(head: ResponseHead): void
  onBody(bytes: Buffer): void
  /** The last piece of the body, perhaps empty, and the trailers. */
  onEnd(lastBytes: Buffer, trailers: string[], isReusable: boolean): void
  /** The container has switched protocols; the bytes are the first of the new one. */
  onSwitch(head: ResponseHead, firstBytes: Buffer): void
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const MAX_HEAD_BYTES = 65_536
const MAX_INFORMATIONAL = 16
const NOTHING = Buffer.alloc(0)

/** Reads one response to one request off the bytes of a connection. */
export class ResponseParser {
  private readonly method: string
  private readonly sink: ResponseSink
  private head: ResponseHead | null = null
  private partialHead: Buffer | null = null
  private informational = 0
  private remaining = 0
  private chunks: ChunkedDecoder | null = null

  constructor(method: string, sink: ResponseSink) {
    this.method = method
    this.sink = sink
  }

  /**
   * Returns the bytes that are to be fed in a later turn of the event loop, because they are tiny chunks: a view, too.
   * Throws MalformedMessage.
   */
  feed(bytes: Buffer): Buffer {
    if (this.head) return this.readBody(bytes, this.head)
    return this.readHead(this.partialHead ? Buffer.concat([this.partialHead, bytes]) : bytes)
  }

  /** The connection has ended: fine only for a body that ends with it. */
  end(): void {
    if (this.head?.framing.by !== 'close') throw new MalformedMessage('the connection ended in the middle of it')
    this.sink.onEnd(NOTHING, [], false)
  }

  private readHead(pending: Buffer): Buffer {
    const end = pending.indexOf(END_OF_HEAD)
    if ((end < 0 ? pending.length : end) > MAX_HEAD_BYTES) throw new MalformedMessage('a head that is too large')
    if (end < 0) {
      this.partialHead = Buffer.from(pending)
      return NOTHING
    }
    this.partialHead = null
    const head = parseResponseHead(pending.toString('latin1', 0, end), this.method)
    const rest = pending.subarray(end + END_OF_HEAD.length)
    if (head.status === 101) {
      this.sink.onSwitch(head, rest)
      return NOTHING
    }
    if (head.status >= 200) {
      this.begin(head)
      return this.readBody(rest, head)
    }
    this.informational += 1
    if (this.informational > MAX_INFORMATIONAL) throw new MalformedMessage('one interim answer after another')
    this.sink.onInformational(head)
    return this.readHead(rest)
  }

  private begin(head: ResponseHead): void {
    this.head = head
    if (head.framing.by === 'length') this.remaining = head.framing.bytes
    if (head.framing.by === 'chunks') this.chunks = new ChunkedDecoder()
    this.sink.onHead(head)
  }

  private readBody(bytes: Buffer, head: ResponseHead): Buffer {
    if (head.framing.by === 'close') {
      if (bytes.length > 0) this.sink.onBody(bytes)
    } else if (this.chunks) {
      const { payload, rest, undecoded } = this.chunks.decode(bytes)
      if (rest) this.finish(payload, this.chunks.trailers, rest, head)
      else if (payload.length > 0) this.sink.onBody(payload)
      return undecoded
    } else if (bytes.length >= this.remaining) {
      this.finish(bytes.subarray(0, this.remaining), [], bytes.subarray(this.remaining), head)
    } else if (bytes.length > 0) {
      this.remaining -= bytes.length
      this.sink.onBody(bytes)
    }
    return NOTHING
  }

  /** Bytes beyond the answer belong to no request of ours, so nothing read after them could be trusted. */
  private finish(lastBytes: Buffer, trailers: string[], surplus: Buffer, head: ResponseHead): void {
    this.sink.onEnd(lastBytes, trailers, head.keepsAlive && surplus.length === 0)
  }
}
