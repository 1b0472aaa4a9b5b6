import { setTimeout as sleep } from 'node:timers/promises'
import { type ExecutionResult, getOperationAST } from 'graphql'
import type { Arrival } from '../context.ts'
import { type ErrorTools, publicError, publicResult } from '../errors.ts'
import { JSON_TYPE, type Params, statusOf, type Yoga } from './json-post.ts'
import { guarded, publicAnswer, serverStopping } from './socket-operation.ts'
import { type Cut, eventStream } from './sse-stream.ts'

/** Time that a slow client, or a stopping server, gets to finish its stream. */
const CUT_AFTER_MS = 2_000

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // A buffering proxy would hold back every event.
  'x-accel-buffering': 'no',
}

interface Options {
  yoga: Yoga
  heartbeatSeconds: number
  stopping: AbortSignal
}

interface Asked {
  params: Params | null
  accept: string | null
  arrival: Arrival
  tools: ErrorTools
  /** Cuts the connection; absent where there is none, as in tests without a port. */
  cut: Cut | undefined
}

/** Subscriptions over server-sent events. Returns null for all other requests, which Yoga handles. */
export function createEventStreams({ yoga, heartbeatSeconds, stopping }: Options) {
  const open = new Set<{ end(): void; cut: Cut | undefined }>()

  async function answer({ params, accept, arrival, tools, cut }: Asked): Promise<Response | null> {
    if (!params || !acceptsEvents(accept)) return null
    const onTooSlow = () => void sleep(CUT_AFTER_MS, undefined, { ref: false }).then(cut)
    const { schema, parse, validate, contextFactory, subscribe } = yoga.getEnveloped({
      arrival: { ...arrival, onTooSlow },
    })
    let document: ReturnType<typeof parse>
    try {
      document = parse(params.query)
      if (getOperationAST(document, params.operationName)?.operation !== 'subscription') return null
      if (validate(schema, document).length > 0) return null
    } catch {
      return null
    }
    let result: ExecutionResult | AsyncGenerator<ExecutionResult>
    try {
      if (stopping.aborted) throw serverStopping()
      const { variables: variableValues, operationName } = params
      result = await subscribe({
        schema,
        document,
        contextValue: await contextFactory(),
        variableValues,
        operationName,
      })
    } catch (error) {
      result = { errors: [publicError(error, tools)] }
    }
    return respond(result, tools, cut)
  }

  function respond(result: ExecutionResult | AsyncGenerator<ExecutionResult>, tools: ErrorTools, cut: Cut | undefined) {
    const isStream = Symbol.asyncIterator in result
    const status = isStream ? 200 : statusOf(publicResult(result, tools), JSON_TYPE)
    const stream = eventStream({
      results: isStream ? guarded(result, tools) : only(result),
      toPublic: (one) => publicAnswer(one, tools),
      heartbeatMs: heartbeatSeconds * 1000,
      onClose: () => open.delete(entry),
    })
    const entry = { end: () => stream.end({ errors: [publicError(serverStopping(), tools)] }), cut }
    open.add(entry)
    return new Response(stream.body, { status, headers: HEADERS })
  }

  return {
    answer,
    /** Announces to every client that the server stops, and cuts those that do not read it. */
    async close() {
      for (const { end } of open) end()
      const deadline = performance.now() + CUT_AFTER_MS
      while (open.size > 0 && performance.now() < deadline) await sleep(20)
      for (const { cut } of open) cut?.()
    },
  }
}

const acceptsEvents = (accept: string | null) => accept === null || /text\/(event-stream|\*)|\*\/\*/.test(accept)

async function* only(result: ExecutionResult): AsyncGenerator<ExecutionResult, void> {
  yield result
}
