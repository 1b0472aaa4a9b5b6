import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { record } from '../../../src/storage/events/record.ts'
import type { GraphQLWorld } from '../../support/graphql-world.ts'

const PADDING = 'x'.repeat(50_000)
const MAX_EVENTS = 600
const QUERY = `subscription ($id: ID!, $after: String) {
  accountEvents(accountId: $id, after: $after) { cursor event { payload } }
}`

/** A reader that begins, and then stops reading until asked. */
export interface StuckReader {
  resume(): void
  /** What it has read altogether, once its connection has ended. */
  ended: Promise<{ text: string; code: number | null }>
}

export async function stuckSocket(world: GraphQLWorld, accountId: string): Promise<StuckReader> {
  const socket = new WebSocket(world.url.replace('http', 'ws'), 'graphql-transport-ws')
  let text = ''
  const begun = Promise.withResolvers<void>()
  const ended = new Promise<{ text: string; code: number }>((resolve) =>
    socket.on('close', (code) => resolve({ text, code })),
  )
  socket.on('open', () =>
    socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: world.adminToken } })),
  )
  socket.on('message', (data) => {
    text += `${data}\n`
    const { type } = JSON.parse(String(data)) as { type: string }
    const payload = { query: QUERY, variables: { id: accountId } }
    if (type === 'connection_ack') socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }))
    if (type === 'next') begun.resolve()
  })
  await begun.promise
  socket.pause()
  return { resume: () => socket.resume(), ended }
}

export async function stuckStream(world: GraphQLWorld, accountId: string): Promise<StuckReader> {
  const body = JSON.stringify({ query: QUERY, variables: { id: accountId } })
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', authorization: world.adminToken }
  const sending: ClientRequest = request(world.url, { method: 'POST', headers })
  sending.end(body)
  const response = await new Promise<IncomingMessage>((resolve) => sending.on('response', resolve))
  let text = ''
  const begun = Promise.withResolvers<void>()
  response.on('data', (chunk) => {
    text += chunk
    if (text.includes('event: next')) begun.resolve()
  })
  const ended = new Promise<{ text: string; code: null }>((resolve) => {
    response.on('error', () => {})
    response.on('close', () => resolve({ text, code: null }))
  })
  await begun.promise
  response.pause()
  return { resume: () => response.resume(), ended }
}

/** The server's ends of all connections opened from now on. */
export function serverSockets(world: GraphQLWorld): Set<Socket> {
  const sockets = new Set<Socket>()
  world.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  return sockets
}

const log = (world: GraphQLWorld, accountId: string) =>
  world.database.$transaction((tx) => record(tx, accountId, [{ type: 'app.updated', payload: { padding: PADDING } }]))

/** Writes until the kernel takes no more for a reader, and so the server has to keep it. */
export async function fillUp(world: GraphQLWorld, accountId: string, sockets: ReadonlySet<Socket>): Promise<void> {
  for (let count = 0; count < MAX_EVENTS; count += 1) {
    await log(world, accountId)
    if (isWaiting(sockets) && (await staysSo(sockets))) return
  }
  throw new Error('The kernel took everything')
}

const isWaiting = (sockets: ReadonlySet<Socket>) => [...sockets].some((socket) => socket.writableLength > 0)

const waitingBytes = (sockets: ReadonlySet<Socket>) =>
  [...sockets].reduce((sum, socket) => sum + socket.writableLength, 0)

/** What is only on its way to the kernel waits for a moment, too, and on a busy machine for a long one; but it shrinks. */
async function staysSo(sockets: ReadonlySet<Socket>): Promise<boolean> {
  const bytes = waitingBytes(sockets)
  for (let reads = 0; reads < 20; reads += 1) {
    await sleep(20)
    if (waitingBytes(sockets) !== bytes) return false
  }
  return true
}

export async function logMore(world: GraphQLWorld, accountId: string, count: number): Promise<void> {
  for (let received = 0; received < count; received += 1) await log(world, accountId)
}
