import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'

export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
  data?: any
  errors?: readonly { message: string; extensions?: Record<string, unknown> }[]
}

interface Call {
  url: string
  token: string
  query: string
  variables?: Record<string, unknown>
  signal?: AbortSignal
}

/** Every answer to one operation over SSE, as it arrives. */
export async function* overSse({ url, token, query, variables, signal }: Call): AsyncGenerator<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: token },
    body: JSON.stringify({ query, variables }),
    signal,
  })
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const message = text.slice(0, end)
      text = text.slice(end + 2)
      if (/^event: complete/m.test(message)) return
      const data = /^data: (.+)$/m.exec(message)?.[1]
      if (data) yield JSON.parse(data) as Answer
    }
  }
}

/** A client for graphql-transport-ws that never reconnects, and remembers how its socket was closed. */
export function openSocket(url: string, token: string | null) {
  const closed = Promise.withResolvers<{ code: number; reason: string }>()
  const client = createClient({
    url: url.replace(/^http/, 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: token === null ? {} : { Authorization: token },
    retryAttempts: 0,
    lazyCloseTimeout: 60_000,
    on: { closed: (event) => closed.resolve(event as { code: number; reason: string }) },
  })
  return {
    closed: closed.promise,
    async *iterate(query: string, variables?: Record<string, unknown>): AsyncGenerator<Answer> {
      try {
        yield* client.iterate({ query, variables }) as AsyncIterable<Answer>
      } catch (error) {
        // A list of GraphQL errors is an answer; a closed socket is not.
        if (!Array.isArray(error)) throw error
        yield { errors: error }
      }
    },
    close: () => client.dispose(),
  }
}

/** The first so many answers. */
export async function take<T>(from: AsyncGenerator<T>, count: number): Promise<T[]> {
  const taken: T[] = []
  while (taken.length < count) {
    const { done, value } = await from.next()
    if (done) break
    taken.push(value)
  }
  return taken
}
