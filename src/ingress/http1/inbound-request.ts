import { randomUUID } from 'node:crypto'
import { plainAddress } from '../../domain/networks.ts'
import type { TrustedProxies } from '../../domain/trusted-proxies.ts'
import { hostNameOf } from '../routes/route-table.ts'
import type { ClientRequest } from './client-connection.ts'
import { badRequest, type Problem } from './problems.ts'
import type { RequestHead } from './request-head.ts'

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
  head: string
}

/** Bytes of a body that are read before a reader takes them. */
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

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
const ABSOLUTE_FORM = /^https?:\/\/([^/?#@]+)([/?].*)?$/i

// Unique by process and number: randomness for every request costs 3 % of the time one takes.
const origin = randomUUID().slice(0, 18)
let created = 0

/** Keeps the client's request id when it is usable, so that its logs and ours name the same request. */
export function requestIdOf(head: RequestHead): string {
  const given = head.get('x-request-id')
  if (given !== undefined && REQUEST_ID.test(given)) return given
  created += 1
  return `req_${origin}-${created.toString(36)}`
}

/** Checks a request that could be read, and writes its head for the app. */
export function readRequest(
  { head, body, connection, isUpgrade }: ClientRequest,
  requestId: string,
  proxies: TrustedProxies,
): InboundRequest | Problem {
  const { method } = head
  const hostHeader = head.get('host') ?? ''
  const hostName = hostNameOf(hostHeader)
  if (hostName === null) return badRequest('The Host header does not name one host.')
  const target = targetOf(head, hostName)
  if (target === null) return badRequest('The request target does not fit the Host header.')

  const peer = connection.socket.remoteAddress ?? ''
  const length = head.get('content-length')
  const expectsContinue = body !== null && head.isHttp11 && head.get('expect')?.toLowerCase() === '100-continue'
  // Before what the client wrote, so that an app whose limits that exceeds cannot miss them.
  let text = `${method} ${target} HTTP/1.1\r\nHost: ${hostHeader}\r\n${forwardedLines(head, peer, hostHeader, proxies)}X-Request-Id: ${requestId}\r\n`
  if (length !== undefined) text += `Content-Length: ${Number(length)}\r\n`
  else if (body) text += 'Transfer-Encoding: chunked\r\n'
  if (expectsContinue) text += 'Expect: 100-continue\r\n'
  if (isUpgrade) text += `Connection: Upgrade\r\nUpgrade: ${head.get('upgrade')}\r\n`
  return {
    hostName,
    requestId,
    clientAddress: proxies.clientOf(peer, head.get('x-forwarded-for')),
    method,
    isIdempotent: IDEMPOTENT.has(method),
    body: body === null ? 'none' : length === undefined ? 'chunked' : 'length',
    contentLength: Number(length ?? 0),
    expectsContinue,
    head: `${text}${head.lines}\r\n`,
  }
}

/** The path to ask for. An absolute-form target must name the same host as the Host header does. */
function targetOf({ target, method }: RequestHead, hostName: string): string | null {
  if (target.startsWith('/')) return target
  if (target === '*' && method === 'OPTIONS') return target
  const absolute = ABSOLUTE_FORM.exec(target)
  if (!absolute || hostNameOf(absolute[1] as string) !== hostName) return null
  const path = absolute[2] ?? '/'
  return path.startsWith('/') ? path : `/${path}`
}

/**
 * The headers that pass the client's address to the app. Values that came in under these names count only from a trusted
 * proxy; from any other client they are replaced.
 */
function forwardedLines(head: RequestHead, peerAddress: string, hostHeader: string, proxies: TrustedProxies): string {
  const peer = plainAddress(peerAddress)
  if (!proxies.includes(peer)) {
    return `X-Forwarded-For: ${peer}\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: ${hostHeader}\r\n`
  }
  const before = head.get('x-forwarded-for')
  const proto = head.get('x-forwarded-proto')?.startsWith('https') ? 'https' : 'http'
  const host = head.get('x-forwarded-host') ?? hostHeader
  return `X-Forwarded-For: ${before ? `${before}, ` : ''}${peer}\r\nX-Forwarded-Proto: ${proto}\r\nX-Forwarded-Host: ${host}\r\n`
}
