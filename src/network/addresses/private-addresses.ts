import { lookup } from 'node:dns/promises'
import { type BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { includes, networksOf } from '../../domain/networks.ts'

/** Address ranges of loopback, of networks of one's own and of a cloud's metadata. */
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

/** What an address that a tenant names is refused for; completes "is on …". */
export type Inside = 'a private address' | 'an address of Berth’s own machine'

/** Where an address leads that no tenant may name; null for the public ones of other machines. */
export function insideOf(address: string): Inside | null {
  if (includes(PRIVATE, address)) return 'a private address'
  // Requests of this machine to its public address pass no firewall in front of it.
  return isOwnAddress(address) ? 'an address of Berth’s own machine' : null
}

/** Every address of a host, as in a URL or not; null when its name cannot be resolved. */
export async function addressesOf(hostname: string): Promise<string[] | null> {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host)) return [host]
  const found = await lookup(host, { all: true }).catch(() => null)
  return found && found.length > 0 ? found.map(({ address }) => address) : null
}

/** How long a change of the machine’s addresses may go unnoticed: reading them takes longer with every container. */
const KEPT_MS = 1_000

let kept: { addresses: BlockList; until: number } | null = null

/** Whether an interface of this machine has the address now. */
function isOwnAddress(address: string): boolean {
  const now = performance.now()
  if (!kept || kept.until <= now) kept = { addresses: readOwnAddresses(), until: now + KEPT_MS }
  return includes(kept.addresses, address)
}

function readOwnAddresses(): BlockList {
  const found = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  return networksOf(found.map(({ address }) => address.split('%', 1)[0] ?? address))
}
