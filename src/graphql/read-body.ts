import { DomainError } from '../domain/errors.ts'

const tooLarge = (limitKb: number) => new DomainError('PAYLOAD_TOO_LARGE', undefined, `The body may have ${limitKb} KB`)

/** The body as text. Throws PAYLOAD_TOO_LARGE as soon as that is known: before reading, where the length was told. */
export async function readBody(request: Request, limitKb: number): Promise<string> {
  const limit = limitKb * 1024
  const told = request.headers.get('content-length')
  if (told !== null) {
    if (Number(told) > limit) throw tooLarge(limitKb)
    return request.text()
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > limit) throw tooLarge(limitKb)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
