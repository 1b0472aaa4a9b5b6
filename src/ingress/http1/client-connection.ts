import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ClientReader } from './client-reader.ts'

// Clients that pipeline at all send a few requests ahead. More only fill memory.
const MAX_WAITING = 100

/**
 * The requests of one client connection. One is served at a time: HTTP/1.1 answers them in their order anyway, and a
 * client that sends a thousand at once must not get a thousand connections to an app for its one.
 */
export class ClientConnection {
  readonly reader: ClientReader
  private isServing = false
  private readonly waiting: { response: ServerResponse; begin: () => void }[] = []

  constructor(socket: Socket) {
    this.reader = new ClientReader(socket)
  }

  /** Whether a request came before that has not been answered. */
  get isBusy(): boolean {
    return this.isServing
  }

  /** Begins now, or once the requests before it are answered. False when too many wait already. */
  serve(response: ServerResponse, begin: () => void): boolean {
    if (!this.isServing) this.begin(response, begin)
    else if (this.waiting.length < MAX_WAITING) this.waiting.push({ response, begin })
    else return false
    return true
  }

  private begin(response: ServerResponse, begin: () => void): void {
    this.isServing = true
    response.once('close', () => {
      this.isServing = false
      // Nobody is left to answer.
      if (response.req.socket.destroyed) this.waiting.length = 0
      const next = this.waiting.shift()
      if (next) this.begin(next.response, next.begin)
    })
    begin()
  }
}

const connections = new WeakMap<Socket, ClientConnection>()

/** The first call for a socket must come before its first bytes. */
export function connectionOf(socket: Socket): ClientConnection {
  const known = connections.get(socket)
  if (known) return known
  const connection = new ClientConnection(socket)
  connections.set(socket, connection)
  return connection
}
