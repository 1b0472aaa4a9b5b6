import { WebSocket } from 'ws'

// Holds the subscribers, in a process of its own, so that their cost does not count as the server's. It implements the
// protocol itself, because ten thousand clients of a library would be measured as well.
const QUERY = `subscription ($id: ID) {
  appEnvStatusChanged(appEnvId: $id) { cursor status health event { type createdAt } }
}`
const OPENING_AT_A_TIME = 50

export interface Opening {
  open: { url: string; tokens: string[]; appEnvId: string; count: number }
}

export interface Receipt {
  cursor: string
  /** When each subscriber had the event, in milliseconds since 1970. */
  at: number[]
}

const now = () => performance.timeOrigin + performance.now()
const sockets: WebSocket[] = []
let count = 0
const arrivals = new Map<string, number[]>()

function subscribe({ url, tokens, appEnvId }: Opening['open'], index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    sockets.push(socket)
    const send = (message: object) => socket.send(JSON.stringify(message))
    socket.on('open', () =>
      send({ type: 'connection_init', payload: { Authorization: tokens[index % tokens.length] } }),
    )
    socket.on('message', (data) => {
      const text = String(data)
      if (text.startsWith('{"type":"connection_ack"')) {
        return send({ id: '1', type: 'subscribe', payload: { query: QUERY, variables: { id: appEnvId } } })
      }
      const cursor = /"cursor":"(\d+)"/.exec(text)?.[1]
      if (!cursor) return reject(new Error(`Unexpected: ${text}`))
      if (text.includes('"event":null')) return resolve()
      arrive(cursor)
    })
    socket.on('error', reject)
    socket.on('close', (code, reason) => reject(new Error(`Closed with ${code} ${reason}`)))
  })
}

function arrive(cursor: string): void {
  const at = arrivals.get(cursor) ?? []
  arrivals.set(cursor, at)
  at.push(now())
  if (at.length < count) return
  arrivals.delete(cursor)
  process.send?.({ cursor, at } satisfies Receipt)
}

async function open(opening: Opening['open']): Promise<void> {
  count = opening.count
  for (let index = 0; index < count; index += OPENING_AT_A_TIME) {
    const group = Array.from({ length: Math.min(OPENING_AT_A_TIME, count - index) }, (_, offset) => index + offset)
    await Promise.all(group.map((each) => subscribe(opening, each)))
  }
  process.send?.('opened')
}

async function close(): Promise<void> {
  await Promise.all(
    sockets.splice(0).map(
      (socket) =>
        new Promise((resolve) => {
          socket.removeAllListeners('close').once('close', resolve)
          socket.close(1000)
        }),
    ),
  )
  process.send?.('closed')
}

process.on('message', (message: Opening | 'close') => {
  void (message === 'close' ? close() : open(message.open)).catch((error) => {
    console.error(error)
    process.exit(1)
  })
})
