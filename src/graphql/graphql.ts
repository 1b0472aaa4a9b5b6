import type { Server } from 'node:http'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import { DomainError } from '../domain/errors.ts'
import { createAccessWatch } from './access-watch.ts'
import { type Arrival, createContext, type GraphQLParts } from './context.ts'
import { createDocumentCache, noCache } from './document-cache.ts'
import { publicErrorsPlugin } from './errors-plugin.ts'
import { answerPage, wantsPage } from './graphiql/page.ts'
import { answerPlainly, refuseRequest, type Yoga } from './json-door.ts'
import { limitsPlugin } from './limits/limits-plugin.ts'
import { readBody } from './read-body.ts'
import { schema } from './schema.ts'
import type { RequestBudget } from './socket-operation.ts'
import { attachSockets } from './sockets.ts'

interface GraphQLOptions extends Omit<GraphQLParts, 'access'> {
  log: Logger
  /** The budget in which operations over a WebSocket are counted, like any other request. */
  limits?: RequestBudget | undefined
}

interface RequestContext {
  requestId: string
}

export interface GraphQLDoor {
  /** Everything at /graphql but WebSocket: queries, mutations, subscriptions over SSE, and GraphiQL for browsers. */
  fetch(request: Request, context: RequestContext): Promise<Response>
  /** Takes the server's WebSocket upgrades at /graphql. */
  attach(server: Server): void
  close(): Promise<void>
}

/** The GraphQL door: one schema and one set of limits, whichever way a document comes in. */
export function createGraphQL({ log, limits, ...rest }: GraphQLOptions): GraphQLDoor {
  const parts: GraphQLParts = { ...rest, access: createAccessWatch(rest.services) }
  const yoga = yogaOf(parts, log)
  const sockets = attachSockets({ yoga, parts, log, limits })
  const limitKb = parts.config.BERTH_BODY_LIMIT_KB

  async function fetch(request: Request, { requestId }: RequestContext): Promise<Response> {
    if (wantsPage(request)) return answerPage(request)
    const tools = { requestId, log }
    const { headers, method } = request
    const authorization = headers.get('authorization')
    const arrival: Arrival = { requestId, authorization, signalOf: () => request.signal }
    if (method !== 'POST') return yoga.fetch(request, { arrival })
    const contentType = headers.get('content-type')
    // Without a type it is taken for a mistake, as the specification would have it; another type is refused as such.
    if (contentType === null) return refuseRequest(notJson('INVALID_INPUT'), 400, tools)
    if (!isJson(contentType)) return refuseRequest(notJson('UNSUPPORTED_MEDIA_TYPE'), 415, tools)
    try {
      const body = await readBody(request, limitKb)
      const answer = await answerPlainly(yoga, body, headers.get('accept'), arrival, tools)
      if (answer) return answer
      return await yoga.fetch(new Request(request.url, { method, headers, body, signal: request.signal }), { arrival })
    } catch (error) {
      if (error instanceof DomainError && error.code === 'PAYLOAD_TOO_LARGE') return refuseRequest(error, 413, tools)
      throw error
    }
  }

  return {
    fetch,
    attach: sockets.attach,
    async close() {
      await sockets.close()
      parts.access.close()
    },
  }
}

/** Forms and texts are refused: a page of another site can send them without being asked. */
const isJson = (contentType: string) => /^application\/json\s*(;|$)/i.test(contentType)

const notJson = (code: 'INVALID_INPUT' | 'UNSUPPORTED_MEDIA_TYPE') =>
  new DomainError(code, undefined, 'Send a JSON body, with Content-Type: application/json')

function yogaOf(parts: GraphQLParts, log: Logger): Yoga {
  const plugins: Plugin[] = [limitsPlugin(parts.config), publicErrorsPlugin(log)]
  return createYoga<{ arrival: Arrival }>({
    schema,
    plugins,
    context: ({ arrival }) => createContext(parts, arrival),
    parserAndValidationCache: { documentCache: createDocumentCache(), errorCache: noCache, validationCache: true },
    maxRequestBodySize: parts.config.BERTH_BODY_LIMIT_KB * 1024,
    // What is thrown is sorted and masked by the plugin above, which knows the request's id.
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
