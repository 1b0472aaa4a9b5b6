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
      '`wait=60`: answer when the operation has ended, or after that many whole seconds. The status is 200 and the shape is the same, whatever the outcome: decide by the header Operation-Status.',
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
  'Operation-Location': header('Address of the operation that this call began.'),
  'Operation-Status': {
    description:
      'Outcome of the operation that the call waited for: `SUCCEEDED`; `FAILED` or `CANCELLED`, with `success` false and the reason in `message`; `RUNNING` when the wait was over first.',
    schema: { ...text, enum: ['SUCCEEDED', 'FAILED', 'CANCELLED', 'RUNNING'] },
  },
  'Idempotent-Replayed': header('`true` when this is the answer of an earlier call with the same Idempotency-Key.'),
  'Preference-Applied': header('Wait that was granted, in seconds.'),
}

export const headerRefs = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const ALWAYS = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit']
const READ_REFUSALS = [400, 401, 403, 404, 429, 500, 503]
const WRITE_REFUSALS = [...READ_REFUSALS, 409, 412, 413, 415, 422, 502]

/** One shared answer for each status of the catalogue. */
export function problemResponses(problem: JsonSchema): Record<string, JsonSchema> {
  const byStatus = new Map<number, string[]>()
  for (const [code, { status, meaning }] of Object.entries(ERROR_CATALOGUE)) {
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${meaning}`])
  }
  const responses = [...byStatus].map(([status, lines]) => {
    const names = [429, 503].includes(status) ? [...ALWAYS, 'Retry-After'] : ALWAYS
    const content = { 'application/problem+json': { schema: problem } }
    return [`Problem${status}`, { description: lines.join('\n\n'), headers: headerRefs(names), content }]
  })
  return Object.fromEntries(responses)
}

export const refusals = (kind: 'read' | 'write') =>
  Object.fromEntries(
    (kind === 'read' ? READ_REFUSALS : WRITE_REFUSALS).map((status) => [
      status,
      { $ref: `#/components/responses/Problem${status}` },
    ]),
  )

export const accepted = (schema: JsonSchema, names: string[]): JsonSchema => ({
  description: 'Done.',
  headers: headerRefs([...ALWAYS, ...names]),
  content: { 'application/json': { schema } },
})
