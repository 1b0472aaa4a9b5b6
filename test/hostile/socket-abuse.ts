import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Findings } from './findings.ts'
import { answered, frame, json, openRawSocket, untilClosed } from './frames.ts'

interface Abuse {
  protocol?: string
  /** What is sent after the handshake; `init` introduces the client first. */
  send: (init: Buffer) => Buffer[]
  /** The close code that must come; null: the socket stays open, and answers a ping. */
  code: number | null
}

const MB = 1024 * 1024
const SUBSCRIBE = { type: 'subscribe', payload: { query: '{ __typename }' } }
const PING = json({ type: 'ping' })

/** Everything that breaks WebSocket (RFC 6455) or graphql-transport-ws, with the code that each has for it. */
const ABUSES: Record<string, Abuse> = {
  'the protocol before': { protocol: 'graphql-ws', send: (init) => [init], code: 4406 },
  'no protocol': { protocol: '', send: (init) => [init], code: 4406 },
  'an introduction twice': { send: (init) => [init, init], code: 4429 },
  'no introduction': { send: () => [], code: 4408 },
  'an operation before the introduction': { send: () => [json({ ...SUBSCRIBE, id: '1' })], code: 4401 },
  'a wrong token': { send: () => [json({ type: 'connection_init', payload: { Authorization: 'x' } })], code: 4401 },
  'no token': { send: () => [json({ type: 'connection_init' })], code: 4401 },
  'parameters that are a list': { send: () => [json({ type: 'connection_init', payload: [] })], code: 4400 },
  'a token that is an object': {
    send: () => [json({ type: 'connection_init', payload: { Authorization: {} } })],
    code: 4401,
  },
  'no JSON': { send: (init) => [init, frame('{"type":')], code: 4400 },
  'no object': { send: (init) => [init, frame('null')], code: 4400 },
  'a type that there is not': { send: (init) => [init, json({ type: 'explode' })], code: 4400 },
  'an id that is a number': { send: (init) => [init, json({ ...SUBSCRIBE, id: 1 })], code: 4400 },
  'an empty id': { send: (init) => [init, json({ ...SUBSCRIBE, id: '' })], code: 4400 },
  'an operation without a query': {
    send: (init) => [init, json({ type: 'subscribe', id: '1', payload: {} })],
    code: 4400,
  },
  'one id twice': {
    send: (init) => {
      const query = 'subscription { operationProgress(operationId: "x") { __typename } }'
      const twice = json({ type: 'subscribe', id: '1', payload: { query } })
      return [init, Buffer.concat([twice, twice])]
    },
    code: 4409,
  },
  'JSON that is deep': { send: (init) => [init, frame('['.repeat(200_000))], code: 4400 },
  'a frame that is too large': { send: (init) => [init, frame(Buffer.alloc(2 * MB, 0x20))], code: 1009 },
  'fragments that are too large': {
    send: (init) => [
      init,
      frame('{', { fin: false }),
      ...Array(40).fill(frame(Buffer.alloc(64 * 1024, 0x20), { opcode: 0, fin: false })),
    ],
    code: 1009,
  },
  'a length of eight bytes that is a lie': {
    send: (init) => [init, Buffer.from([0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255])],
    code: 1009,
  },
  'no UTF-8': { send: (init) => [init, frame(Buffer.from([0x7b, 0xc3, 0x28, 0x7d]))], code: 1007 },
  'a frame without a mask': { send: (init) => [init, json(SUBSCRIBE, { masked: false })], code: 1002 },
  'reserved bits': { send: (init) => [init, json(SUBSCRIBE, { rsv: 4 })], code: 1002 },
  'an opcode that there is not': { send: (init) => [init, frame('', { opcode: 11 })], code: 1002 },
  'a rest without a beginning': { send: (init) => [init, frame('x', { opcode: 0 })], code: 1002 },
  'a beginning in the middle': { send: (init) => [init, frame('{', { fin: false }), frame('{')], code: 1002 },
  'a ping that is too long': { send: (init) => [init, frame('x'.repeat(126), { opcode: 9 })], code: 1002 },
  'a ping in pieces': { send: (init) => [init, frame('x', { opcode: 9, fin: false })], code: 1002 },
  'a close code that there is not': { send: (init) => [init, frame(Buffer.from([0, 1]), { opcode: 8 })], code: 1002 },
  'bytes that are no frame': { send: (init) => [init, Buffer.from('GET / HTTP/1.1\r\n\r\n')], code: 1002 },
  'a message in many fragments': {
    send: (init) => [
      init,
      frame('{', { fin: false }),
      ...Array(500).fill(frame(' ', { opcode: 0, fin: false })),
      frame('"type":"pong"}', { opcode: 0 }),
    ],
    code: null,
  },
  'a flood of pings': {
    send: (init) => [init, Buffer.concat(Array(20_000).fill(frame('', { opcode: 9 })))],
    code: 1006,
  },
  'a flood of messages': { send: (init) => [init, Buffer.concat(Array(20_000).fill(PING))], code: null },
  'ends of what never began': {
    send: (init) => [init, ...Array(100).fill(json({ type: 'complete', id: 'x' }))],
    code: null,
  },
  'a binary message': { send: (init) => [init, frame(JSON.stringify({ type: 'pong' }), { opcode: 2 })], code: null },
}

/** A bound on a hang. */
const PATIENCE_MS = 60_000
const STILL_THERE = 'still there'

/** Every abuse, one after the other on its own socket; how many there were. */
export async function abuseSockets(port: number, token: string, findings: Findings): Promise<number> {
  const init = json({ type: 'connection_init', payload: { Authorization: token } })
  const one = async ([name, { protocol, send, code }]: [string, Abuse]) => {
    const socket = await openRawSocket(port, protocol)
    const parts = send(init)
    const isIntroduced = parts[0] === init
    for (const [index, part] of parts.entries()) {
      socket.write(part)
      // The token is checked before anything else is allowed.
      if (index === 0 && isIntroduced) await answered(socket)
    }
    const outcome = code === null ? await whileOpen(socket) : (await untilClosed(socket, PATIENCE_MS)).code
    if (outcome !== code) findings.add({ phase: 'WebSocket', what: `${name} ended with ${outcome}, not ${code}` })
  }
  await Promise.all(Object.entries(ABUSES).map(one))
  return Object.keys(ABUSES).length
}

/** Null when a ping is still answered after all that. */
async function whileOpen(socket: Socket): Promise<number | string | null> {
  const closed = untilClosed(socket, PATIENCE_MS, STILL_THERE)
  socket.write(frame(STILL_THERE, { opcode: 9 }))
  const { code, text } = await closed
  return code ?? (text.includes(STILL_THERE) ? null : 'silence')
}

/** Thousands of subscribers who hang up without a word. */
export async function crowd(port: number, token: string, accountId: string, count: number): Promise<void> {
  const init = json({ type: 'connection_init', payload: { Authorization: token } })
  const query = `subscription { accountEvents(accountId: "${accountId}") { cursor } }`
  const subscribe = Array.from({ length: 10 }, (_, id) => json({ type: 'subscribe', id: `${id}`, payload: { query } }))
  for (let opened = 0; opened < count; opened += 100) {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => openRawSocket(port)))
    for (const socket of sockets) socket.write(init)
    await sleep(50)
    for (const socket of sockets) socket.write(Buffer.concat(subscribe))
    await sleep(50)
    for (const socket of sockets) socket.resetAndDestroy()
  }
}
