import { get, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { runtimeUnavailable } from '../../domain/errors.ts'
import { exhaustedWords, isHostExhausted } from '../../domain/host-exhausted.ts'
import type { ObservedReplica } from './container-runtime.ts'

export interface Probe {
  address: string
  port: number
  /** Null: a TCP connection that is accepted is enough. */
  path: string | null
  headers?: Record<string, string>
  timeoutMs: number
  signal?: AbortSignal
}

export interface Readiness {
  ready: boolean
  /** For the person whose deployment does not become ready. */
  reason: string
  /** The container's kernel refused the connection to the probed port. */
  isRefused?: boolean
}

/**
 * Probes a replica once: by HTTP, where 2xx and 3xx mean ready, or by TCP connect. Never throws because of the replica;
 * throws the signal's reason when the caller aborts, and RUNTIME_UNAVAILABLE when this machine has run out of
 * descriptors or ports, which says nothing about the replica.
 */
export async function probe(target: Probe): Promise<Readiness> {
  const { path, port, timeoutMs } = target
  const what = path === null ? `port ${port}` : `GET ${path}`
  const timeUp = AbortSignal.timeout(timeoutMs)
  const signal = target.signal ? AbortSignal.any([target.signal, timeUp]) : timeUp
  try {
    if (path === null) {
      await acceptsConnection(target, signal)
      return { ready: true, reason: `port ${port} accepts connections` }
    }
    const status = await statusOf(target, path, signal)
    return { ready: status >= 200 && status < 400, reason: `${what} answered ${status}` }
  } catch (error) {
    target.signal?.throwIfAborted()
    if (isHostExhausted(error)) throw runtimeUnavailable(exhaustedWords(error))
    if (timeUp.aborted) return { ready: false, reason: `${what} did not answer within ${timeoutMs / 1000} s` }
    const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'
    return { ready: false, reason: wordsFor(error, what, port), ...(isRefused ? { isRefused } : {}) }
  }
}

function acceptsConnection({ address, port }: Probe, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, signal })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
  })
}

/** No agent: a connection kept open could still belong to a previous run of the replica. */
function statusOf({ address, port, headers }: Probe, path: string, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get({ host: address, port, path, headers: withAgentName(headers), agent: false, signal })
    request.once('error', reject)
    request.once('response', (response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
  })
}

const withAgentName = (headers: Record<string, string> = {}): IncomingHttpHeaders => ({
  'user-agent': 'Berth-Probe',
  ...headers,
})

/** Nothing listens there in a container, so that its kernel refuses at once. */
const CLOSED_PORT = 1
const REACH_MS = 2_000
const UNREACHABLE = ['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ETIMEDOUT']

/**
 * Whether a container's network answers: a refused connection shows that, whatever its program does. False says that
 * the cause is outside of the program; true also where that cannot be found out: what answers at the machine's address,
 * or refuses to, is not the container. Throws as `probe` does.
 */
export async function isReachable(
  { address, hasOwnAddress }: Pick<ObservedReplica, 'address' | 'hasOwnAddress'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (address === null || !hasOwnAddress) return true
  const timeUp = AbortSignal.timeout(REACH_MS)
  try {
    const target = { address, port: CLOSED_PORT, path: null, timeoutMs: REACH_MS }
    await acceptsConnection(target, AbortSignal.any([signal, timeUp]))
    // Without its bridge, an address leads out of this machine, where a proxy may accept whatever comes.
    return false
  } catch (error) {
    signal.throwIfAborted()
    if (isHostExhausted(error)) throw runtimeUnavailable(exhaustedWords(error))
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return !timeUp.aborted && !UNREACHABLE.includes(code)
  }
}

/** Why a container did not answer, for its owner: never with the address, which may be the machine's. */
export function wordsFor(error: unknown, what: string, port: number): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ECONNREFUSED') return `connection refused on port ${port}`
  if (code === 'ECONNRESET' || code === 'EPIPE') return `${what}: the connection was closed without an answer`
  if (UNREACHABLE.includes(code)) return `${what}: the container cannot be reached`
  if (code.startsWith('HPE_')) return `${what} was answered by something that is not HTTP`
  // Messages of the system's errors name the address.
  if (error instanceof Error && 'syscall' in error) return `${what} failed: ${code}`
  return `${what} failed: ${error instanceof Error ? error.message : String(error)}`
}
