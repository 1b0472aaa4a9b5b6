import { createServer, type ServerDependencies } from '../../src/api/server/server.ts'
import type { Answer } from './documented-answer.ts'
import { expectDocumented } from './openapi-check.ts'
import type { World } from './world.ts'

export interface Call {
  /** The admin's when omitted; null sends none. */
  token?: string | null
  query?: Record<string, string>
  body?: unknown
  headers?: Record<string, string>
}

/** An answer, checked against the OpenAPI document. */
export interface RestAnswer extends Answer {
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
  body: any
}

const noGraphQL = { fetch: () => new Response('{"data":null}', { headers: { 'content-type': 'application/json' } }) }

/** The REST API of a world, called in the process. */
export function serveRest(world: World, overrides: Partial<ServerDependencies> = {}) {
  const { services, config, log, limits } = world
  const api = createServer({ services, config, log, limits, graphql: noGraphQL, readiness: {}, ...overrides })
  const call = caller((path, init) => Promise.resolve(api.request(path, init)), world.adminToken)
  return { api, call }
}

type Fetch = (path: string, init: RequestInit) => Promise<Response>

/** Calls paths of v1 (`/apps`), or any other that begins with `//` (`//livez`). */
export function caller(fetch: Fetch, adminToken: string) {
  return async (
    method: string,
    path: string,
    { token = adminToken, query = {}, body, headers = {} }: Call = {},
  ): Promise<RestAnswer> => {
    const full = path.startsWith('//') ? path.slice(1) : `/api/public/v1${path}`
    const search = new URLSearchParams(query).toString()
    const isText = typeof body === 'string'
    const response = await fetch(search ? `${full}?${search}` : full, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== ''
    const answer = { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text }
    if (method !== 'HEAD') expectDocumented(method, full, answer)
    return answer
  }
}
