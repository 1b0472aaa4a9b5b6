import { randomUUID } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import type { Caller } from '../../calls/caller.ts'
import type { TrustedProxies } from '../../domain/trusted-proxies.ts'
import type { Admitted } from './admission.ts'

/** What one request carries from middleware to handler. */
export interface ServerEnv {
  Variables: {
    requestId: string
    /** Headers of the answer. A plain object, because building Headers costs more than the rest. */
    headers: Record<string, string>
    caller: Caller
    /** Of the client, as far as trusted proxies say. */
    address: string
    /** For the access log; absent while no caller is authenticated. */
    tokenId: string | undefined
    admitted: Admitted
    /** The route's pattern, so that logs and metrics do not grow with every address that a client tries. */
    route: string | undefined
    /** The MCP tool that was called, for the access log. */
    tool: string | undefined
    failure: unknown
  }
}

export type ServerContext = Context<ServerEnv>
export type ServerMiddleware = MiddlewareHandler<ServerEnv>

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** For answers that are data. Pages set a policy of their own. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
}

/** What is known of a request before any API has seen it. */
export interface Begun {
  requestId: string
  /** That every answer has. */
  headers: Record<string, string>
}

/** A request's id, which may be the client's, and the headers that every answer has. */
export function begin(given: string | undefined): Begun {
  const requestId = given && REQUEST_ID.test(given) ? given : `req_${randomUUID()}`
  return { requestId, headers: { ...SECURITY_HEADERS, 'X-Request-Id': requestId } }
}

/** Requests that were begun and counted on the short way, and then turned out to need the usual one. */
export const handedOver = new WeakMap<object, Begun & { admitted: Admitted }>()

/** Of the connection's request; undefined for one that takes the usual way from its start. */
export const handedOverOf = (c: ServerContext) => {
  const { incoming } = (c.env ?? {}) as NodeBindings
  return incoming && handedOver.get(incoming)
}

export const beginRequest: ServerMiddleware = (c, next) => {
  const { requestId, headers } = handedOverOf(c) ?? begin(c.req.header('x-request-id'))
  c.set('requestId', requestId)
  c.set('headers', { ...headers })
  return next()
}

/** Answers with the request's headers; `headers` take precedence. */
export function answer(
  c: ServerContext,
  status: number,
  body: string | Buffer<ArrayBuffer> | ReadableStream | null,
  headers: Record<string, string>,
): Response {
  return new Response(body, { status, headers: { ...c.get('headers'), ...headers } })
}

export const answerJson = (
  c: ServerContext,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Response => answer(c, status, JSON.stringify(body), { 'Content-Type': 'application/json', ...headers })

/** How a client may authenticate: with every 401, of both APIs (RFC 9110, 11.6.1). */
const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="berth"' }

export const challengeAt = (status: number): Record<string, string> => (status === 401 ? CHALLENGE : {})

/** Adds the request's headers to an answer of the GraphQL server, unless it has set them itself. */
export function withRequestHeaders(c: ServerContext, response: Response): Response {
  for (const [name, value] of Object.entries({ ...c.get('headers'), ...challengeAt(response.status) })) {
    if (!response.headers.has(name)) response.headers.set(name, value)
  }
  return response
}

interface NodeBindings {
  incoming?: { socket: { remoteAddress?: string } }
  outgoing?: { writableFinished: boolean; destroy(): void }
}

/** For a client that never reads the end of its answer. One that has read it keeps its connection. */
export function cutConnection(c: ServerContext): void {
  const { outgoing } = c.env as NodeBindings
  if (outgoing && !outgoing.writableFinished) outgoing.destroy()
}

/** Finds out who the client is. X-Forwarded-For counts only from trusted proxies: any client can send it. */
export const locateClient =
  (proxies: TrustedProxies): ServerMiddleware =>
  (c, next) => {
    const peer = (c.env as NodeBindings | undefined)?.incoming?.socket.remoteAddress
    c.set('address', proxies.clientOf(peer, c.req.header('x-forwarded-for')) || 'unknown')
    return next()
  }

export const addressOf = (c: ServerContext): string => c.get('address')
