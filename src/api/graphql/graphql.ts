import type { IncomingMessage, Server } from 'node:http'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import { ProcessEnding } from '../../calls/wait.ts'
import { DomainError } from '../../domain/errors.ts'
import type { PlainAnswer, PlainAsking } from '../http/plain-answer.ts'
import { isJson, readText, requireJson } from '../http/request-body.ts'
import { presentedBy } from '../http/session-cookie.ts'
import { createAccessWatch } from './access-watch.ts'
import { type Arrival, createContext, type GraphQLParts } from './context.ts'
import { publicErrorsPlugin } from './errors.ts'
import { plannedExecution } from './execution/planned-execution.ts'
import { answerPage, wantsPage } from './graphiql/page.ts'
import { limitsPlugin } from './limits/limits-plugin.ts'
import { schema } from './schema.ts'
import { sharedSubscriptionPlugin } from './subscriptions/shared-subscription.ts'
import { createDocumentCache, noCache } from './transport/document-cache.ts'
import { answerPlainly, type Params, plainParams, refuseRequest, type Yoga } from './transport/json-post.ts'
import { isHashInBody, isHashInUrl, persistedQueryNotSupported } from './transport/persisted-query.ts'
import { attachSockets } from './transport/sockets.ts'
import { createEventStreams } from './transport/sse.ts'

interface GraphQLOptions extends Omit<GraphQLParts, 'access'> {
  log: Logger
  /** How operations are executed, where not by plans; tests compare the two. */
  execution?: Plugin[]
}

interface RequestContext extends Pick<Arrival, 'requestId' | 'address' | 'admitted'> {
  /** Cuts the request's connection. */
  cut?: (() => void) | undefined
}

export interface GraphQLApi {
  /** Everything at /graphql except WebSocket: queries, mutations, subscriptions over SSE, and GraphiQL for browsers. */
  fetch(request: Request, context: RequestContext): Promise<Response>
  /** Answers a plain JSON POST of a query or mutation by its body. Null for any other, of which nothing was done. */
  answerPlain(body: string, asking: PlainAsking): Promise<PlainAnswer | null>
  /** Takes the server's WebSocket upgrades at /graphql, and refuses all others but those that are taken elsewhere. */
  attach(server: Server, elsewhere?: (request: IncomingMessage) => boolean): void
  /**
   * Begins nothing new, answers running operations, and asks the clients of live subscriptions to reconnect elsewhere.
   */
  close(): Promise<void>
}

/** The GraphQL API: one schema and one set of limits for all transports. */
export function createGraphQL({ log, execution = [plannedExecution()], ...rest }: GraphQLOptions): GraphQLApi {
  const parts: GraphQLParts = { ...rest, access: createAccessWatch(rest.services.authenticate) }
  const yoga = yogaOf(parts, log, execution)
  const stopping = new AbortController()
  const sockets = attachSockets({ yoga, parts, log, stopping: stopping.signal })
  const heartbeatSeconds = parts.config.BERTH_HEARTBEAT_SECONDS
  const streams = createEventStreams({ yoga, heartbeatSeconds, stopping: stopping.signal })
  const limitKb = parts.config.BERTH_BODY_LIMIT_KB

  function answerPlain(body: string, { accept, gone, ...asking }: PlainAsking): Promise<PlainAnswer | null> {
    const signalOf = () => AbortSignal.any([gone(), stopping.signal])
    return answerPlainly(yoga, body, accept, { ...asking, signalOf }, { requestId: asking.requestId, log })
  }

  async function fetch(request: Request, { requestId, address, admitted, cut }: RequestContext): Promise<Response> {
    if (wantsPage(request)) return answerPage()
    const tools = { requestId, log }
    const { headers, method } = request
    const authorization = presentedBy(method, (name) => headers.get(name))
    const signalOf = () => AbortSignal.any([request.signal, stopping.signal])
    const arrival: Arrival = { requestId, address, authorization, admitted, signalOf }
    const asked = { accept: headers.get('accept'), arrival, tools, cut }
    if (method === 'GET' && isHashInUrl(request.url)) return persistedQueryNotSupported(requestId)
    if (method !== 'POST') {
      const params = method === 'GET' ? paramsOfUrl(request.url) : null
      return (await streams.answer({ ...asked, params })) ?? (await yoga.fetch(request, { arrival }))
    }
    const contentType = headers.get('content-type')
    // A missing type is treated as a mistake, as the specification requires; another type is refused as such.
    if (contentType === null) return refuseRequest(notJson('INVALID_INPUT'), 400, tools)
    if (!isJson(contentType)) return refuseRequest(notJson('UNSUPPORTED_MEDIA_TYPE'), 415, tools)
    try {
      const body = await readText(request, limitKb)
      const plain = await answerPlainly(yoga, body, asked.accept, arrival, tools)
      if (plain) return responseOf(plain)
      requireJson(body)
      if (isHashInBody(body)) return persistedQueryNotSupported(requestId)
      const stream = await streams.answer({ ...asked, params: plainParams(body) })
      if (stream) return stream
      return await yoga.fetch(new Request(request.url, { method, headers, body, signal: request.signal }), { arrival })
    } catch (error) {
      if (error instanceof DomainError && error.code === 'PAYLOAD_TOO_LARGE') return refuseRequest(error, 413, tools)
      if (error instanceof DomainError && error.code === 'INVALID_INPUT') return refuseRequest(error, 400, tools)
      throw error
    }
  }

  return {
    fetch,
    answerPlain,
    attach: sockets.attach,
    async close() {
      stopping.abort(new ProcessEnding())
      await Promise.all([sockets.close(), streams.close()])
      parts.access.close()
    },
  }
}

const responseOf = ({ status, mediaType, text }: PlainAnswer) =>
  new Response(text, { status, headers: { 'content-type': mediaType } })

/** In the only form that EventSource can send. Null for requests that Yoga refuses with a good message. */
function paramsOfUrl(url: string): Params | null {
  const { query, operationName, variables = '{}' } = Object.fromEntries(new URL(url).searchParams)
  try {
    return plainParams(JSON.stringify({ query, operationName, variables: JSON.parse(variables) }))
  } catch {
    return null
  }
}

/** Forms and text are refused: a page of another site can send them without a CORS check. */
const notJson = (code: 'INVALID_INPUT' | 'UNSUPPORTED_MEDIA_TYPE') =>
  new DomainError(code, undefined, 'Send a JSON body, with Content-Type: application/json')

function yogaOf(parts: GraphQLParts, log: Logger, execution: Plugin[]): Yoga {
  const plugins: Plugin[] = [
    limitsPlugin(parts.config),
    sharedSubscriptionPlugin(),
    publicErrorsPlugin(log),
    ...execution,
  ]
  return createYoga<{ arrival: Arrival }>({
    schema,
    plugins,
    context: ({ arrival }) => createContext(parts, arrival),
    parserAndValidationCache: { documentCache: createDocumentCache(), errorCache: noCache, validationCache: true },
    maxRequestBodySize: parts.config.BERTH_BODY_LIMIT_KB * 1024,
    // The plugin above sorts and masks thrown errors; it knows the request's id.
    maskedErrors: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    batching: false,
    cors: false,
    logging: false,
    disposeOnProcessTerminate: false,
  })
}
