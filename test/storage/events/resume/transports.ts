import { WebSocket } from 'ws'

const QUERY = `subscription ($id: ID!, $after: String) {
  accountEvents(accountId: $id, after: $after) { cursor event { cursor payload } }
}`

export interface Arrived {
  cursor: string
  event: { cursor: string; payload: { text?: string } } | null
}

export interface Connection {
  url: string
  token: string
  accountId: string
  after: string
  onArrival(arrived: Arrived): void
}

/** Follows an account until it is left, which cuts the connection without a word. Resolves when it has ended. */
export type Transport = (connection: Connection) => { leave(): void; ended: Promise<void> }

interface Answer {
  data?: { accountEvents: Arrived } | null
  errors?: readonly { message: string }[]
}

function arrivedIn({ data, errors }: Answer): Arrived {
  if (!data || errors) throw new Error(`Answered ${JSON.stringify(errors)}`)
  return data.accountEvents
}

export const overWebSocket: Transport = ({ url, token, accountId, after, onArrival }) => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  const ended = new Promise<void>((resolve, reject) => {
    socket.on('error', () => resolve())
    socket.on('close', () => resolve())
    socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: token } })))
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { type: string; payload: Answer }
      if (message.type === 'connection_ack') {
        const payload = { query: QUERY, variables: { id: accountId, after } }
        return socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }))
      }
      // What was on its way when the reader left never reached it.
      if (socket.readyState !== socket.OPEN) return
      if (message.type === 'next') onArrival(arrivedIn(message.payload))
      else if (message.type !== 'ping') reject(new Error(`The server said ${data}`))
    })
  })
  return { leave: () => socket.terminate(), ended }
}

export const overEvents: Transport = ({ url, token, accountId, after, onArrival }) => {
  const leaving = new AbortController()
  const follow = async () => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: token },
      body: JSON.stringify({ query: QUERY, variables: { id: accountId, after } }),
      signal: leaving.signal,
    })
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      const messages = text.split('\n\n')
      text = messages.pop() ?? ''
      for (const message of messages) {
        const data = /^data: (.+)$/m.exec(message)?.[1]
        if (data && !leaving.signal.aborted) onArrival(arrivedIn(JSON.parse(data) as Answer))
      }
    }
  }
  // A connection that is lost is what is meant to happen; what the server says against it is not.
  const ended = follow().catch((error) => {
    if (error instanceof Error && error.message.startsWith('Answered')) throw error
  })
  return { leave: () => leaving.abort(), ended }
}
