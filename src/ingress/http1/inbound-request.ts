import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TrustedProxies } from '../../domain/trusted-proxies.ts'
import { hostNameOf } from '../routes/route-table.ts'
import { forwardedLines } from './forwarding.ts'
import { badRequest, type Problem } from './problems.ts'

export type RequestBodyKind = 'none' | 'length' | 'chunked'

/** A client's request, checked, and its head as the app will get it. */
export interface InboundRequest {
  hostName: string
  requestId: string
  /** Of the client, as far as trusted proxies say. */
  clientAddress: string
  method: string
  /** May be sent a second time when nothing was answered (RFC 9110 §9.2.2). */
  isIdempotent: boolean
  body: RequestBodyKind
  contentLength: number
  expectsContinue: boolean
  isUpgrade: boolean
  head: string
}

/** Of a body that nobody takes, Node reads this much. */
const READ_AHEAD_BYTES = 65_536

/** What a request that waits holds of this process's memory, at most. */
export function heldBytesOf({ head, body, contentLength }: InboundRequest): number {
  const ahead = body === 'none' ? 0 : body === 'chunked' ? READ_AHEAD_BYTES : contentLength
  return head.length + Math.min(ahead, READ_AHEAD_BYTES)
}

const IDEMPOTENT = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'PUT',
  'DELETE',
  'TRACE',
  'PROPFIND',
  'REPORT',
  'SEARCH',
  'QUERY',
])

/** Hop-by-hop headers, headers that the ingress sets itself, and headers that must not be believed from outside. */
const NOT_FORWARDED = new Set(
  `connection keep-alive proxy-connection proxy-authorization te transfer-encoding upgrade http2-settings
   content-length host expect forwarded x-real-ip x-request-id`.split(/\s+/),
)
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
const ABSOLUTE_FORM = /^https?:\/\/([^/?#@]+)([/?].*)?$/i

// Unique by process and number: randomness for every request costs 3 % of the time one takes.
const origin = randomUUID().slice(0, 18)
let created = 0

/** Keeps the client's request id when it is usable, so that its logs and ours name the same request. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  if (typeof given === 'string' && REQUEST_ID.test(given)) return given
  created += 1
  return `req_${origin}-${created.toString(36)}`
}

/** Checks a request that Node's strict parser let through, and writes its head for the app. */
export function readRequest(
  request: IncomingMessage,
  requestId: string,
  proxies: TrustedProxies,
  isUpgrade: boolean,
): InboundRequest | Problem {
  const { headers, method = 'GET' } = request
  const hostHeader = headers.host ?? ''
  const hostName = hostNameOf(hostHeader)
  if (hostName === null) return badRequest('The Host header does not name a host.')
  const target = targetOf(request, hostName)
  if (target === null) return badRequest('The request target does not fit the Host header.')
  const framing = framingOf(request)
  if (typeof framing === 'string') return badRequest(framing)
  const lines = forwardableLines(request)
  if (lines === null) return badRequest('The request has more than one Host header.')

  const { body, contentLength } = framing
  const switches = isUpgrade && body === 'none'
  const expectsContinue =
    body !== 'none' && request.httpVersion === '1.1' && headers.expect?.toLowerCase() === '100-continue'
  let head = `${method} ${target} HTTP/1.1\r\nHost: ${hostHeader}\r\n${lines}${forwardedLines(request, hostHeader, proxies)}X-Request-Id: ${requestId}\r\n`
  if (body === 'chunked') head += 'Transfer-Encoding: chunked\r\n'
  else if (headers['content-length'] !== undefined) head += `Content-Length: ${contentLength}\r\n`
  if (expectsContinue) head += 'Expect: 100-continue\r\n'
  if (switches) head += `Connection: Upgrade\r\nUpgrade: ${headers.upgrade}\r\n`
  return {
    hostName,
    requestId,
    clientAddress: clientAddressOf(request, proxies),
    method,
    isIdempotent: IDEMPOTENT.has(method),
    body,
    contentLength,
    expectsContinue,
    isUpgrade: switches,
    head: `${head}\r\n`,
  }
}

function clientAddressOf({ socket, headers }: IncomingMessage, proxies: TrustedProxies): string {
  const forwardedFor = headers['x-forwarded-for']
  return proxies.clientOf(socket.remoteAddress, Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor)
}

/** The trailers that may be passed on: none that would say something about framing, routing or the sender. */
export function forwardableTrailers(rawTrailers: readonly string[]): string {
  let lines = ''
  for (let index = 0; index < rawTrailers.length; index += 2) {
    const name = rawTrailers[index] as string
    if (!isWithheld(name.toLowerCase())) lines += `${name}: ${rawTrailers[index + 1]}\r\n`
  }
  return lines
}

/** The end-to-end headers as lines; null when there is more than one Host. */
function forwardableLines({ rawHeaders, headers }: IncomingMessage): string | null {
  const named = namedByConnection(headers.connection)
  let hosts = 0
  let lines = ''
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    const lower = name.toLowerCase()
    if (lower === 'host') hosts += 1
    else if (!isWithheld(lower) && !named?.has(lower)) lines += `${name}: ${rawHeaders[index + 1]}\r\n`
  }
  return hosts > 1 ? null : lines
}

function isWithheld(lowerName: string): boolean {
  // CGI-like servers read `X_Forwarded_For` and `X-Forwarded-For` as the same name.
  const name = lowerName.includes('_') ? lowerName.replaceAll('_', '-') : lowerName
  return NOT_FORWARDED.has(name) || name.startsWith('x-forwarded-')
}

function namedByConnection(connection: string | undefined): ReadonlySet<string> | null {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return null
  return new Set(connection.toLowerCase().split(/[\s,]+/))
}

/** The path to ask for. An absolute-form target must name the same host as the Host header does. */
function targetOf({ url = '', method }: IncomingMessage, hostName: string): string | null {
  if (url.startsWith('/')) return url
  if (url === '*' && method === 'OPTIONS') return url
  const absolute = ABSOLUTE_FORM.exec(url)
  if (!absolute || hostNameOf(absolute[1] as string) !== hostName) return null
  const path = absolute[2] ?? '/'
  return path.startsWith('/') ? path : `/${path}`
}

/** Where the body ends, or what is wrong with the way this is said (RFC 9112 §6.1, §6.3). */
function framingOf({
  headers,
  httpVersion,
}: IncomingMessage): { body: RequestBodyKind; contentLength: number } | string {
  const length = headers['content-length']
  const coding = headers['transfer-encoding']
  if (coding !== undefined) {
    if (length !== undefined) return 'The request has both a Content-Length and a Transfer-Encoding.'
    if (httpVersion !== '1.1' || coding.toLowerCase() !== 'chunked')
      return 'The only Transfer-Encoding accepted is chunked.'
    return { body: 'chunked', contentLength: 0 }
  }
  if (length === undefined) return { body: 'none', contentLength: 0 }
  if (!/^\d{1,15}$/.test(length)) return 'The Content-Length is not a number.'
  return { body: length === '0' ? 'none' : 'length', contentLength: Number(length) }
}
