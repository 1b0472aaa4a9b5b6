import { isWithin } from './host-name.ts'
import { ingressHost, isLoopbackHost, isWildcardHost, urlHost } from './listen-address.ts'

/** The settings that decide where Berth can be reached from. */
export interface ReachSettings {
  HOST: string
  BERTH_INGRESS_HOST?: string | undefined
  BERTH_DOMAIN: string
  BERTH_EXTRA_DOMAINS: readonly string[]
  BERTH_API_URL?: string | undefined
  BERTH_INGRESS_URL?: string | undefined
}

/** Browsers take every name below localhost for the machine that they run on. */
export const isLocalName = (name: string): boolean => isWithin(name, 'localhost')

/** The base domains of apps whose names lead from other machines to this one. */
export const publicDomains = ({ BERTH_DOMAIN, BERTH_EXTRA_DOMAINS }: ReachSettings): string[] =>
  [BERTH_DOMAIN, ...BERTH_EXTRA_DOMAINS].filter((domain) => !isLocalName(domain) && !isLoopbackName(domain))

/** Below 127.0.0.1.sslip.io and its like, every name leads to the machine that asks. */
const isLoopbackName = (domain: string): boolean => /(^|[.-])127[.-]\d+[.-]\d+[.-]\d+\.(sslip|nip)\.io$/.test(domain)

/** Whether a proxy stands in front, so that loopback is the right place to listen. */
export const hasProxy = ({ BERTH_API_URL, BERTH_INGRESS_URL }: ReachSettings): boolean =>
  BERTH_API_URL !== undefined || BERTH_INGRESS_URL !== undefined

/** A URL of this machine as other machines would write it: with its own address for the wildcard one. */
export function seenFromOutside(url: string, ownAddress: string | undefined): string {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (ownAddress === undefined || !isWildcardHost(host)) return url
  return `${protocol}//${urlHost(ownAddress)}${port === '' ? '' : `:${port}`}`
}

/** A base domain whose names lead to an address without a DNS record of one's own. */
export const wildcardFor = (address: string): string => `${address.replaceAll(':', '-')}.sslip.io`

/** What hinders other machines from reaching apps, in one line; null when nothing known does. */
export function reachHint(
  config: ReachSettings,
  { isServer, ownAddress }: { isServer: boolean; ownAddress: string | undefined },
): string | null {
  if (hasProxy(config)) return null
  if (isLoopbackHost(ingressHost(config)))
    return isServer ? 'Only this machine reaches these. README.md, “On a server”, says how others do.' : null
  if (publicDomains(config).length > 0) return null
  const suggestion = ownAddress ? `set BERTH_DOMAIN=${wildcardFor(ownAddress)}, or a` : 'set BERTH_DOMAIN to a'
  return `Names below ${config.BERTH_DOMAIN} lead to the visitor’s own machine: ${suggestion} domain of yours (README.md, “On a server”).`
}
