import { ERROR_CATALOGUE } from '../../http/error-catalogue.ts'
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
      '`wait=60`: answer when what the call has begun has ended, or after that many whole seconds. That is its operation or operations, job run, installation, delivery, check of a host, or removal of data. The status is 200 and the shape is the same, whatever the outcome: decide by the header Operation-Status.',
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
  'Preference-Applied': header('Wait that was granted, in seconds.'),
}

export const headerRefs = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const ALWAYS = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit']
const OF_READS = [400, 401, 403, 404, 429, 500, 503]

/** The statuses of refusals, by the component that describes them. */
export const REFUSAL_STATUSES = {
  RefusedRead: OF_READS,
  RefusedWrite: [...OF_READS, 409, 412, 413, 415, 422, 502].sort((one, other) => one - other),
} as const

type Refusals = keyof typeof REFUSAL_STATUSES

const EXAMPLE_PROBLEM = {
  type: '/docs/errors#NOT_FOUND',
  title: 'Not found',
  status: 404,
  detail: 'There is no app environment "default-shop-live"',
  instance: '/api/public/v1/app-env/status',
  code: 'NOT_FOUND',
  message: 'There is no app environment "default-shop-live"',
  requestId: 'req_7f6c3b1e-52a4-4b0e-9a37-0c1d6f2e8b55',
}

/** All refusals are alike, so that each kind of call has one for all statuses; the codes are listed once. */
export function problemResponses(problem: JsonSchema): Record<string, JsonSchema> {
  const responses = Object.entries(REFUSAL_STATUSES).map(([name, statuses]) => {
    const description = `Refused: ${statuses.slice(0, -1).join(', ')} or ${statuses.at(-1)}. \`code\` and \`reason\` say why: [error codes](/docs/errors).`
    const content = { 'application/problem+json': { schema: problem, example: EXAMPLE_PROBLEM } }
    return [name, { description, headers: headerRefs([...ALWAYS, 'Retry-After']), content }]
  })
  return Object.fromEntries(responses)
}

export const refused = (name: Refusals) => ({ default: { $ref: `#/components/responses/${name}` } })

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
