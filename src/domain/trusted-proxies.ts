import { type BlockList, isIP, SocketAddress } from 'node:net'
import { includes, networksOf, plainAddress } from './networks.ts'

// More proxies in a row than any deployment has; the rest of the header is forged.
const MAX_PROXIES = 20

/** The proxies in front (a load balancer, Caddy) whose X-Forwarded-* headers are trusted. */
export class TrustedProxies {
  private readonly list: BlockList
  private readonly isEmpty: boolean

  /** Takes addresses and CIDR ranges. */
  constructor(ranges: readonly string[]) {
    this.isEmpty = ranges.length === 0
    this.list = networksOf(ranges)
  }

  includes(address: string): boolean {
    return !this.isEmpty && includes(this.list, address)
  }

  /**
   * The address of the client: the peer's or, if the peer is a trusted proxy, the last one in X-Forwarded-For that is
   * not. What is left of it was written by the client, which can claim anything.
   */
  clientOf(peer: string | undefined, forwardedFor: string | undefined): string {
    let client = plainAddress(peer ?? '')
    if (!forwardedFor || !this.includes(client)) return client
    let end = forwardedFor.length
    for (let hop = 0; hop < MAX_PROXIES && end >= 0; hop += 1) {
      const comma = forwardedFor.lastIndexOf(',', end - 1)
      const address = plainAddress(forwardedFor.slice(comma + 1, end).trim())
      if (isIP(address) === 0) return client
      client = address
      if (comma < 0 || !this.includes(client)) return client
      end = comma
    }
    return client
  }
}

/** What limits count by: an IPv4 address, or the network of an IPv6 one, because one customer gets a whole /64. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const { address: canonical } = SocketAddress.parse(`[${address}]:0`) ?? { address }
  const [head = '', tail] = canonical.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  return `${[...before, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...after].slice(0, 4).join(':')}::/64`
}
