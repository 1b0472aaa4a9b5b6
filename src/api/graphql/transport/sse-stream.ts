import type { ExecutionResult } from 'graphql'

/** A connection that is cut rather than ended, for a client that never reads the end of its stream. */
export type Cut = () => void

interface EventStreamOptions {
  results: AsyncIterable<ExecutionResult>
  /** The part of a result that the client may read. */
  toPublic(result: ExecutionResult): ExecutionResult
  heartbeatMs: number
  onClose(): void
}

export interface EventStream {
  body: ReadableStream<Uint8Array>
  /** Ends it with a last answer; without one, as if the subject had ended. */
  end(last: ExecutionResult): void
}

const HEARTBEAT = ':\n\n'
const COMPLETE = 'event: complete\ndata:\n\n'
const encoder = new TextEncoder()

/**
 * Results as server-sent events, in the format of graphql-sse: `next` for each, `complete` after the last. Takes the
 * next result only when the previous one has been read, so that a slow reader's backlog stays countable.
 */
export function eventStream({ results, toPublic, heartbeatMs, onClose }: EventStreamOptions): EventStream {
  const iterator = results[Symbol.asyncIterator]()
  let last: ExecutionResult | null = null
  let beating: NodeJS.Timeout | undefined

  const stop = () => {
    clearInterval(beating)
    onClose()
  }
  const next = (result: ExecutionResult) => `event: next\ndata: ${JSON.stringify(toPublic(result))}\n\n`

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const beat = () => {
        // No room means that the reader is behind: data is already on its way to it.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(HEARTBEAT))
      }
      // At once, or a browser would not know that the connection is open until the first event.
      beat()
      beating = setInterval(beat, heartbeatMs)
    },
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (!done) return controller.enqueue(encoder.encode(next(value)))
      stop()
      controller.enqueue(encoder.encode((last ? next(last) : '') + COMPLETE))
      controller.close()
    },
    async cancel() {
      stop()
      await iterator.return?.()
    },
  })
  return {
    body,
    end(result) {
      last = result
      void iterator.return?.()
    },
  }
}
