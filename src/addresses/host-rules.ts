import type { BlockList } from 'node:net'
import { isIP } from 'node:net'
import { includes, networksOf } from '../domain/networks.ts'
import { addressesOf, isPrivate } from './private-addresses.ts'

type Named = Pick<URL, 'host' | 'hostname'>

/** An address that a tenant named, such as that of a registry, at which it may be asked. */
export type HostCheck =
  | { kind: 'allowed'; addresses: readonly string[]; isListed: boolean }
  | { kind: 'refused' }
  | { kind: 'unknown'; isListed: boolean }

/** Which hosts may be on private addresses, by a setting. What a tenant names is otherwise on a public one. */
export class HostRules {
  readonly #hosts: ReadonlySet<string>
  readonly #networks: BlockList

  /** Takes hosts with or without a port, addresses, and CIDR ranges. */
  constructor(listed: readonly string[]) {
    const isNetwork = (text: string) => isIP(text.split('/')[0] ?? '') !== 0
    this.#hosts = new Set(listed.filter((text) => !isNetwork(text)).map((text) => text.toLowerCase()))
    this.#networks = networksOf(listed.filter(isNetwork))
  }

  /** Resolves a host, as in a URL, and judges every address that it has. */
  async check(url: Named): Promise<HostCheck> {
    const isNamed = this.#isNamed(url)
    const addresses = await addressesOf(url.hostname)
    if (!addresses) return { kind: 'unknown', isListed: isNamed }
    const isListed = isNamed || addresses.every((address) => includes(this.#networks, address))
    if (!isListed && addresses.some(isPrivate)) return { kind: 'refused' }
    return { kind: 'allowed', addresses, isListed }
  }

  /** What can be said without resolving: a name that is not listed may still turn out to be. */
  judge(url: Named): 'listed' | 'private' | 'open' {
    const address = url.hostname.replace(/^\[|\]$/g, '')
    if (this.#isNamed(url)) return 'listed'
    if (isIP(address) === 0) return 'open'
    if (includes(this.#networks, address)) return 'listed'
    return isPrivate(address) ? 'private' : 'open'
  }

  #isNamed({ host, hostname }: Named): boolean {
    return this.#hosts.has(host.toLowerCase()) || this.#hosts.has(hostname.toLowerCase())
  }
}
