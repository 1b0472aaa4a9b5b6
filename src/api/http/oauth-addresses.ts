import type { Config } from '../../config/config.ts'

/** Where OAuth answers, below the issuer's address. */
export const OAUTH_PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  deviceAuthorization: '/oauth/device-authorization',
  device: '/oauth/device',
  consent: '/oauth/consent',
  metadata: '/.well-known/oauth-authorization-server',
  resourceMetadata: '/.well-known/oauth-protected-resource',
} as const

/** What clients may name as what they want to reach (RFC 8707): one API at several addresses. */
export const RESOURCE_PATHS = ['', '/', '/mcp', '/mcp/readonly', '/graphql', '/api/public/v1'] as const

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

export const isLoopback = (hostname: string): boolean => LOOPBACK.has(hostname)

/**
 * The issuer's address, without a slash at its end: BERTH_API_URL, or the loopback address that the request used. Null
 * where OAuth is off, or no address is configured: a Host header may be forged.
 */
export function issuerOf({ BERTH_OAUTH, BERTH_API_URL }: Config, requestUrl: string): string | null {
  if (!BERTH_OAUTH) return null
  if (BERTH_API_URL) return new URL(BERTH_API_URL).origin
  const { hostname, origin } = new URL(requestUrl)
  return isLoopback(hostname) ? origin : null
}

/** Names the place where a client without a token can get one (RFC 9728 §5.1). */
export const challengeOf = (issuer: string, path: string): string =>
  `Bearer realm="berth", resource_metadata="${issuer}${OAUTH_PATHS.resourceMetadata}${path}"`
