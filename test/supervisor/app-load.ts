import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const CONNECTIONS = 8
const PAUSE_MS = 10
/** A failure that only an ingress which ends may cause. */
export const CROSSED = 'the kept connection was closed'
/** A bound on a hang. */
const TIMEOUT_MS = 30_000

interface AppLoad {
  port: number
  host: string
  /**
   * Whether a connection that has ended is followed by another, as it is unless this says no. One that the kernel has
   * taken, and an ingress which ends has not, is reset: nobody can tell it from a request that was cut.
   */
  reconnects?: boolean
}

/** Asks a running app through the ingress, over and over, until it is stopped. */
export function loadApp({ port, host, reconnects = true }: AppLoad) {
  const failures: string[] = []
  let answered = 0
  let isStopping = false

  async function connection(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    let hasEnded = false
    while (!isStopping && (reconnects || !hasEnded)) {
      const failure = await ask(agent, () => (hasEnded = true))
      if (failure) failures.push(failure)
      else answered += 1
      await pause(PAUSE_MS)
    }
    agent.destroy()
  }

  /** Calls `onLast` when the connection is closed, and before that, when the ingress says that it will be. */
  function ask(agent: Agent, onLast: () => void): Promise<string | null> {
    return new Promise((resolve) => {
      const options = { port, host: '127.0.0.1', headers: { host }, agent, timeout: TIMEOUT_MS }
      const asking = request(options, (response) => {
        response.resume()
        if (response.headers.connection === 'close') onLast()
        response.once('end', () => resolve(response.statusCode === 200 ? null : `status ${response.statusCode}`))
        response.once('error', (error) => resolve(error.message))
      })
      asking.once('socket', (socket) => {
        if (!asking.reusedSocket) socket.once('close', onLast)
      })
      asking.once('timeout', () => asking.destroy(new Error('no answer')))
      asking.once('error', (error: NodeJS.ErrnoException) => {
        // The end of a kept connection may cross with the next request on it; clients repeat such a request.
        const isCrossed = asking.reusedSocket && error.code === 'ECONNRESET'
        resolve(isCrossed ? CROSSED : error.message)
      })
      asking.end()
    })
  }

  const running = Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return {
    failures,
    answered: () => answered,
    async stop(): Promise<void> {
      isStopping = true
      await running
    },
  }
}
