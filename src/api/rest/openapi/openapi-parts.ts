import type { ErrorCode } from '../../../domain/errors.ts'
import { ERROR_CATALOGUE } from '../../http/error-catalogue.ts'
import { isRetriedCode } from '../protocol/errors.ts'
import { pascalCase } from './names.ts'
import type { JsonSchema } from './openapi-schemas.ts'

const text = { type: 'string' }

/** Headers and parameters that any write understands (contract §1). */
export const parameters: Record<string, JsonSchema> = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Id of your own for the request: 1 to 128 letters, digits, ".", "_" or "-". Generated when omitted.',
    schema: text,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the call safe to repeat: the same key and request get the first answer again, for at least 24 hours. Keys belong to a token and a call. Another request under a key is refused (422), and so is one whose first call still runs or waits (409).',
    schema: { ...text, minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the resource as you read it, or *. When it has changed since, the call is refused (412).',
    schema: text,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETag of the answer that you have. When it is still current, the answer is 304 without a body.',
    schema: text,
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`wait=60`: answer when what the call has begun has ended, or after that many whole seconds. That is its operation or operations, job run, installation, delivery, check of a host, or removal of data. The status is 200 and the shape is the same, whatever the outcome: decide by the header Operation-Status. `return=representation`: answer with the whole object, as its GET shows it, in place of the usual answer. Both may stand together, with a comma between them.',
    schema: text,
    example: 'wait=60',
  },
  DryRun: {
    name: 'dryRun',
    in: 'query',
    description: 'Validate and answer as usual, say in `changes` what would change, but change nothing.',
    schema: { type: 'boolean', default: false },
  },
}

const header = (description: string): JsonSchema => ({ description, schema: text })

export const headers: Record<string, JsonSchema> = {
  'X-Request-Id': header('Id of the request, also in logs, audit entries and operations.'),
  'RateLimit-Policy': header('Your budget: q requests in w seconds.'),
  RateLimit: header('Rest of your budget: r requests, for t more seconds.'),
  'Retry-After': header('Seconds to wait before trying again.'),
  ETag: header('The resource’s version, for If-Match and If-None-Match.'),
  'Operation-Location': header('Address of the operation that this call began, where it began exactly one.'),
  'Operation-Status': {
    description:
      'Outcome of what the call waited for: `SUCCEEDED`; `FAILED` or `CANCELLED`, with `success` false and the reason in `message` where the answer has them; `RUNNING` when the wait was over first. A job run that timed out has failed.',
    schema: { ...text, enum: ['SUCCEEDED', 'FAILED', 'CANCELLED', 'RUNNING'] },
  },
  'Idempotent-Replayed': header('`true` when this is the answer of an earlier call with the same Idempotency-Key.'),
  'Preference-Applied': header(
    'What of Prefer was granted: `wait=` with the seconds, `return=representation`, or both.',
  ),
}

export const headerRefs = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const ALWAYS = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit']

/** Codes that any call may be refused with, and those that any write may be, besides. */
const OF_READS: readonly ErrorCode[] = [
  'INVALID_INPUT',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
]
const OF_WRITES: readonly ErrorCode[] = [
  ...OF_READS,
  'NOT_FOUND',
  'CONFLICT',
  'PRECONDITION_FAILED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'IDEMPOTENCY_MISMATCH',
]

/** What the example of each refusal says. A new code does not compile until it has one. */
const EXAMPLE_DETAILS: Readonly<Record<ErrorCode, string>> = {
  INVALID_INPUT: 'containers: must be 1 to 20',
  UNAUTHENTICATED: 'The token is not valid: it is unknown, expired or revoked',
  FORBIDDEN: 'This call needs the role TECHNICAL or ADMIN in the account',
  NOT_FOUND: 'There is no app environment "default-shop-live"',
  CONFLICT: 'The environment has never been deployed: deploy it first',
  CURSOR_EXPIRED: 'The events after this cursor are no longer kept',
  PRECONDITION_FAILED: 'The appEnv is at version 5, not 4: read it again and repeat',
  PAYLOAD_TOO_LARGE: 'The body is larger than 1024 KB',
  UNSUPPORTED_MEDIA_TYPE: 'Bodies are JSON: send Content-Type: application/json',
  IDEMPOTENCY_MISMATCH: 'This Idempotency-Key was used with another request',
  RATE_LIMITED: 'The budget of the account is used up; repeat after Retry-After',
  INTERNAL: 'Something went wrong on our side; please quote the request id',
  INSTALLATION_INCOMPLETE: 'The solution is installed in part (database: the image was not found)',
  UNAVAILABLE: 'The database does not answer; nothing was changed',
  RUNTIME_UNAVAILABLE: 'The container engine does not answer',
}

const CODES = Object.keys(ERROR_CATALOGUE) as ErrorCode[]
const statusOf = (code: ErrorCode): number => ERROR_CATALOGUE[code].status

/** One response for each status, called after the first code that has it. */
const BY_STATUS = Map.groupBy(CODES, statusOf)

const responseNamed = (status: number): string => pascalCase(BY_STATUS.get(status)?.[0] ?? '')

/**
 * The responses to refusals, one for each status that an operation may answer: operations refer to them. `own` are codes
 * that not every write may be refused with.
 */
export function problemResponses(problem: JsonSchema, own: readonly ErrorCode[]): Record<string, JsonSchema> {
  const used = new Set([...OF_WRITES, ...own].map(statusOf))
  const responses = [...BY_STATUS].flatMap(([status, codes]) => {
    if (!used.has(status)) return []
    const description = codes.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].meaning}`).join(' ')
    const isRetried = codes.some(isRetriedCode)
    const content = { 'application/problem+json': { schema: problem, example: exampleProblem(codes[0] as ErrorCode) } }
    const shown = headerRefs(isRetried ? [...ALWAYS, 'Retry-After'] : ALWAYS)
    return [[responseNamed(status), { description, headers: shown, content }]]
  })
  return Object.fromEntries(responses)
}

function exampleProblem(code: ErrorCode): JsonSchema {
  const { status, title } = ERROR_CATALOGUE[code]
  const [field = '', rule = ''] = EXAMPLE_DETAILS[code].split(': ')
  return {
    type: `/docs/errors#${code}`,
    title,
    status,
    detail: EXAMPLE_DETAILS[code],
    instance: '/api/public/v1/app-env/scaling',
    code,
    message: EXAMPLE_DETAILS[code],
    requestId: 'req_7f6c3b1e-52a4-4b0e-9a37-0c1d6f2e8b55',
    ...(code === 'INVALID_INPUT' ? { errors: [{ field, message: rule }] } : {}),
  }
}

/** The refusals of one operation, by status. */
const refused = (codes: readonly ErrorCode[]): Record<string, JsonSchema> => {
  const statuses = [...new Set(codes.map(statusOf))]
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${responseNamed(status)}` }]),
  )
}

/** A read that is asked for nothing in particular finds it always. `own` are codes that not every read may be refused with. */
export const refusedRead = (asksForSomething: boolean, own: readonly ErrorCode[]) =>
  refused([...OF_READS, ...(asksForSomething ? (['NOT_FOUND'] as const) : []), ...own])

/** `own` are codes that not every write may be refused with. */
export const refusedWrite = (own: readonly ErrorCode[] = []) => refused([...OF_WRITES, ...own])

/** Once for all calls, where the documentation begins. */
export const errorTable = (): string =>
  ['| Status | Code | Meaning |', '|---|---|---|']
    .concat(
      Object.entries(ERROR_CATALOGUE).map(([code, { status, meaning }]) => `| ${status} | \`${code}\` | ${meaning} |`),
    )
    .join('\n')

export const accepted = (schema: JsonSchema, names: string[], example: unknown): JsonSchema => ({
  description: 'Done.',
  headers: headerRefs([...ALWAYS, ...names]),
  content: { 'application/json': { schema, example } },
})
