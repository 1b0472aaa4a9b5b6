/** A compressor takes few large pieces several times faster than many small ones. */
const PIECE_BYTES = 256 * 1024

/** Gathers chunks and hands them on in pieces; the next one is gathered while one is taken. */
export class Pieces {
  readonly #take: (piece: Uint8Array) => Promise<void>
  #piece = Buffer.allocUnsafe(PIECE_BYTES)
  #spare = Buffer.allocUnsafe(PIECE_BYTES)
  #gathered = 0
  #taking: Promise<void> = Promise.resolve()

  /** `take` has done with a piece when it resolves. */
  constructor(take: (piece: Uint8Array) => Promise<void>) {
    this.#take = take
  }

  /** Copies the chunk, so that the caller may use it again. Rejects when an earlier piece was not taken. */
  async add(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + PIECE_BYTES - this.#gathered)
      this.#piece.set(part, this.#gathered)
      this.#gathered += part.length
      at += part.length
      if (this.#gathered === PIECE_BYTES) await this.#handOn()
    }
  }

  /** Resolves when all of it was taken. */
  async end(): Promise<void> {
    await this.#handOn()
    await this.#taking
  }

  async #handOn(): Promise<void> {
    const piece = this.#piece.subarray(0, this.#gathered)
    await this.#taking
    if (piece.length === 0) return // The one before was taken, and its memory is free.
    ;[this.#piece, this.#spare] = [this.#spare, this.#piece]
    this.#gathered = 0
    this.#taking = this.#take(piece)
    // The next call of add or end throws it.
    this.#taking.catch(() => {})
  }
}
