import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { GraphQLCase } from './graphql-cases.ts'
import { PATIENCE_MS, SILENCE_MS } from './verdict.ts'

interface Message {
  type: string
  id?: string
  payload?: unknown
}

export interface SocketClient {
  /** The first answer to an operation, which is then ended. */
  first(made: GraphQLCase): Promise<{ status: number; text: string }>
  close(): void
}

const OPENINGS = 10

/** Close codes that graphql-transport-ws has for what a client did wrong. */
const DOCUMENTED = new Set([4400, 4409])

/** Many operations over one WebSocket, as a browser's client would send them; opened anew when it is closed. */
export function createSocketClient(port: number, token: string): SocketClient {
  let opening: Promise<WebSocket> | null = null
  let lastId = 0
  const waiting = new Map<string, (message: Message) => void>()

  /** A client that is starved says who it is too late, and is closed; so it tries again. */
  async function acknowledged(): Promise<WebSocket> {
    for (let attempt = 0; attempt < OPENINGS; attempt += 1) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws')
      socket.on('error', () => {})
      await once(socket, 'open')
      const isAnswered = Promise.race([
        once(socket, 'message').then(() => true),
        once(socket, 'close').then(() => false),
      ])
      socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: token } }))
      if (await isAnswered) return socket
    }
    throw new Error(`A WebSocket was closed ${OPENINGS} times before it was acknowledged`)
  }

  async function open(): Promise<WebSocket> {
    const socket = await acknowledged()
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as Message
      if (message.type === 'pong') for (const onMessage of [...waiting.values()]) onMessage(message)
      else waiting.get(message.id ?? '')?.(message)
    })
    socket.on('close', (code) => {
      opening = null
      for (const onMessage of [...waiting.values()]) onMessage({ type: 'closed', payload: code })
    })
    return socket
  }

  return {
    async first({ kind, ...payload }) {
      opening ??= open()
      const socket = await opening
      lastId += 1
      const id = String(lastId)
      const answer = Promise.withResolvers<{ status: number; text: string }>()
      waiting.set(id, ({ type, payload: received }) => {
        if (type === 'next') answer.resolve({ status: 200, text: JSON.stringify(received) })
        else if (type === 'error') answer.resolve({ status: 200, text: JSON.stringify({ errors: received }) })
        else if (type === 'complete') answer.resolve({ status: 200, text: kind === 'subscription' ? '' : '{}' })
        else if (type === 'pong' && kind === 'subscription') answer.resolve({ status: 200, text: '' })
        else if (type === 'closed') {
          const text = DOCUMENTED.has(Number(received)) ? '{"data":null}' : `closed with ${received}`
          answer.resolve({ status: DOCUMENTED.has(Number(received)) ? 200 : 0, text })
        }
      })
      socket.send(JSON.stringify({ id, type: 'subscribe', payload }))
      // A stream may have nothing to tell; whoever answers a ping meanwhile does not hang.
      const ask = setTimeout(() => socket.send('{"type":"ping"}'), SILENCE_MS)
      const late = setTimeout(() => answer.resolve({ status: 0, text: 'a WebSocket sent nothing' }), PATIENCE_MS)
      const first = await answer.promise
      clearTimeout(ask)
      clearTimeout(late)
      waiting.delete(id)
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ id, type: 'complete' }))
      return first
    },
    close: () => void opening?.then((socket) => socket.close()),
  }
}
