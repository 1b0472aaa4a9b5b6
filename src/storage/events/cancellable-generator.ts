/**
 * An async generator that can be cancelled at any time. A plain generator that waits for something handles `return`
 * only after that has arrived; this one stops waiting first. Plain callbacks, because AbortSignals would cost every
 * live subscription several of them.
 */
export function cancellable<T>(inner: AsyncGenerator<T, void>, stopWaiting: () => void): AsyncGenerator<T, void> {
  return {
    next: () => inner.next(),
    return() {
      stopWaiting()
      return inner.return()
    },
    throw(error) {
      stopWaiting()
      return inner.throw(error)
    },
    [Symbol.asyncIterator]() {
      return this
    },
    async [Symbol.asyncDispose]() {
      await this.return()
    },
  }
}
