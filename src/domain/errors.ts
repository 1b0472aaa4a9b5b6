import { otherNoun } from './ids.ts'
import type { ReasonOf } from './reasons.ts'

/** Every code with which a call can be refused; both APIs use the same names (contract §1). */
export type ErrorCode =
  | 'INVALID_INPUT'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'PRECONDITION_FAILED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'IDEMPOTENCY_MISMATCH'
  | 'CURSOR_EXPIRED'
  | 'RATE_LIMITED'
  | 'INTERNAL'
  | 'INSTALLATION_INCOMPLETE'
  | 'UNAVAILABLE'
  | 'RUNTIME_UNAVAILABLE'

/** One input field that broke a rule; `field` is a dotted path such as `envVars.0.name`. */
export interface FieldProblem {
  field: string
  message: string
}

export interface ErrorDetails {
  fields?: FieldProblem[]
  retryAfterSeconds?: number
  /** For an expired cursor: the cursor to follow from, once the current state has been read. */
  continueAfter?: string
  /** For an incomplete installation: its id, with which the request is repeated, and how far it is. */
  installation?: { installationId: string; components: readonly IncompleteComponent[] }
}

/** How far a component of an incomplete installation is. */
export interface IncompleteComponent {
  key: string
  state: string
  reason: string | null
  message: string | null
}

/** A refusal that the caller is meant to read. Any other error is masked as INTERNAL. */
export class DomainError extends Error {
  readonly code: ErrorCode
  readonly reason: string | undefined
  readonly details: ErrorDetails

  constructor(code: ErrorCode, reason: string | undefined, message: string, details: ErrorDetails = {}) {
    super(message)
    this.name = 'DomainError'
    this.code = code
    this.reason = reason
    this.details = details
  }
}

export function invalidInput(fields: FieldProblem[]): DomainError {
  const message = fields.map((problem) => `${problem.field}: ${problem.message}`).join('; ')
  return new DomainError('INVALID_INPUT', undefined, message, { fields })
}

export const invalidField = (field: string, message: string): DomainError => invalidInput([{ field, message }])

/** The same refusal, of fields that were sent within this one. */
export function withinField(field: string, error: DomainError): DomainError {
  const { fields } = error.details
  if (error.code !== 'INVALID_INPUT' || !fields) return error
  return invalidInput(fields.map((problem) => ({ ...problem, field: `${field}.${problem.field}` })))
}

export const unauthenticated = (message: string): DomainError => new DomainError('UNAUTHENTICATED', undefined, message)

export const forbidden = (reason: ReasonOf<'FORBIDDEN'>, message: string): DomainError =>
  new DomainError('FORBIDDEN', reason, message)

/** `hint`: what may have been meant. An id of another noun is named as such. */
export function notFound(noun: string, id: string, hint = otherNoun(noun, id)): DomainError {
  return new DomainError('NOT_FOUND', undefined, `There is no ${noun} "${id}"${hint ? `: ${hint}` : ''}`)
}

export const conflict = (reason: ReasonOf<'CONFLICT'>, message: string): DomainError =>
  new DomainError('CONFLICT', reason, message)

export const runtimeUnavailable = (message: string): DomainError =>
  new DomainError('RUNTIME_UNAVAILABLE', 'ENGINE_UNREACHABLE', message)

export const unavailable = (
  message: string,
  retryAfterSeconds: number,
  reason?: ReasonOf<'UNAVAILABLE'>,
): DomainError => new DomainError('UNAVAILABLE', reason, message, { retryAfterSeconds })
