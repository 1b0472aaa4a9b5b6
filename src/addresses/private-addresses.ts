import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

/** Address ranges of this machine, its networks and its cloud's metadata, where nothing that a tenant names may be. */
const PRIVATE = networksOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Azure's metadata, on an address that looks public.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
  '::/96',
  '64:ff9b::/96',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
])

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

/** Finds IPv4 addresses in their IPv6 form, too. */
export const includes = (list: BlockList, address: string): boolean => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  const plain = mapped ?? address
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
}

export const isPrivate = (address: string): boolean => includes(PRIVATE, address)

/** Every address of a host, as in a URL or not; null when its name cannot be resolved. */
export async function addressesOf(hostname: string): Promise<string[] | null> {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host)) return [host]
  const found = await lookup(host, { all: true }).catch(() => null)
  return found && found.length > 0 ? found.map(({ address }) => address) : null
}
