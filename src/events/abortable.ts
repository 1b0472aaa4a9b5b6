/**
 * An async generator that can be left at any time. By itself a generator that waits for something hears of
 * `return` only when that has come; this one fires the signal that its waits listen to.
 */
export function abortable<T>(
  outer: AbortSignal | undefined,
  generate: (signal: AbortSignal) => AsyncGenerator<T, void>,
): AsyncGenerator<T, void> {
  const leaving = new AbortController()
  const inner = generate(outer ? AbortSignal.any([outer, leaving.signal]) : leaving.signal)
  return {
    next: () => inner.next(),
    return() {
      leaving.abort()
      return inner.return()
    },
    throw(error) {
      leaving.abort()
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
