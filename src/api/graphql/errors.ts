import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import { DomainError } from '../../domain/errors.ts'
import { asDomainError } from '../../storage/database/errors.ts'
import type { Arrival } from './context.ts'

/** HTTP statuses of refusals before execution; a refusal beside data appears only in the body. */
const STATUS: Partial<Record<DomainError['code'], number>> = {
  UNAUTHENTICATED: 401,
  RATE_LIMITED: 429,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
}

export interface ErrorTools {
  requestId: string
  log: Logger
}

const MAX_MESSAGE_LENGTH = 1_000

const isPublic = Symbol('berth.publicError')

/** Refusals that callers are meant to read, with the code that REST uses for the same refusal (contract §1). */
export function publicError(error: unknown, tools: ErrorTools): GraphQLError {
  if (error instanceof GraphQLError && isPublic in error) return error
  const original = rootOf(error)
  // GraphQL's own errors about a document or its variables, which may quote the caller's text.
  if (original instanceof GraphQLError) return mark(requestError(original, tools))
  const refusal = asDomainError(original)
  if (refusal instanceof DomainError) {
    // Callers only learn that it was not their fault; the operator needs the cause.
    if (refusal.code === 'UNAVAILABLE')
      tools.log.error({ err: original, requestId: tools.requestId }, 'A GraphQL operation was refused as unavailable')
    return mark(refusalError(error, refusal, tools))
  }
  tools.log.error({ err: original, requestId: tools.requestId }, 'A GraphQL operation failed')
  const message = `Something went wrong on our side; please quote the request id ${tools.requestId}`
  return mark(located(error, message, { code: 'INTERNAL', requestId: tools.requestId }))
}

function refusalError(error: unknown, refusal: DomainError, { requestId }: ErrorTools): GraphQLError {
  const { code, reason, message, details } = refusal
  const status = STATUS[code]
  return located(error, message, {
    code,
    ...(reason ? { reason } : {}),
    // A replayed refusal is the first one, word for word (contract §1, Idempotency).
    requestId: 'replayOf' in refusal ? refusal.replayOf : requestId,
    ...(details.fields ? { fields: details.fields } : {}),
    ...(details.continueAfter ? { continueAfter: details.continueAfter } : {}),
    ...(details.installation ?? {}),
    ...(details.retryAfterSeconds ? { retryAfterSeconds: details.retryAfterSeconds } : {}),
    ...(status ? { http: { status } } : {}),
  })
}

function requestError(error: GraphQLError, { requestId }: ErrorTools): GraphQLError {
  const { http, ...extensions } = error.extensions as { http?: object } & Record<string, unknown>
  const isOurs = typeof extensions.reason === 'string'
  const published = isOurs ? extensions : {}
  // A body that is not JSON refuses the whole request, not just the document.
  const isUnreadable = 'originalError' in extensions
  const status = isUnreadable ? { http: { status: 400 } } : http ? { http: asOfDocument(error, http) } : {}
  return located(error, shortened(error.message), { code: 'INVALID_INPUT', ...published, requestId, ...status })
}

/**
 * Wrong values of variables have the status of any other wrong document or input: 400 only in the newer media type, where the
 * specification asks for it.
 */
const asOfDocument = ({ nodes }: GraphQLError, http: object): object => (nodes?.length ? { ...http, spec: true } : http)

/** GraphQL quotes the value that it refuses, up to fifty times: a large one would come back many times as large. */
const shortened = (message: string): string =>
  message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()}…` : message

function located(error: unknown, message: string, extensions: Record<string, unknown>): GraphQLError {
  if (!(error instanceof GraphQLError)) return new GraphQLError(message, { extensions })
  const { nodes, source, positions, path } = error
  return new GraphQLError(message, { nodes, source, positions, path, extensions })
}

/** The original error, under the errors that GraphQL wraps around it. */
function rootOf(error: unknown): unknown {
  let root = error
  while (root instanceof GraphQLError && root.originalError && !isRefusedRequest(root)) root = root.originalError
  return root
}

/** Yoga's error for a request that it could not read, such as broken JSON. */
function isRefusedRequest({ extensions }: GraphQLError): boolean {
  const { status } = (extensions.http ?? {}) as { status?: number }
  return status !== undefined && status >= 400 && status < 500
}

function mark(error: GraphQLError): GraphQLError {
  Object.defineProperty(error, isPublic, { value: true })
  return error
}

interface Result {
  errors?: readonly GraphQLError[] | undefined
}

/** The same result, with errors that callers may see. */
export function publicResult<R extends Result>(result: R, tools: ErrorTools): R {
  if (!result.errors || result.errors.length === 0) return result
  return { ...result, errors: result.errors.map((error) => publicError(error, tools)) }
}

const isStream = (result: object): result is AsyncIterable<ExecutionResult> => Symbol.asyncIterator in result

/** Masks the errors in every answer of Yoga's own HTTP layer, including SSE. */
export function publicErrorsPlugin(log: Logger): Plugin {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      const { requestId } = (serverContext as unknown as { arrival: Arrival }).arrival
      const tools = { requestId, log }
      if (Array.isArray(result)) return
      if (!isStream(result)) return setResult(publicResult(result as ExecutionResult, tools))
      setResult(each(result, (one) => publicResult(one, tools)))
    },
  }
}

async function* each(
  stream: AsyncIterable<ExecutionResult>,
  change: (result: ExecutionResult) => ExecutionResult,
): AsyncGenerator<ExecutionResult> {
  try {
    for await (const result of stream) yield change(result)
  } catch (error) {
    const asGraphQL = error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error })
    yield change({ errors: [asGraphQL] })
  }
}
