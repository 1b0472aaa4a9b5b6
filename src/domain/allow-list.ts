import { type BlockList, isIP, SocketAddress } from 'node:net'
import { includes, networksOf, plainAddress } from './networks.ts'

export const CIDR_RULE =
  'must be an IPv4 or IPv6 address, or a CIDR range whose bits after the prefix are zero, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32'

/** An address or a CIDR range in its canonical spelling; null for anything else. */
export function canonicalCidr(text: string): string | null {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  // Peers with an IPv4 address are compared in that form, so the other form of it would match none.
  if (family === 0 || rest.length > 0 || address.includes('%') || /^::ffff:/i.test(address)) return null
  const canonical = SocketAddress.parse(family === 6 ? `[${address}]:0` : `${address}:0`)?.address ?? address
  if (prefix === undefined) return canonical
  const bits = bitsOf(canonical)
  if (!/^(0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > bits.length) return null
  return bits.slice(Number(prefix)).includes('1') ? null : `${canonical}/${prefix}`
}

function bitsOf(address: string): string {
  if (!address.includes(':')) return inBinary(address.split('.').map(Number), 8)
  const [head = '', tail = ''] = address.split('::')
  const [before, after] = [groupsOf(head), groupsOf(tail)]
  return inBinary([...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after], 16)
}

/** The last group of some addresses is written as an IPv4 address. */
const groupsOf = (text: string): number[] =>
  text
    .split(':')
    .filter((group) => group !== '')
    .flatMap((group) => {
      const [one = 0, two = 0, three = 0, four = 0] = group.split('.').map(Number)
      return group.includes('.') ? [one * 256 + two, three * 256 + four] : [Number.parseInt(group, 16)]
    })

const inBinary = (parts: readonly number[], width: number) =>
  parts.map((part) => part.toString(2).padStart(width, '0')).join('')

const isV6 = (text: string) => text.includes(':')

/** Who may connect: peers in one of the ranges. A range of one family says nothing about the other. */
export class AllowList {
  // Node takes `::/0` for all IPv4 addresses, too.
  private readonly v4: BlockList
  private readonly v6: BlockList

  constructor(ranges: readonly string[]) {
    this.v4 = networksOf(ranges.filter((range) => !isV6(range)))
    this.v6 = networksOf(ranges.filter(isV6))
  }

  /** Takes an address as a socket reports it. */
  includes(peer: string): boolean {
    const [address = ''] = plainAddress(peer).split('%')
    return isIP(address) !== 0 && includes(isV6(address) ? this.v6 : this.v4, address)
  }
}
