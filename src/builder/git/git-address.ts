import { isIP } from 'node:net'
import { BuildFailure } from '../../domain/build-failure.ts'
import { addressProblem, foreignTransport } from '../../domain/repository-address.ts'
import { HostRules } from '../../network/addresses/host-rules.ts'

export interface AddressRules {
  /** Whether hosts on private and loopback addresses are allowed: an in-house git server, or a test's. */
  allowsPrivate: boolean
}

/** The URL in the form that git gets. Throws SOURCE_REFUSED unless it is a plain address of a repository. */
export function parseRepositoryUrl(text: string): URL {
  const problem = foreignTransport(text) ?? addressProblem(text)
  if (problem) throw new BuildFailure('SOURCE_REFUSED', `The repository's address ${problem}`)
  return new URL(text)
}

/**
 * Resolves the host, and returns the setting that makes git use exactly those addresses: a second lookup could give
 * others. Throws SOURCE_REFUSED for a host on a private address, SOURCE_UNREACHABLE for an unknown host.
 */
export async function pinAddress(url: URL, { allowsPrivate }: AddressRules): Promise<Record<string, string>> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const found = await new HostRules(allowsPrivate).check(url)
  if (found.kind === 'unknown') throw new BuildFailure('SOURCE_UNREACHABLE', `The name ${host} cannot be resolved`)
  if (found.kind === 'refused') {
    throw new BuildFailure(
      'SOURCE_REFUSED',
      `The host ${host} is on ${found.inside}, from which nothing is built unless the installation allows it (BERTH_GIT_PRIVATE_HOSTS)`,
    )
  }
  if (isIP(host)) return {}
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const listed = found.addresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address)).join(',')
  return { 'http.curloptResolve': `${host}:${port}:${listed}` }
}
