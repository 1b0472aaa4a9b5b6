import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { DomainError } from '../../domain/errors.ts'
import { urlHost } from '../../domain/listen-address.ts'
import type { TrustedProxies } from '../../domain/trusted-proxies.ts'
import { limitConnections } from '../../network/limit-connections.ts'
import { UPLOAD_PATH } from '../../services/upload/request-storage-key.ts'
import { SECURITY_HEADERS } from '../http/context.ts'
import { renderProblem } from '../rest/protocol/errors.ts'
import type { ApiServer } from './server.ts'

const HEADERS_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 60_000
/** An archive may be large and a connection slow; its upload address is valid for as long. */
const UPLOAD_TIMEOUT_MS = 3_600_000
/** After an answer that needed no more of a body. */
const UNREAD_MS = 1_000
const KEEP_ALIVE_MS = 65_000
const MAX_HEADER_BYTES = 16 * 1024
const MAX_REQUESTS_PER_SOCKET = 100_000
const DRAIN_MS = 7_000
// Within this time, a busy connection gets an answer that announces its end.
const LINGER_MS = 500
const SWEEP_MS = 50

export interface Listening {
  /** For the WebSocket handler: it takes the `upgrade` events of this server. */
  server: HttpServer
  url: string
  port: number
  /** Stops accepting connections, answers requests on the open ones, and after 7 s cuts the rest. */
  close(): Promise<void>
}

interface ListenOptions {
  api: Pick<ApiServer, 'fetch' | 'drain'> & Partial<Pick<ApiServer, 'short'>>
  host: string
  /** 0 picks a free one. */
  port: number
  /** Connections beyond are closed at once, so that the process keeps descriptors for its own work. */
  maxConnections?: number
  /** Of one client address; none for proxies that are trusted. */
  perClient?: { proxies: TrustedProxies; max: number }
}

/** Serves the API over HTTP. Rejects when the port is taken. */
export async function listen({ api, host, port, maxConnections, perClient }: ListenOptions): Promise<Listening> {
  const serverOptions = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: UPLOAD_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Upgrade offers of other protocols, such as curl's of HTTP/2, are ignored as HTTP requires, and the request is
    // answered.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket',
  }
  const usual = getRequestListener(api.fetch, { overrideGlobalObjects: true })
  const { short } = api
  const answer: RequestListener = short ? (request, response) => short(request, response, usual) : usual
  const server = createServer(serverOptions, (request, response) =>
    surplus?.has(request.socket) ? refuseSurplus(request, response, perClient?.max ?? 0) : answer(request, response),
  )
  const surplus = perClient && limitConnections(server, perClient.proxies, perClient.max)
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET
  if (maxConnections !== undefined && Number.isFinite(maxConnections)) server.maxConnections = maxConnections
  server.prependListener('request', endSlowBody)
  server.prependListener('request', endUnreadBody)
  server.listen(port, host)
  await once(server, 'listening')
  const { port: chosen } = server.address() as AddressInfo
  return { server, port: chosen, url: `http://${urlHost(host)}:${chosen}`, close: () => close(server, api) }
}

function refuseSurplus({ url = '/' }: IncomingMessage, response: ServerResponse, max: number): void {
  const message = `Your address has ${max} connections to this API, which is the maximum; close some, or use them for several requests`
  const refusal = new DomainError('RATE_LIMITED', 'TOO_MANY_CONNECTIONS', message, { retryAfterSeconds: 1 })
  const at = { path: url.split('?')[0] ?? '/', requestId: randomUUID(), isLifecycle: false }
  const { body, headers } = renderProblem(refusal, at)
  response.writeHead(body.status, { ...SECURITY_HEADERS, ...headers, connection: 'close' }).end(JSON.stringify(body))
}

/** The server has one limit for all requests, so it must be the longest of them. */
function endSlowBody(request: IncomingMessage): void {
  const { headers, method, url = '' } = request
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (!hasBody || (method === 'PUT' && url.startsWith(`${UPLOAD_PATH}?`))) return
  const timer = setTimeout(() => request.complete || request.destroy(), REQUEST_TIMEOUT_MS)
  timer.unref()
  request.once('close', () => clearTimeout(timer))
}

/**
 * An answer may come before the end of the body. For a moment the rest is read, so that the client gets the answer; then
 * the connection ends. The adapter does so for the methods that have bodies, and any method may be sent with one.
 */
function endUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.complete) return
    const timer = setTimeout(() => request.complete || request.socket.destroy(), UNREAD_MS)
    timer.unref()
    request.once('close', () => clearTimeout(timer))
  })
}

async function close(server: HttpServer, api: Pick<ApiServer, 'drain'>): Promise<void> {
  api.drain()
  server.prependListener('request', endConnection)
  const closed = once(server, 'close')
  // One turn later, so that clients that have connected are accepted and answered rather than reset.
  await setImmediate()
  // Not http's own close: it cuts idle connections at once, and their next request may be on its way.
  NetServer.prototype.close.call(server)
  await Promise.race([closed, sleep(LINGER_MS, undefined, { ref: false })])
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  await Promise.race([closed, sleep(DRAIN_MS - LINGER_MS, undefined, { ref: false })])
  clearInterval(sweep)
  server.closeAllConnections()
  await closed
  // Ends the server's own timer.
  server.close()
}

function endConnection(_request: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false
}
