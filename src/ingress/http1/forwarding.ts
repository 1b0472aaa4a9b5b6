import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** The proxies in front (a load balancer, Caddy) whose X-Forwarded-* headers are trusted. */
export class TrustedProxies {
  private readonly list = new BlockList()
  private readonly isEmpty: boolean

  /** Takes addresses and CIDR ranges. */
  constructor(ranges: readonly string[]) {
    this.isEmpty = ranges.length === 0
    for (const range of ranges) {
      const [address = '', prefix] = range.split('/')
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
      this.list.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family)
    }
  }

  includes(address: string): boolean {
    return !this.isEmpty && this.list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
}

// A socket that listens on `::` reports IPv4 clients in this form.
const MAPPED_IPV4 = '::ffff:'

/**
 * The headers that tell the app who the client is. Values that came in under these names count only from a trusted
 * proxy; from anyone else they are replaced.
 */
export function forwardedLines(request: IncomingMessage, hostHeader: string, proxies: TrustedProxies): string {
  const remote = request.socket.remoteAddress ?? ''
  const peer = remote.startsWith(MAPPED_IPV4) ? remote.slice(MAPPED_IPV4.length) : remote
  if (!proxies.includes(peer)) {
    return `X-Forwarded-For: ${peer}\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: ${hostHeader}\r\n`
  }
  const { headers } = request
  const before = headers['x-forwarded-for']
  const proto = `${headers['x-forwarded-proto']}`.startsWith('https') ? 'https' : 'http'
  const host = headers['x-forwarded-host'] ?? hostHeader
  return `X-Forwarded-For: ${before ? `${before}, ` : ''}${peer}\r\nX-Forwarded-Proto: ${proto}\r\nX-Forwarded-Host: ${host}\r\n`
}
