import { DomainError, invalidField } from '../../domain/errors.ts'
import type { ServerContext } from '../../http/context.ts'
import { isJson, readText } from '../../http/json-body.ts'

/** The JSON object in the body; a missing body is an empty object. */
export async function readBody(c: ServerContext, limitKb: number): Promise<Record<string, unknown>> {
  const text = await readText(c.req.raw, limitKb)
  if (text === '') return {}
  if (!isJson(c.req.header('content-type') ?? '')) {
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', undefined, 'Send the body as Content-Type: application/json')
  }
  const body = parseJson(text)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidField('body', 'must be a JSON object')
  return body as Record<string, unknown>
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidField('body', 'is not valid JSON')
  }
}
