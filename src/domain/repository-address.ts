const RULE = 'must begin with https:// or http://'

/** The `user@host:path` that hosts show for SSH. */
const SSH_ADDRESS = /^[^/@\s]+@[^/:\s]+:/
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i

/**
 * Why git must not fetch from this address: it asks for another transport than HTTP. Null for HTTP, and for a name
 * alone, which is a repository of the configured host. Completes a sentence about a field or an address.
 */
export function foreignTransport(address: string): string | null {
  const scheme = SCHEME.exec(address)?.[1]?.toLowerCase()
  if (scheme === 'https' || scheme === 'http') return null
  if (scheme === 'file' || /^(\.{0,2}\/|~)/.test(address)) {
    return `${RULE}: files of this machine (file://) are not read; serve the repository over HTTP, or upload an archive`
  }
  if (scheme === 'ssh' || SSH_ADDRESS.test(address)) {
    return `${RULE}: SSH is not supported; private repositories are read through a GitHub App`
  }
  return scheme ? `${RULE}: ${scheme}:// is not supported` : null
}
