import { WebSocket } from 'ws'
import { type Answer, overSse } from '../support/transports.ts'

const QUERY = 'subscription ($id: ID!) { accountEvents(accountId: $id) { cursor } }'
const PER_SOCKET = 5
const OPENING_AT_A_TIME = 25

interface Subject {
  url: string
  token: string
  accountId: string
}

/** How the subscriptions came to their end. */
export interface Goodbyes {
  /** Codes that WebSockets were closed with, and how many. */
  codes: Record<string, number>
  /** Reasons that the last answer of a stream gave, and how many. */
  reasons: Record<string, number>
}

/** Opens subscriptions, four of five over WebSockets and the others over SSE; resolves when each has begun. */
export async function follow(subject: Subject, count: number): Promise<{ goodbyes: Promise<Goodbyes> }> {
  const endings: Promise<{ code?: number; reason?: string }>[] = []
  const overStreams = Math.ceil(count / 5)
  for (let index = 0; index < overStreams; index += OPENING_AT_A_TIME) {
    const group = Array.from({ length: Math.min(OPENING_AT_A_TIME, overStreams - index) }, () => followStream(subject))
    endings.push(...(await Promise.all(group)).map(({ ended }) => ended))
  }
  for (let left = count - overStreams; left > 0; left -= PER_SOCKET) {
    const { ended } = await followSocket(subject, Math.min(PER_SOCKET, left))
    endings.push(ended)
  }
  return { goodbyes: Promise.all(endings).then(counted) }
}

function counted(endings: { code?: number; reason?: string }[]): Goodbyes {
  const goodbyes: Goodbyes = { codes: {}, reasons: {} }
  for (const { code, reason } of endings) {
    if (code !== undefined) goodbyes.codes[code] = (goodbyes.codes[code] ?? 0) + 1
    else goodbyes.reasons[String(reason)] = (goodbyes.reasons[String(reason)] ?? 0) + 1
  }
  return goodbyes
}

async function followStream({ url, token, accountId }: Subject) {
  const received = overSse({ url: `${url}/graphql`, token, query: QUERY, variables: { id: accountId } })
  await received.next()
  const toTheEnd = async () => {
    let last: Answer | undefined
    for await (const one of received) last = one
    return { reason: String(last?.errors?.[0]?.extensions?.reason ?? 'none') }
  }
  return { ended: toTheEnd().catch((error) => ({ reason: String(error) })) }
}

function followSocket({ url, token, accountId }: Subject, count: number) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  const say = (message: object) => socket.send(JSON.stringify(message))
  const begun = new Set<string>()
  const ended = new Promise<{ code: number }>((resolve) => socket.on('close', (code) => resolve({ code })))
  return new Promise<{ ended: typeof ended }>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('open', () => say({ type: 'connection_init', payload: { Authorization: token } }))
    socket.on('message', (data) => {
      const { type, id } = JSON.parse(String(data)) as { type: string; id?: string }
      if (type === 'connection_ack') {
        const payload = { query: QUERY, variables: { id: accountId } }
        for (let index = 0; index < count; index += 1) say({ id: String(index), type: 'subscribe', payload })
      }
      if (type === 'next' && id) begun.add(id)
      if (begun.size === count) resolve({ ended })
    })
  })
}
