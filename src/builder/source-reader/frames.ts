const LENGTH_BYTES = 4

/** A message as JSON, after its length in bytes. */
export function frameOf(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message))
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + body.length)
  frame.writeUInt32BE(body.length)
  body.copy(frame, LENGTH_BYTES)
  return frame
}

/** Puts the messages of a stream together. Node's own channel between processes has no limit on a message's length. */
export class FrameParser {
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #length = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The messages that this chunk completes. Throws for one that is too long or no JSON. */
  *read(chunk: Buffer): Generator<unknown> {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    while (this.#length >= LENGTH_BYTES) {
      const bytes = this.#peek(LENGTH_BYTES).readUInt32BE()
      if (bytes > this.#maxBytes) throw new Error(`A message of ${bytes} bytes is longer than ${this.#maxBytes}`)
      const whole = LENGTH_BYTES + bytes
      if (this.#length < whole) return
      const message = JSON.parse(this.#peek(whole).toString('utf8', LENGTH_BYTES, whole)) as unknown
      this.#drop(whole)
      yield message
    }
  }

  /** Joins chunks only when they are needed, because joining at every chunk would take quadratic time. */
  #peek(bytes: number): Buffer {
    const [first] = this.#chunks
    if (first && first.length >= bytes) return first
    const joined = Buffer.concat(this.#chunks)
    this.#chunks = [joined]
    return joined
  }

  #drop(bytes: number): void {
    this.#chunks = [this.#peek(bytes).subarray(bytes)]
    this.#length -= bytes
  }
}
