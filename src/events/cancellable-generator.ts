/**
 * An async generator that can be left at any time. By itself a generator that waits for something hears of
 * `return` only when that has come; this one is told to stop waiting first. Plain callbacks rather than an
 * AbortSignal, of which every live subscription would need several.
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
