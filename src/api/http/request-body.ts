import type { IncomingMessage } from 'node:http'
import { parse } from '@humanwhocodes/momoa'
import { DomainError, invalidField } from '../../domain/errors.ts'
import type { ServerMiddleware } from './context.ts'

// The only file that reads bodies of requests (test/structure/request-bodies.test.ts): each reader has a bound, which holds
// while the body comes in, whatever length the client has declared.

const JSON_TYPE = /^application\/json\s*(;|$)/i
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i

/** Whether the header announces JSON in the only encoding that JSON has (RFC 8259 §8.1). */
export const isJson = (contentType: string): boolean =>
  JSON_TYPE.test(contentType) && /^utf-?8$/i.test(CHARSET.exec(contentType)?.[1] ?? 'utf-8')

/** Refuses bodies whose declared length is over the limit, even if no handler would read them. */
export const limitBody =
  (limitKb: number): ServerMiddleware =>
  (c, next) => {
    refuseLength(c.req.header('content-length'), limitKb)
    return next()
  }

/** When a length is declared, refuses a body that is too large before reading any of it. */
export function refuseLength(contentLength: string | null | undefined, limitKb: number): void {
  if (Number(contentLength ?? 0) > limitKb * 1024) throw tooLarge(limitKb)
}

const tooLarge = (limitKb: number) =>
  new DomainError('PAYLOAD_TOO_LARGE', undefined, `A request body may have at most ${limitKb} KB`)

/** The body as text. Throws if it is too long, compressed, cut off, or not UTF-8. */
export const readText = async (request: Request, limitKb: number): Promise<string> =>
  textOf(await readBytes(request, limitKb))

/** The body as it came. Throws if it is too long, compressed or cut off. */
export async function readBytes(request: Request, limitKb: number): Promise<ArrayBuffer | Buffer> {
  const { headers } = request
  refuseCompressed(headers.get('content-encoding'))
  const declared = headers.get('content-length')
  refuseLength(declared, limitKb)
  // The parser of HTTP ends a body at its declared length, and the adapter reads it twice as fast as a stream.
  return wholeOf<ArrayBuffer | Buffer>(declared === null ? readBounded(request, limitKb) : request.arrayBuffer())
}

/** The fields of a form, as a page of our own sends it. */
export const readForm = async (request: Request, limitKb: number): Promise<URLSearchParams> =>
  new URLSearchParams(await readText(request, limitKb))

/** The body in pieces, for what is too large for memory; null when there is none. Fails with `tooLarge` after its limit. */
export function streamBody(
  request: Request,
  limitBytes: number,
  tooLarge: () => DomainError,
): AsyncIterable<Uint8Array> | null {
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw tooLarge()
  return request.body && bounded(request.body, limitBytes, tooLarge)
}

async function* bounded(
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
  tooLarge: () => DomainError,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > limitBytes) throw tooLarge()
    yield chunk
  }
}

/**
 * All of a body whose declared length the caller has checked, without a Request; null if the client goes away, or sends
 * more than the limit.
 */
export function readIncoming(request: IncomingMessage, limitBytes: number): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > limitBytes) resolve(null)
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    request.on('error', () => resolve(null))
    request.on('close', () => resolve(null))
  })
}

/** The JSON object in the body; a missing body is an empty object. */
export async function readJsonObject(request: Request, limitKb: number): Promise<Record<string, unknown>> {
  const text = await readText(request, limitKb)
  if (text === '') return {}
  if (!isJson(request.headers.get('content-type') ?? '')) {
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
  } catch (error) {
    const offset = offsetOf(text, (error as Error).message)
    throw invalidField('body', `is not valid JSON${offset === null ? '' : placeOf(text, offset)}`)
  }
}

/** Throws INVALID_INPUT with the place of the mistake, unless the text is JSON. */
export function requireJson(text: string): void {
  parseJson(text)
}

/** Where the text stops being JSON. JSON.parse says so of most mistakes, and not of a wrong character or word. */
function offsetOf(text: string, message: string): number | null {
  const said = / in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1]
  if (said !== undefined) return Number(said)
  if (message === 'Unexpected end of JSON input') return text.length
  try {
    parse(text)
  } catch (error) {
    // What nests too deep for it has no place.
    return (error as { offset?: number }).offset ?? null
  }
  return null
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1} (offset ${offset})`
}

/** Refused, because it would otherwise be read as if it were not compressed. */
function refuseCompressed(contentEncoding: string | null): void {
  if (!contentEncoding || /^identity$/i.test(contentEncoding)) return
  throw new DomainError('UNSUPPORTED_MEDIA_TYPE', undefined, 'Send the body as it is, without Content-Encoding')
}

async function readBounded(request: Request, limitKb: number): Promise<Buffer> {
  const body = streamBody(request, limitKb * 1024, () => tooLarge(limitKb))
  return Buffer.concat(body ? await Array.fromAsync(body) : [])
}

/** A client that disconnects in the middle of its body is no fault of the server, and receives no answer. */
async function wholeOf<Bytes>(reading: Promise<Bytes>): Promise<Bytes> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw invalidField('body', 'ended before all of it had come')
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A lenient decoder would store another name than the client sent. */
function textOf(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidField('body', 'is not valid UTF-8')
  }
}
