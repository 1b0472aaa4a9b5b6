import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { includes, networksOf } from '../domain/networks.ts'

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

export const isPrivate = (address: string): boolean => includes(PRIVATE, address)

/** Every address of a host, as in a URL or not; null when its name cannot be resolved. */
export async function addressesOf(hostname: string): Promise<string[] | null> {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host)) return [host]
  const found = await lookup(host, { all: true }).catch(() => null)
  return found && found.length > 0 ? found.map(({ address }) => address) : null
}
