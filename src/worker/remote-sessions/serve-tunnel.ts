import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { SessionEnd } from '../../domain/remote-session.ts'
import type { ClaimedSession } from '../../storage/remote-sessions/claim-session.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import type { SessionLink } from './session-link.ts'

const CONNECT_MS = 5_000

interface ServedSession {
  session: ClaimedSession
  link: SessionLink
  signal: AbortSignal
}

/** Connects to a port of the container of a session, and carries the bytes both ways, until either side ends. */
export async function serveTunnel(
  { runtime }: Pick<WorkerContext, 'runtime'>,
  { session, link, signal }: ServedSession,
): Promise<SessionEnd> {
  const { appEnvId, container, containerId, port, isOwnPort } = session
  // The engine's own word, not the database's: no other address is ever connected to.
  const found = (await runtime.observe({ appEnvId }, { signal })).find((one) => one.containerId === containerId)
  if (!found?.address || found.phase !== 'running' || port === null)
    return { reason: 'CONTAINER_STOPPED', message: `The container ${container} does not run`, exitCode: null }
  if (!found.hasOwnAddress && !isOwnPort)
    return refused(`This engine publishes only the port that the app listens on, not ${port}`)
  const at = { host: found.address, port: found.hasOwnAddress ? port : (found.port ?? port) }
  const socket = connect({ ...at, timeout: CONNECT_MS, noDelay: true, keepAlive: true })
  try {
    const problem = await opened(socket, signal)
    if (problem) return refused(`${container} accepts no connection at port ${port}: ${problem}`)
    socket.setTimeout(0)
    void carryIn(link, socket)
    for await (const chunk of socket) await link.send(chunk as Buffer)
    return { reason: 'CONNECTION_CLOSED', message: `${container} closed the connection`, exitCode: null }
  } catch (error) {
    signal.throwIfAborted()
    return { reason: 'CONNECTION_CLOSED', message: `The connection broke off: ${wordsOf(error)}`, exitCode: null }
  } finally {
    socket.destroy()
  }
}

const refused = (message: string): SessionEnd => ({ reason: 'REFUSED', message, exitCode: null })

/** Null when it is open; otherwise why it is not. */
async function opened(socket: Socket, signal: AbortSignal): Promise<string | null> {
  const late = once(socket, 'timeout').then(() => `no answer within ${CONNECT_MS / 1000} s`)
  const open = once(socket, 'connect', { signal }).then(() => null)
  signal.addEventListener('abort', () => socket.destroy(), { once: true })
  try {
    return await Promise.race([open, late])
  } catch (error) {
    signal.throwIfAborted()
    return wordsOf(error)
  }
}

async function carryIn(link: SessionLink, socket: Socket): Promise<void> {
  for await (const chunk of link.messages()) {
    if (socket.destroyed) return
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
  }
  socket.end()
}

const wordsOf = (error: unknown): string => (error as { code?: string }).code ?? String(error)
