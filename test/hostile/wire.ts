import { Agent, request } from 'node:http'
import { type Answer, PATIENCE_MS } from './verdict.ts'

export interface Wire {
  port: number
  token: string
  agent: Agent
}

export interface Sent {
  method: string
  path: string
  /** Those that are not named are left out, save for Authorization: null leaves that out as well. */
  headers: Record<string, string | string[] | null>
  body?: string | Buffer | undefined
}

const lastOn = new WeakMap<object, Sent>()

export const createWire = (port: number, token: string): Wire => ({
  port,
  token,
  agent: new Agent({ keepAlive: true, maxSockets: 64 }),
})

function headersOf({ token }: Wire, { headers, body }: Sent): Record<string, string | string[]> {
  const all: Sent['headers'] = { authorization: token, ...headers }
  if (body !== undefined && !('content-type' in headers)) all['content-type'] = 'application/json'
  const given = Object.entries(all).filter(([, value]) => value !== null) as [string, string | string[]][]
  // The length would be left out for methods that seldom have a body, and the body then be the next request.
  const length = body === undefined || 'transfer-encoding' in headers ? [] : [['content-length', lengthOf(body)]]
  return Object.fromEntries([...given, ...length])
}

const lengthOf = (body: string | Buffer) => String(Buffer.byteLength(body))

/** One request as it is, with nothing normalised; its answer, or status 0 and why there is none. */
export function send(wire: Wire, sent: Sent): Promise<Answer> {
  const began = performance.now()
  let before: Sent | undefined
  return new Promise((resolve) => {
    const finish = (status: number, headers: Answer['headers'], text: string) =>
      resolve({ status, headers, text, ms: performance.now() - began })
    const { method, path } = sent
    // Node's client never gives a connection back after an upgrade that was passed over.
    const agent = sent.headers.connection ? false : wire.agent
    const options = { host: '127.0.0.1', port: wire.port, agent, method, path, timeout: PATIENCE_MS }
    const call = request({ ...options, headers: headersOf(wire, sent) }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', (error) => finish(0, {}, `broken answer: ${error.message}`))
      response.on('end', () => finish(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString()))
    })
    call.once('socket', (socket) => {
      before = lastOn.get(socket)
      lastOn.set(socket, sent)
    })
    call.once('timeout', () => call.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)))
    // What was sent last on the same connection may be what left it in such a state.
    call.once('error', (error) => finish(0, {}, `${error.message}${before ? `, after ${asCurl(wire, before)}` : ''}`))
    call.end(sent.body)
  })
}

/** The same request for a person to repeat. */
export function asCurl({ port }: Wire, { method, path, headers, body }: Sent): string {
  const parts = [`curl -sS -i --path-as-is -X ${method} ${quoted(`http://127.0.0.1:${port}${path}`)}`]
  if (!('authorization' in headers)) parts.push('-H "Authorization: $TOKEN"')
  if (body !== undefined && !('content-type' in headers)) parts.push("-H 'Content-Type: application/json'")
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value ?? ''].flat()) parts.push(`-H ${quoted(`${name}: ${one}`)}`)
  }
  if (body !== undefined) parts.push(`--data-binary ${quoted(shortened(body))}`)
  return parts.join(' ')
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function shortened(body: string | Buffer): string {
  const text = typeof body === 'string' ? body : `base64:${body.toString('base64')}`
  return text.length > 2_000 ? `${text.slice(0, 2_000)}… (${text.length} characters)` : text
}
