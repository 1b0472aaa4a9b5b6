import { z } from 'zod'
import { isLoopback } from '../http/oauth-addresses.ts'

const MAX_REDIRECTS = 10
const MAX_URI_LENGTH = 2000
const MAX_NAME_LENGTH = 80

/** Control characters, and those that turn the direction of text: a name must not imitate what surrounds it. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

const REDIRECT_RULE =
  'must be an https address, an http address of loopback, or one of a private scheme with a dot, such as com.example.app:/done; without user, password and fragment'

const redirectUri = z.string().max(MAX_URI_LENGTH).refine(isRedirectUri, REDIRECT_RULE)

function isRedirectUri(text: string): boolean {
  const uri = URL.parse(text)
  if (!uri || text.includes('#') || uri.username || uri.password || /[\s\p{Cc}\\]/u.test(text)) return false
  if (uri.protocol === 'https:') return true
  if (uri.protocol === 'http:') return isLoopback(uri.hostname)
  // Of an app on the device (RFC 8252 §7.1). Schemes that browsers know have no dot.
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(uri.protocol)
}

/**
 * What a client may register (RFC 7591). All else is left out, as the RFC wants it: nothing is stored that is never read,
 * and no address that a client names is ever fetched.
 */
const registration = z.object({
  redirect_uris: z.array(redirectUri).max(MAX_REDIRECTS).optional(),
  client_name: z
    .string()
    .trim()
    .min(1)
    .max(MAX_NAME_LENGTH)
    .refine((name) => name.isWellFormed() && !UNPRINTABLE.test(name), 'must be printable text')
    .optional(),
  grant_types: z
    .array(z.enum(['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code']))
    .max(3)
    .default(['authorization_code']),
  response_types: z.array(z.literal('code')).max(1).optional(),
  token_endpoint_auth_method: z
    .enum(['none', 'client_secret_basic', 'client_secret_post'])
    .default('client_secret_basic'),
  application_type: z.enum(['web', 'native']).optional(),
})

export type Registration = z.output<typeof registration>

interface Refused {
  error: 'invalid_client_metadata' | 'invalid_redirect_uri'
  error_description: string
}

export function readRegistration(body: unknown): { metadata: Registration } | { refused: Refused } {
  const { data, error } = registration.safeParse(body)
  const [issue] = error?.issues ?? []
  if (!data) {
    const field = issue?.path.join('.') ?? ''
    const isRedirect = issue?.path[0] === 'redirect_uris'
    const description = `${field || 'the body'}: ${issue?.message ?? 'must be an object'}`.replaceAll(
      /["\\]|[^ -~]/g,
      "'",
    )
    return {
      refused: {
        error: isRedirect ? 'invalid_redirect_uri' : 'invalid_client_metadata',
        error_description: description,
      },
    }
  }
  return { metadata: { ...data, ...derived(data) } }
}

/** A client of the device flow alone needs no redirect; one that only has addresses on the device is native. */
function derived({ grant_types, redirect_uris = [], application_type }: Registration) {
  const usesCode = grant_types.includes('authorization_code')
  const isOnDevice = !redirect_uris.some((uri) => uri.startsWith('https:'))
  return {
    response_types: usesCode ? (['code'] as const).slice() : [],
    application_type: application_type ?? (isOnDevice ? ('native' as const) : ('web' as const)),
  }
}
