import { createServer } from 'node:net'

/** Below the ports that the system gives to connections, which come and go. */
const [FIRST_PORT, LAST_PORT] = [21_000, 31_000]

/** Nobody listens on it now, and no connection takes it later. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}

/** Ports that are free now. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT))
    if (await isFree(port)) ports.add(port)
  }
  return [...ports].sort((one, other) => one - other)
}

export function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
