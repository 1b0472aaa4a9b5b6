import { ChunkedDecoder } from '../upstreams/chunked-decoder.ts'

export interface BodyReader {
  /** A part, which is the reader's from now on. */
  onBody(bytes: Buffer): void
  onBodyEnd(trailers: readonly string[]): void
}

/** Where a request's body ends. */
export type BodyFraming = { by: 'length'; bytes: number } | { by: 'chunks' }

/** The body of one request, as its bytes are taken off the connection. */
export class ClientBody {
  isComplete = false
  private reader: BodyReader | null = null
  private isPaused = false
  private remaining: number
  private readonly chunks: ChunkedDecoder | null
  private readonly onWanted: () => void

  /** `onWanted` is called when bytes can be fed (again). */
  constructor(framing: BodyFraming, onWanted: () => void) {
    this.remaining = framing.by === 'length' ? framing.bytes : 0
    this.chunks = framing.by === 'chunks' ? new ChunkedDecoder() : null
    this.onWanted = onWanted
  }

  /** Whether a reader takes bytes at the moment. */
  get isWanted(): boolean {
    return this.reader !== null && !this.isPaused
  }

  /** Gives what comes from now on to the reader; null holds it. */
  readBy(reader: BodyReader | null): void {
    this.reader = reader
    this.isPaused = false
    if (reader) this.onWanted()
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
    this.onWanted()
  }

  /**
   * To be called only while it is wanted. Returns what follows the end of the body, or what is to be fed in a later turn of the
   * event loop. Throws MalformedMessage.
   */
  feed(bytes: Buffer): Buffer {
    if (this.chunks) return this.feedChunks(bytes, this.chunks)
    const part = bytes.length > this.remaining ? bytes.subarray(0, this.remaining) : bytes
    this.remaining -= part.length
    const { reader } = this
    reader?.onBody(part)
    if (this.remaining === 0) this.complete(reader, [])
    return bytes.subarray(part.length)
  }

  private feedChunks(bytes: Buffer, chunks: ChunkedDecoder): Buffer {
    const { reader } = this
    const { payload, rest, undecoded } = chunks.decode(bytes)
    if (payload.length > 0) reader?.onBody(payload)
    if (rest) this.complete(reader, chunks.trailers)
    return rest ?? undecoded
  }

  private complete(reader: BodyReader | null, trailers: readonly string[]): void {
    this.isComplete = true
    reader?.onBodyEnd(trailers)
  }
}
