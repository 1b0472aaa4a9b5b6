/** Disposes parts in parallel, each in its own order, so that their timeouts do not add up. */
export class ParallelDisposal implements AsyncDisposable {
  readonly #parts: AsyncDisposableStack[] = []

  /** What one part has to undo. */
  part(): AsyncDisposableStack {
    const part = new AsyncDisposableStack()
    this.#parts.push(part)
    return part
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ends = await Promise.allSettled(this.#parts.map((part) => part.disposeAsync()))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}
