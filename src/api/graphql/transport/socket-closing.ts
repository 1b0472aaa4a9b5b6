import { setTimeout as sleep } from 'node:timers/promises'
import type { WebSocket } from 'ws'

/** Berth's own close codes, in addition to those of graphql-transport-ws. Documented in the README. */
const CLOSING = {
  /** Open another one, perhaps to another process, and continue from the last cursor. */
  goingAway: { code: 1001, reason: 'The server is stopping' },
  unauthorized: { code: 4401, reason: 'Unauthorized: send a valid token in the first message, as Authorization' },
  forbidden: { code: 4403, reason: 'Forbidden' },
  /** Open another one after a while: the caller could not be authenticated. */
  unavailable: { code: 1013, reason: 'Berth cannot check the token at the moment: try again later' },
  /** Open another one after a while. */
  tooMany: { code: 1013, reason: 'Too many requests: try again later' },
  /** Open another one, and continue from the last cursor. */
  tooSlow: { code: 4413, reason: 'Too slow: go on from the cursor of the last event you got' },
} as const

/** A client that does not read does not read a close frame either. */
export const CUT_AFTER_MS = 2_000
const DRAIN_MS = 5_000
const DRAIN_LOOK_MS = 20

export function closeSocket(socket: WebSocket, why: keyof typeof CLOSING): void {
  if (socket.readyState === socket.CLOSED) return
  socket.close(CLOSING[why].code, CLOSING[why].reason)
  setTimeout(() => socket.terminate(), CUT_AFTER_MS).unref()
}

/** Drops a peer that lets its answers pile up: answers to many small operations, or pongs to its pings. */
export function watchBacklog(socket: WebSocket, maxBytes: number): void {
  const check = () => {
    if (socket.bufferedAmount > maxBytes) closeSocket(socket, 'tooSlow')
  }
  socket.on('message', check)
  socket.on('ping', check)
}

/** The part of a socket's context that shows whether an operation still needs an answer. */
export interface Draining {
  extra: { socket: WebSocket }
  /** By id: null while an operation is prepared or executed, a generator once it is a live subscription. */
  subscriptions: Record<string, unknown>
}

const isBusy = ({ subscriptions }: Draining): boolean => Object.values(subscriptions).includes(null)

/** Closes every socket once its running operations are answered; live subscriptions end with a request to reconnect. */
export async function drainSockets(open: ReadonlySet<Draining>): Promise<void> {
  const deadline = performance.now() + DRAIN_MS
  for (let left = [...open]; left.length > 0; ) {
    const isLate = performance.now() > deadline
    for (const context of left) if (isLate || !isBusy(context)) closeSocket(context.extra.socket, 'goingAway')
    left = left.filter((context) => !isLate && isBusy(context))
    if (left.length > 0) await sleep(DRAIN_LOOK_MS)
  }
}
