const NEWLINE = 0x0a
const EMPTY = Buffer.alloc(0)
/** A larger buffer is given back once its line is read. */
const SMALL_BYTES = 64 * 1024

/**
 * Puts a stream that comes in chunks together into lines, without their newlines. Chunks end anywhere, also within a character.
 * Every byte is looked at once, and copied a few times at most, however long the line and however small the chunks.
 *
 * A line of more than `maxBytes` is left out. With `keepsEnd`, its end is read: at least `maxBytes`, at most twice as many.
 */
export class WholeLines {
  readonly #maxBytes: number
  readonly #keepsEnd: boolean
  /** Room for what no newline has ended yet. */
  #held: Buffer = EMPTY
  #heldBytes = 0
  #isCut = false

  constructor(maxBytes: number, { keepsEnd = false } = {}) {
    this.#maxBytes = maxBytes
    this.#keepsEnd = keepsEnd
  }

  /** The lines that this chunk completes. */
  add(chunk: Uint8Array): string[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const lines: string[] = []
    let from = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      const line = this.#complete(bytes.subarray(from, end))
      if (line !== null) lines.push(line)
      from = end + 1
    }
    this.#hold(bytes.subarray(from))
    return lines
  }

  /** What is left when the stream ends without a newline; null when nothing is. */
  end(): string | null {
    return this.#heldBytes === 0 ? null : this.#complete(EMPTY)
  }

  #complete(piece: Buffer): string | null {
    if (this.#heldBytes === 0 && !this.#isCut && piece.length <= this.#maxBytes) return piece.toString()
    this.#hold(piece)
    const isLeftOut = this.#isCut && !this.#keepsEnd
    const line = isLeftOut ? null : this.#held.toString('utf8', this.#firstCharacter(), this.#heldBytes)
    if (this.#held.length > SMALL_BYTES) this.#held = EMPTY
    this.#heldBytes = 0
    this.#isCut = false
    return line
  }

  /** A line that was cut may begin within a character. */
  #firstCharacter(): number {
    let from = 0
    if (this.#isCut) while (from < 3 && ((this.#held[from] ?? 0) & 0xc0) === 0x80) from += 1
    return from
  }

  #hold(piece: Buffer): void {
    if (this.#keepsEnd) this.#holdEnd(piece)
    else if (!this.#isCut && this.#heldBytes + piece.length <= this.#maxBytes) this.#append(piece)
    else if (piece.length > 0) {
      this.#isCut = true
      this.#heldBytes = 0
    }
  }

  #holdEnd(piece: Buffer): void {
    const end = piece.subarray(-2 * this.#maxBytes)
    this.#isCut ||= end.length < piece.length
    if (this.#heldBytes + end.length > 2 * this.#maxBytes) this.#dropBeginning(Math.max(0, this.#maxBytes - end.length))
    this.#append(end)
  }

  /** So much at a time that what stays is moved once for each of its bytes. */
  #dropBeginning(keptBytes: number): void {
    this.#isCut = true
    this.#held.copyWithin(0, this.#heldBytes - keptBytes, this.#heldBytes)
    this.#heldBytes = keptBytes
  }

  #append(piece: Buffer): void {
    const bytes = this.#heldBytes + piece.length
    if (bytes > this.#held.length) {
      // Doubled, so that growing copies no byte more than twice.
      const larger = Buffer.allocUnsafe(Math.max(bytes, 2 * this.#held.length))
      larger.set(this.#held.subarray(0, this.#heldBytes))
      this.#held = larger
    }
    this.#held.set(piece, this.#heldBytes)
    this.#heldBytes = bytes
  }
}
