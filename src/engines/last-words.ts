const MAX_BYTES = 8 * 1024

/** The end of what a command wrote, as text. Holds twice its size at most. */
export class LastWords {
  #kept = Buffer.alloc(0)

  add(chunk: Uint8Array): void {
    this.#kept = Buffer.concat([this.#kept, chunk])
    // A copy: a part of the chunk would keep all of it.
    if (this.#kept.length > MAX_BYTES) this.#kept = Buffer.from(this.#kept.subarray(-MAX_BYTES))
  }

  /** Begins with a whole character. */
  get text(): string {
    let from = 0
    if (this.#kept.length === MAX_BYTES) while (((this.#kept[from] ?? 0) & 0xc0) === 0x80 && from < 4) from += 1
    return this.#kept.toString('utf8', from)
  }
}
