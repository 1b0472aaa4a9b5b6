import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type WebSocket, WebSocketServer } from 'ws'
import { tokenOf } from '../../calls/authenticate.ts'
import type { Config } from '../../config/config.ts'
import { DomainError, type ErrorCode, invalidField, unauthenticated } from '../../domain/errors.ts'
import { closeReason, EXEC_PROTOCOL, MAX_MESSAGE_BYTES, TUNNEL_PROTOCOL } from '../../domain/remote-session.ts'
import { TrustedProxies } from '../../domain/trusted-proxies.ts'
import { type HeldSession, RENEWAL_MS } from '../../services/remote-session/held-sessions.ts'
import { REMOTE_SESSION_PATH } from '../../services/remote-session/open-remote-session.ts'
import { createExec, createTunnel } from '../../services/remote-session/remote-session-commands.ts'
import type { Services } from '../../services/services.ts'
import type { Admission } from '../http/admission.ts'
import { PacedClient, RelayedSession } from './relayed-session.ts'

/** Where workers bring sessions. */
const WORKER_PATH = `${REMOTE_SESSION_PATH}/worker`

/** Revocation ends sessions within 5 s; this leaves time for the check itself. */
const ACCESS_CHECK_MS = 3_000
/** How long a stop waits until the ends of its sessions are recorded; what is not, a worker records. */
const STOP_MS = 3_000

/** Close codes of what is refused before a session is there. */
const CODES: Partial<Record<ErrorCode, number>> = {
  INVALID_INPUT: 4400,
  UNAUTHENTICATED: 4401,
  FORBIDDEN: 4403,
  NOT_FOUND: 4404,
  CONFLICT: 4409,
  RATE_LIMITED: 4429,
  UNAVAILABLE: 1013,
  RUNTIME_UNAVAILABLE: 1013,
}

interface RelayParts {
  services: Services
  admission: Admission
  config: Config
  log: Logger
}

/** The WebSockets of remote sessions: those of clients, and those by which workers bring what containers say. */
export class RemoteSessionRelay {
  readonly #parts: RelayParts
  readonly #sessions = new Map<string, RelayedSession>()
  readonly #ending = new Set<Promise<unknown>>()
  readonly #proxies: TrustedProxies
  readonly #timers: NodeJS.Timeout[]
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => [EXEC_PROTOCOL, TUNNEL_PROTOCOL].find((known) => offered.has(known)) ?? false,
  })
  #relayUrl = ''
  #isStopping = false

  constructor(parts: RelayParts) {
    this.#parts = parts
    this.#proxies = new TrustedProxies(parts.config.BERTH_TRUSTED_PROXIES)
    this.#timers = [
      setInterval(() => void this.#checkAccess(), ACCESS_CHECK_MS).unref(),
      setInterval(() => void this.#hold(), RENEWAL_MS).unref(),
    ]
  }

  /** Whether an upgrade is for this. */
  readonly takes = (request: IncomingMessage): boolean => {
    const path = pathOf(request)
    return path === REMOTE_SESSION_PATH || path === WORKER_PATH
  }

  /** `relayUrl`: where workers reach this process. */
  attach(http: Server, relayUrl: string): void {
    this.#relayUrl = relayUrl
    http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!this.takes(request)) return
      socket.on('error', (error) => this.#parts.log.debug({ err: error }, 'An upgrade failed'))
      if (this.#isStopping) return refuse(socket, '503 Service Unavailable', 1)
      const upgrade = pathOf(request) === WORKER_PATH ? this.#workerUpgrade : this.#clientUpgrade
      upgrade(request, (accept) => this.#sockets.handleUpgrade(request, socket, head, accept)).catch(
        (error: unknown) => {
          const seconds = error instanceof DomainError ? (error.details.retryAfterSeconds ?? 1) : 1
          const isLimited = error instanceof DomainError && error.code === 'RATE_LIMITED'
          refuse(socket, isLimited ? '429 Too Many Requests' : '404 Not Found', isLimited ? seconds : null)
        },
      )
    })
  }

  /** Ends every session with a request to open another one. */
  async close(): Promise<void> {
    this.#isStopping = true
    for (const timer of this.#timers) clearInterval(timer)
    for (const session of this.#sessions.values()) session.end('STOPPING', 'Berth restarts: open another session')
    await Promise.race([Promise.all(this.#ending), sleep(STOP_MS, undefined, { ref: false })])
    for (const socket of this.#sockets.clients) socket.close(1001, 'Berth restarts')
    this.#sockets.close()
  }

  readonly #workerUpgrade = async (request: IncomingMessage, accept: Accept): Promise<void> => {
    const id = paramsOf(request).get('id') ?? ''
    const key = tokenOf(request.headers.authorization) ?? ''
    const isExpected =
      this.#sessions.get(id)?.waitsForWorker && (await this.#parts.services.remoteSessions.isWorkerOf(id, key))
    // Asked again: it may have ended meanwhile.
    const session = isExpected ? this.#sessions.get(id) : undefined
    if (!session?.waitsForWorker) throw unauthenticated('There is no such session')
    accept((socket) => session.serveBy(socket))
  }

  /** Browsers show scripts no refusal of an upgrade: it is accepted, and closed with a code and words. */
  readonly #clientUpgrade = async (request: IncomingMessage, accept: Accept): Promise<void> => {
    const address = this.#addressOf(request)
    await this.#parts.admission.admitAddress(address)
    accept((socket) => {
      const client = new PacedClient(socket, this.#parts.config.BERTH_HEARTBEAT_SECONDS * 1000)
      this.#begin(request, address, client).catch((error: unknown) => this.#refuseClient(client, error))
    })
  }

  async #begin(request: IncomingMessage, address: string, client: PacedClient): Promise<void> {
    const { services, config } = this.#parts
    const ticket = paramsOf(request).get('ticket') ?? (await this.#ticketByToken(request, address))
    const held = await services.remoteSessions.redeem(ticket)
    const session = new RelayedSession({ held, client, config, onEnd: (end) => this.#record(held, end) })
    this.#sessions.set(held.id, session)
    if (this.#isStopping) return session.end('STOPPING', 'Berth restarts: open another session')
    await services.remoteSessions.callWorkers(held, this.#relayUrl)
  }

  /** What createExec or createTunnel answers, for a client that sends its token and their input with the upgrade. */
  async #ticketByToken(request: IncomingMessage, address: string): Promise<string> {
    const { authorization } = request.headers
    // The cookie of a session is none: pages of other sites can open WebSockets.
    if (!authorization) throw unauthenticated('Send a ticket, or your token in the Authorization header')
    const { services, admission } = this.#parts
    const { caller, refusal } = await admission.admit({ address, authorization })
    if (!caller) throw refusal
    const params = paramsOf(request)
    const options = { requestId: `req_${randomUUID()}`, api: 'rest', address }
    const performed = isTunnel(params)
      ? await services.perform(caller, createTunnel, tunnelInput(params), options)
      : await services.perform(caller, createExec, execInput(params), options)
    return performed.result.ticket
  }

  #refuseClient(client: PacedClient, error: unknown): void {
    const isMeant = error instanceof DomainError
    if (!isMeant) this.#parts.log.error({ err: error }, 'Opening a remote session failed')
    const message = isMeant ? error.message : 'Something went wrong on our side'
    client.takeBy(() => {})
    client.socket.close((isMeant && CODES[error.code]) || 1011, closeReason(message))
  }

  #record(held: HeldSession, end: Parameters<Services['remoteSessions']['end']>[1]): void {
    const { services, log } = this.#parts
    this.#sessions.delete(held.id)
    // What it ran may go on: a worker kills that first.
    const recorded =
      end.reason === 'WORKER_LOST' ? services.remoteSessions.leave(held.id) : services.remoteSessions.end(held.id, end)
    const ending = recorded
      .catch((error: unknown) =>
        log.warn(
          { err: error, remoteSessionId: held.id },
          'Recording the end of a remote session failed; a worker does',
        ),
      )
      .finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }

  /** Each token and environment once, however many sessions it has. */
  async #checkAccess(): Promise<void> {
    const groups = Map.groupBy(this.#sessions.values(), ({ held }) => `${held.tokenId} ${held.appEnvId}`)
    for (const sessions of groups.values()) {
      const [first] = sessions
      // An unreachable database revokes nothing: the next check that reaches it decides.
      const mayGoOn = !first || (await this.#parts.services.remoteSessions.mayGoOn(first.held).catch(() => true))
      if (mayGoOn) continue
      for (const session of sessions)
        session.end('ACCESS_LOST', 'Your token has ended, or you may no longer run commands here')
    }
  }

  async #hold(): Promise<void> {
    if (this.#sessions.size === 0) return
    await this.#parts.services.remoteSessions.hold([...this.#sessions.keys()]).catch((error: unknown) => {
      this.#parts.log.debug({ err: error }, 'Renewing remote sessions failed; it is retried')
    })
  }

  #addressOf({ socket, headers }: IncomingMessage): string {
    const forwardedFor = headers['x-forwarded-for']
    return this.#proxies.clientOf(
      socket.remoteAddress,
      Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor,
    )
  }
}

type Accept = (accepted: (socket: WebSocket) => void) => void

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? ''

const paramsOf = ({ url = '' }: IncomingMessage): URLSearchParams =>
  new URLSearchParams(url.split('?').slice(1).join('?'))

function refuse(socket: Duplex, status: string, retryAfterSeconds: number | null): void {
  const retry = retryAfterSeconds === null ? '' : `Retry-After: ${retryAfterSeconds}\r\n`
  socket.end(`HTTP/1.1 ${status}\r\n${retry}Connection: close\r\n\r\n`)
}

function isTunnel(params: URLSearchParams): boolean {
  const kind = params.get('kind') ?? 'exec'
  if (kind !== 'exec' && kind !== 'tunnel') throw invalidField('kind', 'must be exec or tunnel')
  return kind === 'tunnel'
}

const TEXTS = ['appEnvId', 'envName', 'podId']

function inputOf(params: URLSearchParams, numbers: readonly string[], more: Record<string, unknown>) {
  const known = new Set(['kind', ...TEXTS, ...numbers, ...Object.keys(more)])
  for (const name of params.keys()) if (!known.has(name)) throw invalidField(name, 'is not a parameter of this address')
  const given = (names: readonly string[], read: (value: string) => unknown) =>
    names.flatMap((name) => {
      const value = params.get(name)
      return value === null ? [] : [[name, read(value)] as const]
    })
  const defined = Object.entries(more).filter(([, value]) => value !== undefined)
  return Object.fromEntries([...given(TEXTS, String), ...given(numbers, Number), ...defined])
}

const tunnelInput = (params: URLSearchParams) => inputOf(params, ['port'], {})

function execInput(params: URLSearchParams) {
  const command = params.getAll('command')
  const terminal = params.get('terminal')
  if (terminal !== null && terminal !== 'true' && terminal !== 'false')
    throw invalidField('terminal', 'must be true or false')
  return inputOf(params, ['columns', 'rows'], {
    command: command.length > 0 ? command : undefined,
    terminal: terminal === null ? undefined : terminal === 'true',
  })
}
