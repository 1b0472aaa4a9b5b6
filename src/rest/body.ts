import { DomainError, invalidField } from '../domain/errors.ts'
import type { ServerContext } from '../server/context.ts'

/** The JSON object in the body; no body at all is an empty one. */
export async function readBody(c: ServerContext): Promise<Record<string, unknown>> {
  const text = await c.req.text()
  if (text === '') return {}
  const type = c.req.header('content-type') ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type)) {
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
