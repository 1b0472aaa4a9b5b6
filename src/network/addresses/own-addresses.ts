import type { BlockList } from 'node:net'
import { networkInterfaces } from 'node:os'
import { includes, networksOf } from '../../domain/networks.ts'

/** How long a change of the machine’s addresses may go unnoticed: reading them takes longer with every container. */
const KEPT_MS = 1_000

let kept: { addresses: BlockList; until: number } | null = null

/** Whether an interface of this machine has the address now. */
export function isOwnAddress(address: string): boolean {
  const now = performance.now()
  if (!kept || kept.until <= now) kept = { addresses: readOwnAddresses(), until: now + KEPT_MS }
  return includes(kept.addresses, address)
}

function readOwnAddresses(): BlockList {
  const found = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  return networksOf(found.map(({ address }) => address.split('%', 1)[0] ?? address))
}
