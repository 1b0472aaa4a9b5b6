import type { BlockList } from 'node:net'
import { isIP } from 'node:net'
import { includes, networksOf } from '../../domain/networks.ts'
import { addressesOf, type Inside, insideOf } from './private-addresses.ts'

type Named = Pick<URL, 'host' | 'hostname'>

/** An address that a tenant named, such as that of a registry, at which it may be asked. */
export type HostCheck =
  | { kind: 'allowed'; addresses: readonly string[]; isListed: boolean }
  | { kind: 'refused'; inside: Inside }
  | { kind: 'unknown'; isListed: boolean }

/** What an address shows without being resolved. */
export type HostJudgement = { kind: 'listed' } | { kind: 'open' } | { kind: 'refused'; inside: Inside }

/**
 * Which hosts may be on private addresses, or on this machine’s own, by a setting. What a tenant names is otherwise on a
 * public one of another machine. Every address that a tenant may name is judged here, and nowhere else.
 */
export class HostRules {
  readonly #hosts: ReadonlySet<string>
  readonly #networks: BlockList

  readonly #allowsAll: boolean

  /** Takes hosts with or without a port, addresses, and CIDR ranges; or, of a setting that is a switch, whether all may. */
  constructor(allowed: readonly string[] | boolean) {
    const listed = typeof allowed === 'boolean' ? [] : allowed
    this.#allowsAll = allowed === true
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
    const inside = isListed ? undefined : addresses.map(insideOf).find((found) => found !== null)
    return inside ? { kind: 'refused', inside } : { kind: 'allowed', addresses, isListed }
  }

  /** What can be said without resolving: a name that is not listed may still turn out to be. */
  judge(url: Named): HostJudgement {
    const address = url.hostname.replace(/^\[|\]$/g, '')
    if (this.#isNamed(url)) return { kind: 'listed' }
    if (isIP(address) === 0) return { kind: 'open' }
    if (includes(this.#networks, address)) return { kind: 'listed' }
    const inside = insideOf(address)
    return inside ? { kind: 'refused', inside } : { kind: 'open' }
  }

  #isNamed({ host, hostname }: Named): boolean {
    return this.#allowsAll || this.#hosts.has(host.toLowerCase()) || this.#hosts.has(hostname.toLowerCase())
  }
}
