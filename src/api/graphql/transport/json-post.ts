import { type DocumentNode, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql'
import type { YogaServerInstance } from 'graphql-yoga'
import type { DomainError } from '../../../domain/errors.ts'
import type { PlainAnswer } from '../../http/plain-answer.ts'
import type { Arrival } from '../context.ts'
import { type ErrorTools, publicError, publicResult } from '../errors.ts'
import { writeAnswer } from '../execution/write-answer.ts'
import { type Cache, createDocumentCache } from './document-cache.ts'

// biome-ignore lint/suspicious/noExplicitAny: Yoga's own types for "whatever its context is".
export type Yoga = YogaServerInstance<any, any>

type Enveloped = ReturnType<Yoga['getEnveloped']>

export const JSON_TYPE = 'application/json'
const RESPONSE_TYPE = 'application/graphql-response+json'
const KNOWN_PARAMS = new Set(['query', 'variables', 'operationName', 'extensions'])

export interface Params {
  query: string
  variables?: Record<string, unknown> | null
  operationName?: string | null
}

/**
 * The fast path for almost every request: a JSON POST of one query or mutation. It uses Yoga's own parse, validate,
 * context and execute with every plugin, and skips only Yoga's HTTP layer, which costs more than all of them. Returns
 * null for any other request, which then takes Yoga's path.
 */
export async function answerPlainly(
  yoga: Yoga,
  body: string,
  accept: string | null,
  arrival: Arrival,
  tools: ErrorTools,
): Promise<PlainAnswer | null> {
  const mediaType = mediaTypeOf(accept)
  const params = mediaType && plainParams(body)
  if (!params) return null
  const enveloped = yoga.getEnveloped({ arrival })
  const operation = operationOf(yoga, enveloped, params)
  if (!operation) return null
  const { schema, contextFactory, execute } = enveloped
  const result = await run(async () => {
    const { variables: variableValues, operationName } = params
    return execute({
      schema,
      document: operation.document,
      contextValue: await contextFactory(),
      variableValues,
      operationName,
    })
  }, tools)
  return {
    status: statusOf(result, mediaType),
    mediaType: `${mediaType}; charset=utf-8`,
    text: writeAnswer(withoutStatus(result)),
    isRead: operation.kind === 'query' && !result.errors,
  }
}

interface Operation {
  document: DocumentNode
  kind: 'query' | 'mutation'
}

/** Those that were parsed and validated, by their documents and names. */
const known = new WeakMap<Yoga, Cache<Map<string, Operation>>>()

/** Null for what Yoga refuses or streams: refused documents are rare, and Yoga knows the specified statuses. */
function operationOf(yoga: Yoga, enveloped: Enveloped, { query, operationName }: Params): Operation | null {
  const documents = known.get(yoga) ?? createDocumentCache<Map<string, Operation>>()
  known.set(yoga, documents)
  const name = operationName ?? ''
  const found = documents.get(query)?.get(name)
  if (found) return found
  try {
    const document = enveloped.parse(query)
    const kind = getOperationAST(document, operationName)?.operation
    if ((kind !== 'query' && kind !== 'mutation') || enveloped.validate(enveloped.schema, document).length > 0)
      return null
    const operation = { document, kind } as const
    // A name is one of the document's operations, or empty: there are not many.
    documents.set(query, (documents.get(query) ?? new Map()).set(name, operation))
    return operation
  } catch {
    return null
  }
}

async function run(operate: () => Promise<unknown>, tools: ErrorTools): Promise<ExecutionResult> {
  try {
    return publicResult((await operate()) as ExecutionResult, tools)
  } catch (error) {
    return { errors: [publicError(error, tools)] }
  }
}

function mediaTypeOf(accept: string | null): string | null {
  if (!accept || accept === '*/*') return JSON_TYPE
  if (/event-stream|multipart|charset|;/.test(accept)) return null
  if (accept.includes(RESPONSE_TYPE)) return RESPONSE_TYPE
  return accept.includes(JSON_TYPE) || accept.includes('*/*') ? JSON_TYPE : null
}

export function plainParams(body: string): Params | null {
  let params: unknown
  try {
    params = JSON.parse(body)
  } catch {
    return null
  }
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return null
  const { query, variables, operationName, extensions } = params as Record<string, unknown>
  if (typeof query !== 'string' || !Object.keys(params).every((name) => KNOWN_PARAMS.has(name))) return null
  if (!isMapOrNothing(variables) || !isMapOrNothing(extensions)) return null
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') return null
  return params as Params
}

const isMapOrNothing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && !Array.isArray(value))

interface Http {
  status?: number
  /** The specification requires this status only for its own media type. */
  spec?: boolean
}

/** A refusal before execution sets the HTTP status; beside data, errors appear only in the body. */
export function statusOf({ data, errors }: ExecutionResult, mediaType: string): number {
  if (data !== undefined || !errors) return 200
  if (errors.some((error) => error.extensions.code === 'INTERNAL')) return 500
  const http = errors.map((error) => error.extensions.http as Http | undefined).find((found) => found?.status)
  if (mediaType === JSON_TYPE) return http?.status && !http.spec ? http.status : 200
  return http?.status ?? 400
}

/** The HTTP status and headers of a refusal are for the transport, not for the body. */
export function withoutStatus(result: ExecutionResult): ExecutionResult {
  return result.errors ? { ...result, errors: result.errors.map(withoutHttp) } : result
}

function withoutHttp(error: GraphQLError): GraphQLError {
  if (!('http' in error.extensions)) return error
  const { http: _http, ...extensions } = error.extensions
  const { message, nodes, source, positions, path } = error
  return new GraphQLError(message, { nodes, source, positions, path, extensions })
}

/** A request that is refused before it is read. */
export function refuseRequest(error: DomainError, status: number, tools: ErrorTools): Response {
  return Response.json({ errors: [withoutHttp(publicError(error, tools))] }, { status })
}
