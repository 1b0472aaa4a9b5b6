import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { connectionOf } from './client-connection.ts'
import { rawProblem } from './problem-answer.ts'
import { badRequest, headersTooLarge, type Problem, requestTimeout } from './problems.ts'

export interface ClientLimits {
  maxConnections: number
  /** A connection silent this long is closed. */
  idleMs: number
}

/** Gets every request, also one to switch protocols: that comes with the bytes after its head. */
export type ClientRequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  tunnelBytes: Buffer | null,
) => void

const MAX_HEADER_BYTES = 32_768
// Limits clients that send their headers slowly to hold connections.
const HEADERS_TIMEOUT_MS = 15_000
const CONNECTIONS_CHECK_MS = 2_000
// Longer than load balancers in front keep idle connections (mostly 60 s), so that it is they who close first.
const KEEP_ALIVE_MS = 75_000

/** The server that clients connect to, with its limits. Requests that it cannot parse it answers itself. */
export function createClientServer(limits: ClientLimits, handle: ClientRequestHandler): Server {
  const server = createServer({
    insecureHTTPParser: false,
    // Checked with the rest of the request, so that a missing one is explained like any other fault.
    requireHostHeader: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    // A body may take as long as it flows: its pace is watched by the exchange, its silence by the idle timeout.
    requestTimeout: 0,
    connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    noDelay: true,
    // Most requests have no body, and need no stream to say so.
    optimizeEmptyRequests: true,
    shouldUpgradeCallback: switchesProtocol,
  })
  server.maxConnections = limits.maxConnections
  server.timeout = limits.idleMs
  // After Node's own listener, whose reading this divides.
  server.on('connection', (socket: Socket) => void connectionOf(socket))
  server.on('request', (request, response) => handle(request, response, null))
  // The app decides whether it wants the body: its 100 is passed on.
  server.on('checkContinue', (request, response) => handle(request, response, null))
  server.on('upgrade', (request, socket, head) => {
    const rest = connectionOf(socket as Socket).reader.release()
    handle(request, responseOn(request, socket as Socket), Buffer.concat([head, rest]))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseUnreadable(error, socket as Socket))
  return server
}

/**
 * HTTP/2 on a plain connection would carry requests past every check made here, so that one is ignored. A request with
 * a body is answered like any other: where the body ends and the tunnel begins is something two parsers may disagree
 * about, and Node takes the body of an upgrade for the first bytes of the tunnel.
 */
function switchesProtocol({ method, headers, socket }: IncomingMessage): boolean {
  const { upgrade } = headers
  // Node would hand over a connection on which an earlier answer is still due.
  if (connectionOf(socket).isBusy) return false
  if (method !== 'GET' || upgrade === undefined || /\bh2c?\b/i.test(upgrade)) return false
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}

/** An app may answer a request to switch protocols like any other; the connection ends with that answer. */
function responseOn(request: IncomingMessage, socket: Socket): ServerResponse {
  // The socket has left the server's care. Its end is reported by `close`.
  socket.on('error', () => {})
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  response.once('finish', () => socket.destroySoon())
  return response
}

function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  connectionOf(socket).reader.stop()
  // An answer under way must not be mixed with ours, and a client that reset the connection reads nothing.
  const isAnswering = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage?.headersSent
  if (!socket.writable || error.code === 'ECONNRESET' || isAnswering) {
    socket.destroy()
    return
  }
  socket.end(rawProblem(problemOf(error), randomUUID()), () => socket.destroy())
}

function problemOf({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge()
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout()
  return badRequest('The request is not valid HTTP/1.1.')
}
