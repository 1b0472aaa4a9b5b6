import { randomBytes } from 'node:crypto'
import { lookup, Resolver } from 'node:dns/promises'
import type { Config } from '../../config/config.ts'
import { ingressHost, isLoopbackHost } from '../../domain/listen-address.ts'
import { hasProxy, isLocalName, publicDomains } from '../../domain/reach.ts'
import { isAbsent } from '../../network/addresses/dns-records.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** The addresses of a name, none if there is no such name, or null when no name server answered. */
export type Addresses = readonly string[] | null

/** A name that no environment has: only a wildcard record answers for it. */
export const probeName = (domain: string) => `doctor-${randomBytes(4).toString('hex')}.${domain}`

/** Whether names of apps lead to this machine: one finding for each base domain. */
export function checkNames(config: Config, own: readonly string[]): Promise<Finding>[] {
  const isOpen = hasProxy(config) || !isLoopbackHost(ingressHost(config))
  const hasPublic = publicDomains(config).length > 0
  return [config.BERTH_DOMAIN, ...config.BERTH_EXTRA_DOMAINS].map(async (domain) => {
    if (isLocalName(domain)) return localName(domain, isOpen && !hasPublic)
    return nameFinding(domain, await addressesOf(probeName(domain), config.BERTH_DNS_SERVERS), own)
  })
}

const NAME = 'names'

const below = (domain: string) => `names below ${domain}`

const localName = (domain: string, isMissed: boolean): Finding =>
  isMissed
    ? warn(
        NAME,
        `${below(domain)} lead to the visitor’s own machine, not to this one`,
        'Set BERTH_DOMAIN to a domain of yours or to <address>.sslip.io; README.md, “On a server”',
      )
    : ok(NAME, `${below(domain)} lead to this machine in browsers and curl, without DNS`)

/** `addresses`: of a random name below the domain. `own`: of this machine. */
export function nameFinding(domain: string, addresses: Addresses, own: readonly string[]): Finding {
  if (addresses === null)
    return warn(NAME, `${below(domain)} could not be looked up: no name server answered`, 'Check /etc/resolv.conf')
  if (addresses.length === 0)
    return fail(
      NAME,
      `${below(domain)} do not resolve`,
      /\.(sslip|nip)\.io$/.test(domain)
        ? 'Use other name servers: some leave out answers with private addresses, and an offline machine has none'
        : `Add a wildcard DNS record: *.${domain} with the address of this machine${own[0] ? ` (${own[0]})` : ''}`,
    )
  const found = `${below(domain)} resolve to ${addresses.join(', ')}`
  if (addresses.some((address) => own.includes(address))) return ok(NAME, `${found}, this machine`)
  if (addresses.every(isLoopbackHost)) return ok(NAME, `${found}: this machine only`)
  return warn(
    NAME,
    `${found}, which is no address of this machine`,
    `Correct if a router or a proxy there passes requests on to it; otherwise change the record *.${domain}`,
  )
}

/** With name servers of the settings if they are set, else as programs of this machine look names up. */
async function addressesOf(name: string, servers: readonly string[]): Promise<Addresses> {
  try {
    if (servers.length === 0) return (await lookup(name, { all: true })).map(({ address }) => address)
    const resolver = new Resolver({ timeout: 2_000, tries: 1 })
    resolver.setServers([...servers])
    return await resolver.resolve4(name)
  } catch (error) {
    return isAbsent(error) ? [] : null
  }
}
