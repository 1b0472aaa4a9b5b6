import { plainAddress } from '../../domain/networks.ts'
import type { TrustedProxies } from '../../domain/trusted-proxies.ts'
import type { RequestHead } from './request-head.ts'

/**
 * The headers that pass the client's address to the app. Values that came in under these names count only from a trusted
 * proxy; from any other client they are replaced.
 */
export function forwardedLines(
  head: RequestHead,
  peerAddress: string,
  hostHeader: string,
  proxies: TrustedProxies,
): string {
  const peer = plainAddress(peerAddress)
  if (!proxies.includes(peer)) {
    return `X-Forwarded-For: ${peer}\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: ${hostHeader}\r\n`
  }
  const before = head.get('x-forwarded-for')
  const proto = head.get('x-forwarded-proto')?.startsWith('https') ? 'https' : 'http'
  const host = head.get('x-forwarded-host') ?? hostHeader
  return `X-Forwarded-For: ${before ? `${before}, ` : ''}${peer}\r\nX-Forwarded-Proto: ${proto}\r\nX-Forwarded-Host: ${host}\r\n`
}
