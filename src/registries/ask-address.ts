import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'

const TIMEOUT_MS = 10_000
const MAX_HEADER_BYTES = 16 * 1024

export interface RegistryAnswer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * One GET to one of the given addresses, whatever the URL's host resolves to by then. Follows no redirect and reads no
 * body: neither may reach a user.
 */
export function askAddress(url: URL, addresses: readonly string[], signal: AbortSignal): Promise<RegistryAnswer> {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  const lookup: LookupFunction = (_host, options, callback) => {
    const [first] = found
    if (options.all || !first) callback(null, found)
    else callback(null, first.address, first.family)
  }
  const options: RequestOptions = {
    lookup,
    agent: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headers: { 'user-agent': 'berth', accept: 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  }
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers })
      response.destroy()
    })
    request.once('error', reject).end()
  })
}
