import { type Client, createClient } from 'graphql-ws'
import { useSyncExternalStore } from 'react'

/** Whether the page is live: what it says of itself, and when it tries again. */
export type Connection =
  | { state: 'CONNECTING' }
  | { state: 'LIVE' }
  /** `since`: when it was last live; null if it never was. `retryAt`: when it tries again; null while it does. */
  | { state: 'LOST'; since: number | null; retryAt: number | null; isStopping: boolean }
  /** The session is over, or the account is gone. */
  | { state: 'REFUSED' }

const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 15_000
const HEARTBEAT_MS = 20_000
const HEARTBEAT_TIMEOUT_MS = 8_000
const IDLE_CLOSE_MS = 3_000

/** The server stops, and another one is about to take over. */
const GOING_AWAY = 1001
/** Of graphql-ws: the heartbeat was not answered. */
const TIMED_OUT = 4408
const UNAUTHORIZED = 4401
const FORBIDDEN = 4403

let current: Connection = { state: 'CONNECTING' }
let lastLive: number | null = null
const listeners = new Set<() => void>()

function become(next: Connection): void {
  current = next
  for (const listener of listeners) listener()
}

export const connection = (): Connection => current

/** Calls `listener` whenever it changes; returns what ends that. */
export function onConnection(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useConnection(): Connection {
  return useSyncExternalStore(onConnection, connection)
}

/** Cuts a wait short: the machine woke up, or the person came back. */
let retryNow: () => void = () => {}
addEventListener('online', () => retryNow())
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') retryNow()
})

function waitToRetry(retries: number): Promise<void> {
  const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** retries)
  const delay = longest * (0.5 + Math.random() / 2)
  if (current.state === 'LOST') become({ ...current, retryAt: Date.now() + delay })
  return new Promise((resolve) => {
    const timer = setTimeout(finish, delay)
    function finish() {
      clearTimeout(timer)
      if (current.state === 'LOST') become({ ...current, retryAt: null })
      resolve()
    }
    retryNow = finish
  })
}

const codeOf = (event: unknown): number => (event instanceof CloseEvent ? event.code : 0)

export const tryNow = (): void => retryNow()

/**
 * The one WebSocket of the tab, for every subscription. It is opened by the first of them. One that reads on from a cursor
 * gives its variables as getters, which are read again with each connection.
 */
export const socket: Client = createClient({
  url: `${location.origin.replace(/^http/, 'ws')}/graphql`,
  lazyCloseTimeout: IDLE_CLOSE_MS,
  keepAlive: HEARTBEAT_MS,
  retryAttempts: Number.POSITIVE_INFINITY,
  retryWait: waitToRetry,
  shouldRetry: (event) => ![UNAUTHORIZED, FORBIDDEN].includes(codeOf(event)),
  on: {
    opened: (opened) => {
      active = opened as WebSocket
    },
    connected: () => become({ state: 'LIVE' }),
    ping: (isReceived) => {
      if (!isReceived) heartbeat = setTimeout(() => active?.close(TIMED_OUT, 'No answer'), HEARTBEAT_TIMEOUT_MS)
    },
    pong: (isReceived) => {
      if (isReceived) clearTimeout(heartbeat)
    },
    closed: (event) => {
      clearTimeout(heartbeat)
      const code = codeOf(event)
      if (current.state === 'LIVE') lastLive = Date.now()
      if (code === UNAUTHORIZED || code === FORBIDDEN) return become({ state: 'REFUSED' })
      become({ state: 'LOST', since: lastLive, retryAt: null, isStopping: code === GOING_AWAY })
    },
  },
})

let active: WebSocket | undefined
let heartbeat: ReturnType<typeof setTimeout> | undefined

// A frozen tab has no timers: what was open may be dead for minutes when it comes back.
document.addEventListener('resume', () => active?.close(TIMED_OUT, 'The tab was frozen'))
