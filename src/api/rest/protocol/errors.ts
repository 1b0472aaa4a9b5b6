import { z } from 'zod'
import { DomainError, type ErrorCode } from '../../../domain/errors.ts'
import { asDomainError } from '../../../storage/database/errors.ts'
import { answer, challengeAt, type ServerContext } from '../../http/context.ts'
import { ERROR_CATALOGUE } from '../../http/error-catalogue.ts'

const problemOfField = z.object({
  field: z.string().describe('Name of the field, with a dot before each nested one.'),
  message: z.string().describe('Rule that the field breaks.'),
})

const incompleteComponent = z.object({
  key: z.string().describe('Key of the component in the solution.'),
  state: z.string().describe('State of the component: PENDING, READY or FAILED.'),
  reason: z.string().nullable().describe('Code for why the component failed, if it did.'),
  message: z.string().nullable().describe('Why the component failed, if it did.'),
})

/** RFC 9457, with the members that the contract adds (§1, Errors). */
export const problem = z
  .object({
    type: z.string().describe('Address of the description of the error code.'),
    title: z.string().describe('Error code in words.'),
    status: z.int().describe('The HTTP status.'),
    detail: z.string().describe('What is wrong with the request.'),
    instance: z.string().describe('The path that was called.'),
    code: z.enum(Object.keys(ERROR_CATALOGUE) as [ErrorCode, ...ErrorCode[]]).describe('Error code of the catalogue.'),
    reason: z.string().optional().describe('A finer code, such as NEVER_DEPLOYED.'),
    message: z.string().describe('Copy of detail, for clients that expect a message.'),
    requestId: z
      .string()
      .describe('The id to quote when asking for help. A replayed refusal has that of the first call.'),
    errors: z.array(problemOfField).optional().describe('Problems of the request, by field.'),
    installationId: z
      .string()
      .optional()
      .describe('Id of the incomplete installation: the same request with the id goes on with it.'),
    components: z.array(incompleteComponent).optional().describe('Components of the incomplete installation.'),
    success: z.literal(false).optional().describe('Always false. Only on lifecycle paths.'),
  })
  .meta({ id: 'Problem', description: 'A refused request.' })

export type Problem = z.output<typeof problem>

export interface RenderedProblem {
  body: Problem
  headers: Record<string, string>
}

const RETRY_AFTER_SECONDS = 5

/** Clients retry these, so the answer says when. */
const RETRIED: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'RUNTIME_UNAVAILABLE', 'RATE_LIMITED'])

/** Whether a refusal with this code says when to repeat the request. */
export const isRetriedCode = (code: ErrorCode): boolean => RETRIED.has(code)

/** Any thrown value as a refusal. Internal errors are masked for callers, and logged with the request's id. */
export function refusalOf(thrown: unknown, requestId: string): DomainError {
  const error = asDomainError(thrown)
  if (error instanceof DomainError) return error
  return new DomainError(
    'INTERNAL',
    undefined,
    `Something went wrong on our side; please quote the request id ${requestId}`,
  )
}

export function renderProblem(
  refusal: DomainError,
  at: { path: string; requestId: string; isLifecycle: boolean },
): RenderedProblem {
  const { status: usual, title } = ERROR_CATALOGUE[refusal.code]
  const status = refusal instanceof MethodNotAllowed ? 405 : usual
  // A replayed refusal is the first one, word for word (contract §1, Idempotency).
  const replayOf = 'replayOf' in refusal ? String(refusal.replayOf) : undefined
  const { fields, installation, retryAfterSeconds = RETRY_AFTER_SECONDS } = refusal.details
  const body: Problem = {
    type: `/docs/errors#${refusal.code}`,
    title,
    status,
    detail: refusal.message,
    instance: at.path,
    code: refusal.code,
    ...(refusal.reason ? { reason: refusal.reason } : {}),
    message: refusal.message,
    requestId: replayOf ?? at.requestId,
    ...(fields ? { errors: fields } : {}),
    ...(installation ? { ...installation, components: [...installation.components] } : {}),
    ...(at.isLifecycle ? { success: false } : {}),
  }
  const headers: Record<string, string> = { 'Content-Type': 'application/problem+json', ...challengeAt(status) }
  if (isRetriedCode(refusal.code)) headers['Retry-After'] = String(retryAfterSeconds)
  if (replayOf) headers['Idempotent-Replayed'] = 'true'
  if (refusal instanceof MethodNotAllowed) headers.Allow = refusal.allow
  return { body, headers }
}

/** Answers a thrown error. Internal errors are passed to the access log for the operator. */
export function answerProblem(c: ServerContext, thrown: unknown, isLifecycle: boolean): Response {
  const requestId = c.get('requestId')
  const refusal = refusalOf(thrown, requestId)
  if (refusal.code === 'INTERNAL' || refusal.code === 'UNAVAILABLE') c.set('failure', thrown)
  const { body, headers } = renderProblem(refusal, { path: c.req.path, requestId, isLifecycle })
  return answer(c, body.status, JSON.stringify(body), headers)
}

/** An existing path, called with a method that it does not have. */
export class MethodNotAllowed extends DomainError {
  readonly allow: string

  constructor(method: string, allow: string, hint?: string) {
    super(
      'INVALID_INPUT',
      'METHOD_NOT_ALLOWED',
      `This path has no ${method}; it has ${allow}${hint ? `: ${hint}` : ''}`,
    )
    this.allow = allow
  }
}
