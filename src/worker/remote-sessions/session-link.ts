import { once } from 'node:events'
import { WebSocket } from 'ws'
import { MAX_MESSAGE_BYTES, type SessionEnd } from '../../domain/remote-session.ts'
import { PacedSocket } from '../../network/paced-socket.ts'
import type { ClaimedSession } from '../../storage/remote-sessions/claim-session.ts'

/** Where workers bring sessions, below the URL of an API process. */
export const WORKER_PATH = '/remote-session/worker'

const CONNECT_MS = 5_000
/** Of a connection that was closed without a close frame. */
const VANISHED = 1006

/** A worker's connection to the API process that has the client of a session. */
export interface SessionLink {
  /** Fires when the client, or its API process, is gone. */
  gone: AbortSignal
  /** Whether the API process vanished, and so records no end. */
  isLost(): boolean
  /** Messages of the client, as it sent them, until it is gone. */
  messages(): AsyncGenerator<Buffer>
  /** To the client. Resolves when it is not far behind. */
  send(content: Buffer): Promise<void>
  /** The last message: how it ended. */
  end(end: SessionEnd): Promise<void>
}

/** Throws when the process does not answer, or has no such session. */
export async function connectToClient(
  { id, relayUrl }: ClaimedSession,
  key: string,
  heartbeatMs: number,
): Promise<SessionLink> {
  const url = `${relayUrl.replace(/^http/, 'ws').replace(/\/$/, '')}${WORKER_PATH}?${new URLSearchParams({ id })}`
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${key}` },
    handshakeTimeout: CONNECT_MS,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
  })
  const inbox = new Inbox()
  const paced = new PacedSocket(socket, { heartbeatMs, onMessage: (content) => inbox.put(content) })
  await Promise.race([
    once(socket, 'open'),
    paced.closed.then(({ code, reason }) => {
      throw new Error(`The API process refused the session: ${code} ${reason}`)
    }),
  ])
  const gone = new AbortController()
  let isLost = false
  void paced.finished.then(({ code }) => {
    isLost = code === VANISHED
    gone.abort(new Error('The client is gone'))
    inbox.close()
  })
  return {
    gone: gone.signal,
    isLost: () => isLost,
    messages: () => inbox.read(),
    send: (content) => paced.send(content),
    async end(end) {
      await paced.send(JSON.stringify(end))
      paced.close(1000, '')
      await paced.closed
    },
  }
}

/** One message at a time, from the socket to its reader: who puts one waits until it is taken. */
class Inbox {
  #offered: { content: Buffer; taken: () => void } | null = null
  #changed = Promise.withResolvers<void>()
  #isClosed = false

  put(content: Buffer): Promise<void> | void {
    if (this.#isClosed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#offered = { content, taken: resolve }
    this.#changed.resolve()
    return promise
  }

  close(): void {
    this.#isClosed = true
    this.#offered?.taken()
    this.#changed.resolve()
  }

  async *read(): AsyncGenerator<Buffer> {
    for (;;) {
      const offered = this.#offered
      if (offered) {
        this.#offered = null
        yield offered.content
        // Only now: what its reader does with it is done.
        offered.taken()
        continue
      }
      if (this.#isClosed) return
      this.#changed = Promise.withResolvers()
      if (!this.#offered && !this.#isClosed) await this.#changed.promise
    }
  }
}
