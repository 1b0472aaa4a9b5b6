import { createSocket, type Socket } from 'node:dgram'
import { createServer } from 'node:net'

/** Below the ports that the system gives to connections, which come and go. */
const [FIRST_PORT, LAST_PORT] = [21_000, 31_000]

const claims = new Map<number, Socket>()

/** Nobody listens on it now, no connection takes it later, and no other file of the run gets it. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}

/** Ports that are free now, and this process's until it ends. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT))
    if (!ports.has(port) && (await isClaimed(port)) && (await isFree(port))) ports.add(port)
  }
  return [...ports].sort((one, other) => one - other)
}

/** For a program that also listens on UDP, as a web server does for HTTP/3: the claim would be in its way. */
export async function releaseClaim(port: number): Promise<void> {
  const claim = claims.get(port)
  claims.delete(port)
  if (claim) await new Promise<void>((resolve) => claim.close(resolve))
}

export function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/**
 * Between the look and the program that listens, another process could choose the same port. A UDP socket of that number
 * needs nothing removed when its process is killed.
 */
function isClaimed(port: number): Promise<boolean> {
  const claim = createSocket('udp4').unref()
  return new Promise((resolve) => {
    claim.once('error', () => {
      claim.close()
      resolve(false)
    })
    claim.bind({ address: '127.0.0.1', port, exclusive: true }, () => {
      claims.set(port, claim)
      resolve(true)
    })
  })
}
