import type { Listening, ListeningSocket } from '../../engines/runtime/container-runtime.ts'
import { isLoopback } from '../../engines/runtime/tcp-table.ts'

/** More would hide the one that matters. */
const MAX_PORTS = 4

/** Where a container listens instead of on its port. */
export interface Elsewhere {
  /** What it does, and what to do about it: `listens on 8080, not 3000; …`. */
  words: string
  /**
   * Whether it will not listen on its port later either. A program may well open a port for metrics or debugging first,
   * and its own only when its data is migrated: another port alone proves nothing.
   */
  isLasting: boolean
  /** It accepts no connections at all: it may be one that serves none. */
  isNowhere: boolean
}

/**
 * Why the port cannot be reached, as far as the sockets show; null when it can be reached. `isRefused`: a connection to it was,
 * just before. The kernel lists a socket for IPv6 alone as it lists one for both, and only that distinguishes them.
 */
export function listeningElsewhere(
  { sockets, declaredPorts }: Listening,
  port: number,
  { isRefused = false } = {},
): Elsewhere | null {
  const onPort = sockets.filter((socket) => socket.port === port)
  const reached = onPort.filter(({ address }) => !isLoopback(address))
  const [first] = reached
  if (first && isRefused && reached.every(({ address }) => address.includes(':'))) {
    const words = `listens on ${named(first)} only, and there by IPv6 alone, which its container has not; listen on 0.0.0.0`
    return { words, isLasting: true, isNowhere: false }
  }
  if (first) return null
  const [own] = onPort
  // Nothing can listen on all addresses of a port while one of them is taken.
  if (own) return { words: `listens on ${named(own)} only; listen on 0.0.0.0`, isLasting: true, isNowhere: false }
  const reachable = portsOf(sockets.filter(({ address }) => !isLoopback(address)))
  if (reachable.length > 0) {
    const declared = reachable.filter((one) => declaredPorts.includes(one))
    return {
      words: `listens on ${listOf(reachable)}, not ${port}; listen on $PORT, or set the app's port to ${(declared.length > 0 ? declared : reachable).slice(0, MAX_PORTS).join(' or ')}`,
      isLasting: declared.length > 0 && !declaredPorts.includes(port),
      isNowhere: false,
    }
  }
  if (sockets.length === 0) return { words: 'listens on nothing yet', isLasting: false, isNowhere: true }
  const words = `listens on ${listOf(sockets.map(named))} only, not on ${port}; listen on 0.0.0.0:${port}`
  return { words, isLasting: false, isNowhere: false }
}

const portsOf = (sockets: readonly ListeningSocket[]) =>
  [...new Set(sockets.map(({ port }) => port))].sort((a, b) => a - b)

const named = ({ address, port }: ListeningSocket) =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`

function listOf(all: readonly (string | number)[]): string {
  const shown = all.slice(0, MAX_PORTS)
  const rest = all.length - shown.length
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`
  return shown.length > 1 ? `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}` : shown.join('')
}
