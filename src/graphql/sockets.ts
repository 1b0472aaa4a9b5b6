import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ExecutionResult } from 'graphql'
import type { Context } from 'graphql-ws'
import { type Extra, useServer } from 'graphql-ws/use/ws'
import { type WebSocket, WebSocketServer } from 'ws'
import type { GraphQLParts } from './context.ts'
import { prepare, run, type SocketArguments, type SocketDependencies, told } from './socket-operation.ts'

const PATH = '/graphql'
const KEEP_ALIVE_MS = 12_000
const INIT_WAIT_MS = 5_000
const CLOSE_WAIT_MS = 2_000
const FORBIDDEN = 4403
const GOING_AWAY = 1001

type Params = Record<string, unknown> | undefined
type OwnExtra = { stopWatching?: () => void }
type SocketContext = Context<Params, Extra & OwnExtra>

/** Operations over WebSocket, by the protocol graphql-transport-ws, through the same plugins as over HTTP. */
export function attachSockets(dependencies: SocketDependencies) {
  const { parts, log } = dependencies
  const sockets = new WebSocketServer({ noServer: true, maxPayload: parts.config.BERTH_BODY_LIMIT_KB * 1024 })
  const server = useServer<Params, OwnExtra>(
    {
      connectionInitWaitTimeout: INIT_WAIT_MS,
      onConnect: (context) => admit(parts, context as SocketContext),
      onClose: (context) => (context as SocketContext).extra.stopWatching?.(),
      onSubscribe: (context, _id, payload) =>
        prepare(dependencies, {
          payload,
          authorization: authorizationOf(context as SocketContext),
          // The new one is among them already.
          others: Object.keys(context.subscriptions).length - 1,
          closeConnection: () => forbid((context as SocketContext).extra.socket),
        }),
      execute: (args) => run(args as unknown as SocketArguments, 'execute') as never,
      subscribe: (args) => run(args as unknown as SocketArguments, 'subscribe') as never,
      onNext: (_context, _id, _payload, args, result) =>
        told(result as ExecutionResult, (args as unknown as SocketArguments).tools),
    },
    sockets,
    KEEP_ALIVE_MS,
  )
  // A frame that is too large, or no frame at all, ends its own socket; nothing else is to be done.
  sockets.on('connection', (socket) => socket.on('error', (error) => log.debug({ err: error }, 'A WebSocket failed')))

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.url?.split('?')[0] !== PATH) return socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')
    sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, request))
  }

  return {
    attach: (http: Server) => void http.on('upgrade', upgrade),
    async close() {
      for (const client of sockets.clients) client.close(GOING_AWAY, 'The server is stopping')
      const impatient = setTimeout(() => terminateAll(sockets.clients), CLOSE_WAIT_MS)
      await server.dispose()
      clearTimeout(impatient)
    },
  }
}

const forbid = (socket: WebSocket) => socket.close(FORBIDDEN, 'Forbidden')

/** For those that do not answer a close. */
function terminateAll(clients: ReadonlySet<WebSocket>): void {
  for (const client of clients) client.terminate()
}

/** Browsers cannot set headers on a WebSocket, so the token may come in the first message instead. */
function authorizationOf({ connectionParams, extra }: SocketContext): string | null {
  const sent = connectionParams?.Authorization ?? connectionParams?.authorization
  return typeof sent === 'string' ? sent : (extra.request.headers.authorization ?? null)
}

/** False closes the socket with 4403: there is nothing to do here without a token. */
async function admit({ access, services }: GraphQLParts, context: SocketContext): Promise<boolean> {
  const authorization = authorizationOf(context)
  try {
    await services.authenticate(authorization)
  } catch {
    return false
  }
  const { extra } = context
  if (extra.socket.readyState !== extra.socket.OPEN) return false
  extra.stopWatching = access.watch(authorization, (present) => {
    if (!present) forbid(extra.socket)
  })
  return true
}
