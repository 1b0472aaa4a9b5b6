import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSocket, overSse, take } from '../../support/transports.ts'
import type { Address } from './berth.ts'

/** A bound on a hang: the longest wait that a call may ask for, and a little. */
const TIMEOUT_MS = 330_000
const MAX_REPEATS = 5

export interface Call {
  /** The admin's when omitted; null sends none. */
  token?: string | null
  query?: Record<string, string>
  body?: unknown
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
  body: any
}

export interface AppAnswer {
  status: number
  text: string
  headers: IncomingMessage['headers']
}

export type Client = ReturnType<typeof clientOf>

/** All that a user may do with a Berth, from the outside. */
export function clientOf({ url, ingressPort, token: adminToken }: Address) {
  /** A path of v1 (`/apps`), or any other that begins with `//` (`//livez`). */
  async function call(method: string, path: string, { token = adminToken, query = {}, body, headers = {} }: Call = {}) {
    const full = path.startsWith('//') ? path.slice(1) : `/api/public/v1${path}`
    const search = new URLSearchParams(query).toString()
    const response = await fetch(`${url}${full}${search ? `?${search}` : ''}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== ''
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : text,
    }
    return answer
  }

  /** Repeats what changed nothing because the machine is too busy, as the answer asks for. */
  async function callPatiently(method: string, path: string, given: Call): Promise<Answer> {
    for (let repeats = 0; ; repeats += 1) {
      const answer = await call(method, path, given)
      const seconds = Number(answer.headers.get('retry-after'))
      const isBusy = answer.status === 503 && answer.body.reason === 'DATABASE_SLOW'
      if (!isBusy || !seconds || repeats === MAX_REPEATS) return answer
      await sleep(seconds * 1000)
    }
  }

  /** A call that must succeed; its body. A write that names an environment waits until its operation has ended. */
  async function ok(method: string, path: string, given: Call = {}) {
    const headers = method === 'GET' ? given.headers : { prefer: 'wait=240', ...given.headers }
    const answer = await callPatiently(method, path, { ...given, ...(headers ? { headers } : {}) })
    const outcome = answer.headers.get('operation-status') ?? 'SUCCEEDED'
    if (answer.status === 200 && outcome === 'SUCCEEDED') return answer.body
    throw new Error(`${method} ${path}: ${answer.status} ${outcome} ${answer.text}`)
  }

  return {
    url,
    adminToken,
    call,
    ok,
    get: (path: string, query: Record<string, string> = {}) => ok('GET', path, { query }),
    post: (path: string, body: unknown) => ok('POST', path, { body }),
    /** A GraphQL document that must succeed; its data. */
    async graphql(query: string, variables: Record<string, unknown> = {}) {
      const { status, body, text } = await call('POST', '//graphql', { body: { query, variables } })
      if (status !== 200 || body.errors) throw new Error(`GraphQL: ${status} ${text}`)
      return body.data
    },
    /** Subscribes over WebSocket; the socket is closed with the returned function. */
    subscribe(query: string, variables: Record<string, unknown> = {}) {
      const socket = openSocket(`${url}/graphql`, adminToken)
      return { answers: socket.iterate(query, variables), close: socket.close }
    },
    /** Subscribes over SSE. */
    stream(query: string, variables: Record<string, unknown> = {}) {
      const leaving = new AbortController()
      const given = { url: `${url}/graphql`, token: adminToken, query, variables, signal: leaving.signal }
      return { answers: overSse(given), close: () => leaving.abort() }
    },
    take,
    /** Calls an MCP tool by one request, as clients without a handshake do; what its text holds. */
    async tool(name: string, given: Record<string, unknown>) {
      const { status, text, body } = await call('POST', '//mcp', {
        token: `Bearer ${adminToken}`,
        headers: { accept: 'application/json, text/event-stream' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
      })
      const { result } = body
      if (status !== 200 || !result || result.isError) throw new Error(`MCP ${name}: ${status} ${text}`)
      return JSON.parse(result.content[0].text)
    },
    /** Asks an app through the ingress, by its host. */
    ask: (host: string, path = '/'): Promise<AppAnswer> => ask(ingressPort, host, path),
    /** Asks for a stream of an app, and leaves after so many of its events. */
    follow: (host: string, path: string, count: number): Promise<string[]> => follow(ingressPort, host, path, count),
    /** Has a connection to an app upgraded, sends it some words, and returns what comes back. */
    upgrade: (host: string, words: string): Promise<string> => upgrade(ingressPort, host, words),
    /** What Berth says of its own parts, for messages of failures. */
    readiness: async () => (await call('GET', '//readyz')).text,
  }
}

function ask(port: number, host: string, path: string): Promise<AppAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers: { host }, timeout: TIMEOUT_MS }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }))
      response.on('error', reject)
    })
    sent.on('timeout', () => sent.destroy(new Error(`${host} does not answer`)))
    sent.on('error', reject)
    sent.end()
  })
}

function follow(port: number, host: string, path: string, count: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers: { host }, timeout: TIMEOUT_MS }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        const events = text.split('\n\n').slice(0, -1)
        if (events.length < count) return
        resolve(events.slice(0, count))
        sent.destroy()
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

function upgrade(port: number, host: string, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { host, connection: 'Upgrade', upgrade: 'echo' }
    const sent = request({ host: '127.0.0.1', port, headers, timeout: TIMEOUT_MS })
    sent.on('response', ({ statusCode }) => reject(new Error(`${host} does not upgrade: ${statusCode}`)))
    sent.on('upgrade', (_response, socket) => {
      socket.once('data', (chunk: Buffer) => {
        resolve(chunk.toString())
        socket.destroy()
      })
      socket.on('error', reject)
      socket.write(words)
    })
    sent.on('error', reject)
    sent.end()
  })
}
