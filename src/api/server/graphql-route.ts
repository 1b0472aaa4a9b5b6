import type { Hono } from 'hono'
import {
  addressOf,
  answerJson,
  cutConnection,
  type ServerContext,
  type ServerEnv,
  type ServerMiddleware,
  withRequestHeaders,
} from '../http/context.ts'
import { STATUS_OF } from '../http/error-catalogue.ts'
import type { PlainAnswer, PlainAsking } from '../http/plain-answer.ts'
import { MethodNotAllowed, refusalOf } from '../rest/protocol/errors.ts'

/** The GraphQL API, as far as the server needs to know it. */
export interface GraphQLHandler {
  fetch(
    request: Request,
    context: Pick<PlainAsking, 'requestId' | 'address' | 'admitted'> & { cut?: () => void },
  ): Promise<Response> | Response
  /** Answers a plain JSON POST by its body. Null for what only `fetch` can answer: then nothing was done. */
  answerPlain?(body: string, asking: PlainAsking): Promise<PlainAnswer | null>
}

export const GRAPHQL_PATH = '/graphql'
/** A GET may be a query, a stream of events, or a browser that wants GraphiQL. */
const METHODS = ['GET', 'POST']
/** What a client may have meant by another method. */
const HINTS: Readonly<Record<string, string>> = {
  PUT: 'subscriptions over SSE have a connection each (distinct connections); there is no single-connection mode',
}

/**
 * Passes everything at /graphql to the GraphQL API, with the same budget and headers as REST. It reads bodies itself.
 */
export function mountGraphQL(app: Hono<ServerEnv>, graphql: GraphQLHandler, steps: readonly ServerMiddleware[]): void {
  const named: ServerMiddleware = (c, next) => {
    c.set('route', GRAPHQL_PATH)
    return next()
  }
  app.all(GRAPHQL_PATH, named, ...steps, async (c) => {
    const { method } = c.req.raw
    if (!METHODS.includes(method)) throw new MethodNotAllowed(method, METHODS.join(', '), HINTS[method])
    const { requestId, admitted } = c.var
    const context = { requestId, address: addressOf(c), admitted, cut: () => cutConnection(c) }
    return withRequestHeaders(c, await graphql.fetch(c.req.raw, context))
  })
}

/** Errors at /graphql that the server raises (the budget) or GraphQL did not catch, as GraphQL errors. */
export function answerGraphQLError(c: ServerContext, thrown: unknown): Response {
  const { status, body, headers, isOurFault } = graphqlErrorOf(thrown, c.get('requestId'))
  if (isOurFault) c.set('failure', thrown)
  return answerJson(c, status, body, headers)
}

export function graphqlErrorOf(thrown: unknown, requestId: string) {
  const refusal = refusalOf(thrown, requestId)
  const { code, reason, message, details } = refusal
  const { retryAfterSeconds } = details
  const headers: Record<string, string> = retryAfterSeconds ? { 'Retry-After': String(retryAfterSeconds) } : {}
  const extensions = { code, ...(reason ? { reason } : {}), requestId }
  const body = { errors: [{ message, extensions }] }
  if (refusal instanceof MethodNotAllowed)
    return { status: 405, body, headers: { ...headers, Allow: refusal.allow }, isOurFault: false }
  return { status: STATUS_OF[code], body, headers, isOurFault: code === 'INTERNAL' }
}
