import { createServer, type Server } from 'node:net'
import { VanishedClients } from '../connections/vanished-clients.ts'
import { ClientConnection, type ClientRequest } from './client-connection.ts'
import { OngoingList } from './ongoing.ts'

export interface ClientLimits {
  maxConnections: number
  /** A connection silent this long is closed. */
  idleMs: number
  /** After this long a silence, TCP asks whether the client is there. */
  keepAliveMs: number
}

/**
 * The server that clients connect to, with its limits.
 *
 * Why not node:http: its request, response, headers and timers cost as much of the processor as everything that the ingress does
 * with a request (measured in turn on one machine), and what it reads had to be checked and written anew in any case.
 */
export class ClientServer {
  readonly server: Server
  private readonly connections = new OngoingList<ClientConnection>()
  private readonly vanished: VanishedClients

  constructor({ maxConnections, idleMs, keepAliveMs }: ClientLimits, onRequest: (request: ClientRequest) => void) {
    const onClose = (connection: ClientConnection) => this.connections.remove(connection)
    this.vanished = new VanishedClients(keepAliveMs)
    // A client that has sent all it has may still be answered.
    const options = { noDelay: true, allowHalfOpen: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs }
    this.server = createServer(options, (socket) => {
      // Reset already: what it has sent could still be read, but its address is unknown.
      if (socket.remoteAddress === undefined) {
        socket.destroy()
        return
      }
      this.vanished.watch(socket)
      this.connections.add(new ClientConnection(socket, idleMs, { onRequest, onClose }))
    })
    this.server.maxConnections = maxConnections
  }

  /** Ends connections whose time is over. */
  sweep(now: number): void {
    this.connections.sweep(now)
    this.vanished.sweep(now)
  }

  /** Takes no new connections, and ends each of those there are with its present answer. Resolves when there are none. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()))
    for (const connection of this.connections) connection.closeSoon()
    await closed
  }

  /** Ends them now. */
  destroy(): void {
    this.connections.destroy()
  }
}
