/** Reads a stream in pieces of a chosen size, and holds no more than a piece and the chunk that it ends in. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  /** What of the last chunk was not read yet. */
  #rest: Uint8Array = Buffer.alloc(0)
  /** Used for every piece: a copy per piece would be garbage faster than it is collected. */
  #piece = Buffer.alloc(0)

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  /** Fewer bytes than asked for only at the end of the stream. The next call overwrites them. */
  async read(bytes: number): Promise<Buffer> {
    if (this.#piece.length < bytes) this.#piece = Buffer.allocUnsafeSlow(bytes)
    let filled = 0
    while (filled < bytes && !(await this.isAtEnd())) {
      const taken = this.#rest.subarray(0, bytes - filled)
      this.#piece.set(taken, filled)
      filled += taken.length
      this.#rest = this.#rest.subarray(taken.length)
    }
    return this.#piece.subarray(0, filled)
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next()
      if (done) return true
      this.#rest = value
    }
    return false
  }
}
