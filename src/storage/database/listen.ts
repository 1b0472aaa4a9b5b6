import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { backoff } from '../../domain/backoff.ts'

const RETRY_MS = { first: 100, max: 5_000 }
const END_TIMEOUT_MS = 1_000
const CONNECT_TIMEOUT_MS = 5_000

export interface Listening {
  /** False while there is no session: until then, users of notifications have to poll. */
  isConnected(): boolean
  close(): Promise<void>
}

interface ListenOptions {
  url: string
  channels: readonly string[]
  onNotification(channel: string, payload: string): void
  /** After every (re)connection: notifications may have been missed meanwhile. */
  onConnect?(): void
  log: Logger
}

/**
 * Keeps one PostgreSQL session that listens, and reconnects whenever it is lost. Notifications only make things faster:
 * every user also polls.
 */
export function listen({ url, channels, onNotification, onConnect, log }: ListenOptions): Listening {
  const closing = new AbortController()
  let connected = false
  const running = keepListening()

  async function keepListening(): Promise<void> {
    let failures = 0
    while (!closing.signal.aborted) {
      try {
        await session(() => {
          failures = 0
        })
      } catch (error) {
        log.debug({ err: error }, 'The session that listens for notifications was lost; reconnecting')
      }
      connected = false
      await sleep(backoff(RETRY_MS, failures), undefined, { signal: closing.signal }).catch(() => {})
      failures += 1
    }
  }

  async function session(onOpen: () => void): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'berth-listen',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    })
    const lost = new Promise<void>((resolve) => {
      // A connection that breaks may emit more than one error.
      client.on('error', () => resolve())
      client.once('end', () => resolve())
      closing.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    client.on('notification', ({ channel, payload }) => onNotification(channel, payload ?? ''))
    try {
      await client.connect()
      for (const channel of channels) await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
      onOpen()
      connected = true
      onConnect?.()
      await lost
    } finally {
      // A peer that vanished never confirms the end, so do not wait for long.
      await Promise.race([client.end().catch(() => {}), sleep(END_TIMEOUT_MS, undefined, { ref: false })])
    }
  }

  return {
    isConnected: () => connected,
    async close() {
      closing.abort()
      await running
    },
  }
}
