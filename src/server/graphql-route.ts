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
import { refusalOf } from '../rest/protocol/errors.ts'

/** The GraphQL API, as far as the server needs to know it. */
export interface GraphQLHandler {
  fetch(
    request: Request,
    context: { requestId: string; address: string; cut?: () => void },
  ): Promise<Response> | Response
}

export const GRAPHQL_PATH = '/graphql'

/**
 * Passes everything at /graphql to the GraphQL API, with the same budget and headers as REST. It reads bodies itself.
 */
export function mountGraphQL(app: Hono<ServerEnv>, graphql: GraphQLHandler, steps: readonly ServerMiddleware[]): void {
  const named: ServerMiddleware = (c, next) => {
    c.set('route', GRAPHQL_PATH)
    return next()
  }
  app.all(GRAPHQL_PATH, named, ...steps, async (c) => {
    const context = { requestId: c.get('requestId'), address: addressOf(c), cut: () => cutConnection(c) }
    return withRequestHeaders(c, await graphql.fetch(c.req.raw, context))
  })
}

/** Errors at /graphql that the server raises (the budget) or GraphQL did not catch, as GraphQL errors. */
export function answerGraphQLError(c: ServerContext, thrown: unknown): Response {
  const requestId = c.get('requestId')
  const { code, reason, message, details } = refusalOf(thrown, requestId)
  if (code === 'INTERNAL') c.set('failure', thrown)
  const { retryAfterSeconds } = details
  const headers: Record<string, string> = retryAfterSeconds ? { 'Retry-After': String(retryAfterSeconds) } : {}
  const extensions = { code, ...(reason ? { reason } : {}), requestId }
  return answerJson(c, STATUS_OF[code], { errors: [{ message, extensions }] }, headers)
}
