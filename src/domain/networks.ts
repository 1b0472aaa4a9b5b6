import { BlockList, isIP } from 'node:net'

/** Takes addresses and CIDR ranges. */
export function networksOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    const isV6 = isIP(address) === 6
    list.addSubnet(address, Number(prefix ?? (isV6 ? 128 : 32)), isV6 ? 'ipv6' : 'ipv4')
  }
  return list
}

/** An IPv4 address in its usual form, also where a socket that listens on `::` reports it as an IPv6 one. */
export const plainAddress = (address: string): string => /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address

/** Finds IPv4 addresses in their IPv6 form, too. */
export function includes(list: BlockList, address: string): boolean {
  const plain = plainAddress(address)
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
}
