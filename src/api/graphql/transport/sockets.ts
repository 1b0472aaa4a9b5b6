import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ExecutionResult } from 'graphql'
import type { Context } from 'graphql-ws'
import { type Extra, useServer } from 'graphql-ws/use/ws'
import { type WebSocket, WebSocketServer } from 'ws'
import { DomainError } from '../../../domain/errors.ts'
import { TrustedProxies } from '../../../domain/trusted-proxies.ts'
import { presentedBy } from '../../http/session-cookie.ts'
import type { GraphQLParts } from '../context.ts'
import { CUT_AFTER_MS, closeSocket, drainSockets, watchBacklog } from './socket-closing.ts'
import { prepare, publicAnswer, run, type SocketArguments, type SocketDependencies } from './socket-operation.ts'

const PATH = '/graphql'
const INIT_WAIT_MS = 5_000

type Params = Record<string, unknown> | undefined
type OwnExtra = { stopWatching?: () => void }
type SocketContext = Context<Params, Extra & OwnExtra>

/** Operations over WebSocket, by the protocol graphql-transport-ws, through the same plugins as over HTTP. */
export function attachSockets(dependencies: SocketDependencies) {
  const { parts, log, stopping } = dependencies
  const { BERTH_BODY_LIMIT_KB, BERTH_HEARTBEAT_SECONDS, BERTH_SUBSCRIBER_BACKLOG_KB } = parts.config
  const options = {
    noServer: true,
    maxPayload: BERTH_BODY_LIMIT_KB * 1024,
    // Not in the library's types: by itself, it waits half a minute for a client that never closes.
    closeTimeout: CUT_AFTER_MS,
  }
  const sockets = new WebSocketServer(options)
  const open = new Set<SocketContext>()
  const proxies = new TrustedProxies(parts.config.BERTH_TRUSTED_PROXIES)
  const addressOf = ({ extra: { request } }: Pick<SocketContext, 'extra'>) => clientOf(proxies, request)
  const server = useServer<Params, OwnExtra>(
    {
      connectionInitWaitTimeout: INIT_WAIT_MS,
      onConnect: (context) => {
        open.add(context as SocketContext)
        return admit(parts, context as SocketContext, addressOf(context as SocketContext))
      },
      onClose: (context) => {
        open.delete(context as SocketContext)
        ;(context as SocketContext).extra.stopWatching?.()
      },
      onSubscribe: (context, _id, payload) => {
        const { extra, subscriptions } = context as SocketContext
        return prepare(dependencies, {
          payload,
          address: addressOf(context as SocketContext),
          authorization: authorizationOf(context as SocketContext),
          // It already includes the new one.
          others: Object.keys(subscriptions).length - 1,
          closeConnection: () => closeSocket(extra.socket, 'forbidden'),
          onTooSlow: () => closeSocket(extra.socket, 'tooSlow'),
          canAnswer: () => extra.socket.readyState === extra.socket.OPEN,
        })
      },
      execute: (args) => run(args as unknown as SocketArguments, 'execute') as never,
      subscribe: (args) => run(args as unknown as SocketArguments, 'subscribe') as never,
      onNext: (_context, _id, _payload, args, result) =>
        publicAnswer(result as ExecutionResult, (args as unknown as SocketArguments).tools),
    },
    sockets,
    BERTH_HEARTBEAT_SECONDS * 1000,
  )
  sockets.on('connection', (socket) => {
    watchBacklog(socket, BERTH_SUBSCRIBER_BACKLOG_KB * 1024)
    // A frame that is too large or invalid ends its own socket. The library's listener would log each as a server
    // error, so that any client could fill the log.
    socket.removeAllListeners('error')
    forgiveLateAnswers(socket)
    socket.on('error', (error) => log.debug({ err: error }, 'A WebSocket failed'))
  })

  let isElsewhere: (request: IncomingMessage) => boolean = () => false
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node has removed its own listener: a client that disconnects before its answer would end the process.
    socket.on('error', (error) => log.debug({ err: error }, 'An upgrade failed'))
    if (isElsewhere(request)) return
    if (request.url?.split('?')[0] !== PATH) return socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')
    if (stopping.aborted)
      return socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n\r\n')
    void countConnection(parts, clientOf(proxies, request)).then((refusal) => {
      if (refusal) return socket.end(refusal)
      return sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, request))
    })
  }

  return {
    /** `elsewhere`: whether another listener takes an upgrade. */
    attach(http: Server, elsewhere = isElsewhere) {
      isElsewhere = elsewhere
      http.on('upgrade', upgrade)
    },
    /** Every running operation is answered before its socket is closed. */
    async close() {
      await drainSockets(open)
      // Sockets that have not sent their first message yet.
      for (const client of sockets.clients) closeSocket(client, 'goingAway')
      await server.dispose()
    },
  }
}

/** A raw answer that refuses the connection; null when it may be opened. */
async function countConnection({ admission }: GraphQLParts, address: string): Promise<string | null> {
  try {
    await admission?.admitAddress(address)
    return null
  } catch (error) {
    const seconds = error instanceof DomainError ? (error.details.retryAfterSeconds ?? 1) : 1
    return `HTTP/1.1 429 Too Many Requests\r\nRetry-After: ${seconds}\r\nConnection: close\r\n\r\n`
  }
}

function clientOf(proxies: TrustedProxies, { socket, headers }: IncomingMessage): string {
  const forwardedFor = headers['x-forwarded-for']
  return proxies.clientOf(socket.remoteAddress, Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor)
}

/**
 * An answer to a client that has disconnected meanwhile is no server error; the closed socket is reported separately.
 */
function forgiveLateAnswers(socket: WebSocket): void {
  const send = socket.send.bind(socket) as (data: string, done: () => void) => void
  socket.send = (data: unknown, done?: unknown) => send(data as string, () => (done as (() => void) | undefined)?.())
}

/**
 * Browsers cannot set headers on a WebSocket, so the token may come in the first message instead. Our own pages need
 * none: their session's cookie comes with the request that opens it.
 */
function authorizationOf({ connectionParams, extra }: SocketContext): string | null {
  const sent = connectionParams?.Authorization ?? connectionParams?.authorization
  if (typeof sent === 'string') return sent
  const { headers } = extra.request
  return presentedBy('GET', (name) => {
    const value = headers[name]
    return Array.isArray(value) ? value[0] : value
  })
}

/** False where the socket is closed: without a token, nothing is allowed here. */
async function admit(
  { access, services, admission }: GraphQLParts,
  context: SocketContext,
  address: string,
): Promise<boolean> {
  const authorization = authorizationOf(context)
  try {
    const admitted = await admission?.admit({ address, authorization })
    if (!admitted) await services.authenticate(authorization)
    else if (!admitted.caller) throw admitted.refusal
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'RATE_LIMITED') closeSocket(context.extra.socket, 'tooMany')
    else closeSocket(context.extra.socket, code === 'UNAUTHENTICATED' ? 'unauthorized' : 'unavailable')
    return false
  }
  const { extra } = context
  if (extra.socket.readyState !== extra.socket.OPEN) return false
  extra.stopWatching = access.watch(authorization, (present) => {
    if (!present) closeSocket(extra.socket, 'forbidden')
  })
  return true
}
