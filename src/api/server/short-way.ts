import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TrustedProxies } from '../../domain/trusted-proxies.ts'
import type { RecordAccess } from '../http/access-log.ts'
import { type Admission, type Admitted, RateLimited } from '../http/admission.ts'
import { type Begun, begin, challengeAt, handedOver } from '../http/context.ts'
import type { PlainAnswer } from '../http/plain-answer.ts'
import { isJson, readIncoming } from '../http/request-body.ts'
import { presentedBy } from '../http/session-cookie.ts'
import { GRAPHQL_PATH, type GraphQLHandler, graphqlErrorOf } from './graphql-route.ts'

/** Larger bodies are rare, and take the usual way. */
const MAX_BYTES = 64 * 1024

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Answers a request, or hands it on to `usual`. */
export type ShortWay = (request: IncomingMessage, response: ServerResponse, usual: Listener) => void

interface ShortWayParts {
  graphql: GraphQLHandler
  admission: Admission
  proxies: TrustedProxies
  record: RecordAccess
  limitKb: number
}

/**
 * Almost all requests to GraphQL are JSON POSTs of one query. They are answered without Request and Response objects,
 * which cost more than the answer: by the same counting, headers, limits and log as all others. What turns out not to
 * be one goes on to the usual way, with what has been found out and the body that has been read.
 */
export function shortWay({ graphql, limitKb, ...parts }: ShortWayParts): ShortWay {
  const { answerPlain } = graphql
  if (!answerPlain) return (request, response, usual) => usual(request, response)
  const maxBytes = Math.min(MAX_BYTES, limitKb * 1024)
  return (request, response, usual) => {
    if (!isShort(request, maxBytes)) return usual(request, response)
    void new ShortRequest(request, response, parts).answer(answerPlain, usual)
  }
}

function isShort({ method, url, headers }: IncomingMessage, maxBytes: number): boolean {
  if (method !== 'POST' || url !== GRAPHQL_PATH || headers['content-encoding'] !== undefined) return false
  const length = Number(headers['content-length'])
  return length > 0 && length <= maxBytes && isJson(headers['content-type'] ?? '')
}

type RequestParts = Omit<ShortWayParts, 'graphql' | 'limitKb'>

class ShortRequest {
  readonly #started = performance.now()
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #parts: RequestParts
  readonly #begun: Begun
  #admitted: Admitted | null = null

  constructor(request: IncomingMessage, response: ServerResponse, parts: RequestParts) {
    this.#request = request
    this.#response = response
    this.#parts = parts
    this.#begun = begin(first(request.headers['x-request-id']))
  }

  async answer(answerPlain: NonNullable<GraphQLHandler['answerPlain']>, usual: Listener): Promise<void> {
    const { headers } = this.#request
    const { requestId } = this.#begun
    try {
      const reading = readIncoming(this.#request, MAX_BYTES)
      const address = this.#address()
      const admitted = await this.#admit(address)
      const body = await reading
      // The client went away in the middle of its body.
      if (body === null) return
      const asking = { requestId, address, admitted, accept: headers.accept ?? null, gone: () => this.#gone() }
      const authorization = this.#presented()
      const answer = isUtf8(body) ? await answerPlain(body.toString(), { ...asking, authorization }) : null
      if (answer) this.#respond(answer, {})
      else this.#handOver(body, admitted, usual)
    } catch (error) {
      this.#refuse(error)
    }
  }

  #address(): string {
    const { socket, headers } = this.#request
    return this.#parts.proxies.clientOf(socket.remoteAddress, first(headers['x-forwarded-for'])) || 'unknown'
  }

  #presented(): string | null {
    const { headers } = this.#request
    return presentedBy('POST', (name) => first(headers[name]))
  }

  async #admit(address: string): Promise<Admitted> {
    this.#admitted = await this.#parts.admission.admit({ address, authorization: this.#presented() })
    return this.#admitted
  }

  #gone(): AbortSignal {
    const gone = new AbortController()
    if (this.#response.closed) gone.abort()
    else this.#response.once('close', () => gone.abort())
    return gone.signal
  }

  #handOver(body: Buffer, admitted: Admitted, usual: Listener): void {
    handedOver.set(this.#request, { ...this.#begun, admitted })
    // The property in which the adapter expects a body that was read before.
    usual(Object.assign(this.#request, { rawBody: body }), this.#response)
  }

  #refuse(error: unknown): void {
    const { status, body, headers, isOurFault } = graphqlErrorOf(error, this.#begun.requestId)
    const answer = { status, mediaType: 'application/json', text: JSON.stringify(body), isRead: false }
    const budget = error instanceof RateLimited ? error.headers : {}
    this.#respond(answer, { ...budget, ...headers }, isOurFault ? error : undefined)
  }

  #respond({ status, mediaType, text, isRead }: PlainAnswer, headers: Record<string, string>, failure?: unknown): void {
    const { requestId, headers: usual } = this.#begun
    this.#response.writeHead(status, {
      ...usual,
      ...this.#admitted?.headers,
      ...challengeAt(status),
      ...headers,
      'Content-Type': mediaType,
      'Content-Length': Buffer.byteLength(text),
    })
    this.#response.end(text)
    const at = { method: 'POST', path: GRAPHQL_PATH, route: GRAPHQL_PATH, started: this.#started }
    const tokenId = this.#admitted?.caller?.tokenId
    this.#parts.record({ ...at, status, isQuiet: isRead, requestId, tokenId, failure })
  }
}

const first = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header)
