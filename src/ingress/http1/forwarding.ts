import type { IncomingMessage } from 'node:http'
import { plainAddress } from '../../domain/networks.ts'
import type { TrustedProxies } from '../../domain/trusted-proxies.ts'

/**
 * The headers that tell the app who the client is. Values that came in under these names count only from a trusted
 * proxy; from anyone else they are replaced.
 */
export function forwardedLines(request: IncomingMessage, hostHeader: string, proxies: TrustedProxies): string {
  const peer = plainAddress(request.socket.remoteAddress ?? '')
  if (!proxies.includes(peer)) {
    return `X-Forwarded-For: ${peer}\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: ${hostHeader}\r\n`
  }
  const { headers } = request
  const before = headers['x-forwarded-for']
  const proto = `${headers['x-forwarded-proto']}`.startsWith('https') ? 'https' : 'http'
  const host = headers['x-forwarded-host'] ?? hostHeader
  return `X-Forwarded-For: ${before ? `${before}, ` : ''}${peer}\r\nX-Forwarded-Proto: ${proto}\r\nX-Forwarded-Host: ${host}\r\n`
}
