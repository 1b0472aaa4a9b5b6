import type { BlockList } from 'node:net'
import { isIP } from 'node:net'
import { addressesOf, isPrivate } from '../addresses/private-addresses.ts'
import { includes, networksOf } from '../domain/networks.ts'

/** Docker Hub: its names are no tenant's, and an engine may have a mirror for it that Berth cannot see. */
export const HUB = 'docker.io'

/** An address of a registry, or of a service that it names, at which it may be asked. */
export type HostCheck =
  | { kind: 'allowed'; addresses: readonly string[]; isListed: boolean }
  | { kind: 'refused' }
  | { kind: 'unknown'; isListed: boolean }

/** Which registries may be on private addresses. What a tenant names is otherwise on a public one. */
export class RegistryRules {
  readonly #hosts: ReadonlySet<string>
  readonly #networks: BlockList

  /** Takes hosts with or without a port, addresses, and CIDR ranges. */
  constructor(listed: readonly string[]) {
    const isNetwork = (text: string) => isIP(text.split('/')[0] ?? '') !== 0
    this.#hosts = new Set(listed.filter((text) => !isNetwork(text)).map((text) => text.toLowerCase()))
    this.#networks = networksOf(listed.filter(isNetwork))
  }

  /** Resolves a host, as in a URL, and judges every address that it has. */
  async check({ host, hostname }: Pick<URL, 'host' | 'hostname'>): Promise<HostCheck> {
    const isNamed = this.#hosts.has(host.toLowerCase()) || this.#hosts.has(hostname.toLowerCase())
    const addresses = await addressesOf(hostname)
    if (!addresses) return { kind: 'unknown', isListed: isNamed }
    const isListed = isNamed || addresses.every((address) => includes(this.#networks, address))
    if (!isListed && addresses.some(isPrivate)) return { kind: 'refused' }
    return { kind: 'allowed', addresses, isListed }
  }
}
