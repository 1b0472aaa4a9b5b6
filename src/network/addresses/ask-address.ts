import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'

const MAX_HEADER_BYTES = 16 * 1024

export interface Asked {
  method?: 'GET' | 'POST'
  headers: Readonly<Record<string, string>>
  body?: string
  /** Fires at the deadline, at the latest. */
  signal: AbortSignal
  /** Bytes of the answer's body that are of interest; the rest is not read. */
  bodyBytes?: number
}

export interface AddressAnswer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
}

/**
 * One request to one of the given addresses, whatever the URL's host resolves to by then. Follows no redirect: where it
 * leads was not checked. An answer counts once its head is there; a body that does not come is cut.
 */
export function askAddress(url: URL, addresses: readonly string[], asked: Asked): Promise<AddressAnswer> {
  const { method = 'GET', headers, body, signal, bodyBytes = 0 } = asked
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  const lookup: LookupFunction = (_host, options, callback) => {
    const [first] = found
    if (options.all || !first) callback(null, found)
    else callback(null, first.address, first.family)
  }
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const options: RequestOptions = {
    method,
    lookup,
    signal,
    agent: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headers: { 'user-agent': 'berth', ...headers, ...length },
  }
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, async (response) => {
      const { statusCode = 0, headers } = response
      resolve({ status: statusCode, headers, body: await beginningOf(response, bodyBytes) })
    })
    request.once('error', reject).end(body)
  })
}

/** Never rejects: whatever ends the body, its beginning is what there is. */
async function beginningOf(response: IncomingMessage, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let read = 0
  try {
    if (bytes > 0)
      for await (const chunk of response) {
        chunks.push(chunk as Buffer)
        read += (chunk as Buffer).length
        if (read >= bytes) break
      }
  } catch {
    // Cut by the sender or the deadline.
  }
  response.on('error', () => {}).destroy()
  return Buffer.concat(chunks).subarray(0, bytes)
}

/** When an answer says that another request may come, in seconds from now; null where it does not say. */
export function retryAfterSeconds({ headers }: Pick<AddressAnswer, 'headers'>): number | null {
  const text = [headers['retry-after'] ?? []].flat()[0] ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const at = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}
