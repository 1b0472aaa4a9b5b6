/** Whether it is the address of a repository over HTTP, and not a name or an address of another kind. */
export const isHttpAddress = (repository: string): boolean => /^https?:\/\//i.test(repository)

/**
 * What is wrong with an address over HTTP; null when it is that of a repository alone. A password in it would be shown
 * wherever the app is. Completes a sentence about a field or an address.
 */
export function addressProblem(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url) return 'is not a URL'
  if (url.username !== '' || url.password !== '')
    return 'must not hold a user name or a password; private repositories are read through a GitHub App'
  if (url.search !== '' || url.hash !== '') return 'must not hold a query or a fragment'
  if (url.pathname === '/') return 'must name a repository, as https://github.com/you/shop does'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this rule rejects them.
  const isStrange = /[\u0000-\u0020\\]/.test(address) || /%(0[0-9a-f]|1[0-9a-f]|2e|2f|5c)|\/\.\.?(\/|$)/i.test(address)
  return isStrange ? 'holds characters that no repository has' : null
}

const RULE = 'must begin with https:// or http://'

/** The `user@host:path` that hosts show for SSH. */
const SSH_ADDRESS = /^[^/@\s]+@[^/:\s]+:/
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i

/**
 * Why git must not fetch from this address: it asks for another transport than HTTP. Null for HTTP, and for a name
 * alone, which is a repository of the configured host. Completes a sentence about a field or an address.
 */
export function foreignTransport(address: string): string | null {
  if (isHttpAddress(address)) return null
  const scheme = SCHEME.exec(address)?.[1]?.toLowerCase()
  if (scheme === 'file' || /^(\.{0,2}\/|~)/.test(address)) {
    return `${RULE}: files of this machine (file://) are not read; serve the repository over HTTP, or upload an archive`
  }
  if (scheme === 'ssh' || SSH_ADDRESS.test(address)) {
    return `${RULE}: SSH is not supported; private repositories are read through a GitHub App`
  }
  return scheme ? `${RULE}: ${scheme}:// is not supported` : null
}
