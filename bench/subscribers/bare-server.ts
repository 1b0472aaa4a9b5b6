import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { GraphQLID, GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql'
import { useServer } from 'graphql-ws/use/ws'
import { WebSocketServer } from 'ws'

// The cost of graphql-ws alone: the smallest schema that answers the same subscription with the same bytes, fed from
// memory, without tokens, limits, an event log or a database.
interface Message {
  cursor: string
  status: string
  health: string
  event: { type: string; createdAt: string } | null
}

const waiting = new Set<(message: Message) => void>()
const present: Message = { cursor: '1', status: 'RUNNING', health: 'HEALTHY', event: null }

/** Written by hand: a waiting generator cannot be cancelled, so its listener would never be removed. */
function changes(): AsyncGenerator<Message, void> {
  const queue = [present]
  let ask: ((result: IteratorResult<Message, void>) => void) | null = null
  const ended = { done: true, value: undefined } as const
  const listener = (message: Message) => {
    if (ask) ask({ done: false, value: message })
    else queue.push(message)
    ask = null
  }
  waiting.add(listener)
  return {
    next() {
      const value = queue.shift()
      if (value) return Promise.resolve({ done: false, value })
      return new Promise((resolve) => {
        ask = resolve
      })
    },
    async return() {
      waiting.delete(listener)
      ask?.(ended)
      return ended
    },
    async throw(error) {
      waiting.delete(listener)
      throw error
    },
    [Symbol.asyncIterator]() {
      return this
    },
    async [Symbol.asyncDispose]() {},
  }
}

const string = { type: new GraphQLNonNull(GraphQLString) }
const EventType = new GraphQLObjectType({ name: 'Event', fields: { type: string, createdAt: string } })
const MessageType = new GraphQLObjectType({
  name: 'Message',
  fields: { cursor: string, status: string, health: string, event: { type: EventType } },
})
const schema = new GraphQLSchema({
  query: new GraphQLObjectType({ name: 'Query', fields: { ok: string } }),
  subscription: new GraphQLObjectType({
    name: 'Subscription',
    fields: {
      appEnvStatusChanged: {
        type: MessageType,
        args: { appEnvId: { type: GraphQLID } },
        subscribe: changes,
        resolve: (message) => message,
      },
    },
  }),
})

const http = createServer()
useServer({ schema }, new WebSocketServer({ server: http, path: '/graphql' }))
http.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` }))

process.on('message', (message) => {
  if (typeof message !== 'object' || message === null || !('cursor' in message)) return
  const event = { type: 'APP_ENV_STATUS_CHANGED', createdAt: new Date().toISOString() }
  const update = { ...present, cursor: String(message.cursor), event }
  for (const listener of waiting) listener(update)
})
