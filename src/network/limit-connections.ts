import type { Server, Socket } from 'node:net'
import { ClientLoad } from '../domain/client-load.ts'
import { plainAddress } from '../domain/networks.ts'
import type { TrustedProxies } from '../domain/trusted-proxies.ts'

/** Time in which a connection too many may send a request, so that its client reads why it is refused. */
const EXPLAIN_MS = 1_000

/**
 * Counts the connections of each client address. Returns those beyond its cap: their first request is refused, and
 * without one they are soon closed. Past twice the cap, connections are closed at once. A trusted proxy has no cap: its
 * clients are counted by their requests.
 */
export function limitConnections(
  server: Server,
  proxies: TrustedProxies,
  most: number,
): { has(socket: Socket): boolean } {
  const admitted = new ClientLoad(most)
  const surplus = new ClientLoad(most)
  const refused = new WeakSet<Socket>()
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    if (proxies.includes(address)) return
    if (admitted.tryEnter(address)) {
      socket.once('close', () => admitted.leave(address))
    } else if (surplus.tryEnter(address)) {
      refused.add(socket)
      setTimeout(() => socket.destroy(), EXPLAIN_MS).unref()
      socket.once('close', () => surplus.leave(address))
    } else socket.destroy()
  })
  return refused
}
