import type { Configuration, CustomFetch } from 'openid-client'
import type { Config } from '../../config/config.ts'
import { conflict, unauthenticated, unavailable } from '../../domain/errors.ts'
import { askAddress } from '../../network/addresses/ask-address.ts'
import { HostRules } from '../../network/addresses/host-rules.ts'

type Settings = Pick<
  Config,
  'BERTH_OIDC_ISSUER' | 'BERTH_OIDC_CLIENT_ID' | 'BERTH_OIDC_CLIENT_SECRET' | 'BERTH_OIDC_PRIVATE_HOSTS'
>

/** What one sign-in is bound to; the browser has the secret that they follow from. */
export interface Bound {
  state: string
  nonce: string
  codeVerifier: string
}

/** The user's identity, as the provider states it. */
export interface Identity {
  issuer: string
  subject: string
  /** Null unless the provider has verified it. */
  email: string | null
}

const TIMEOUT_SECONDS = 10
const MAX_BYTES = 1024 * 1024
/** Keys and addresses of a provider change rarely, and without a word. */
const KEPT_MS = 3_600_000

/** The company's own OpenID Connect provider, by openid-client. */
export class CompanyProvider {
  readonly #settings: Settings
  readonly #hosts: HostRules
  #found: { configuration: Promise<Configuration>; until: number } | null = null

  constructor(settings: Settings) {
    this.#settings = settings
    this.#hosts = new HostRules(settings.BERTH_OIDC_PRIVATE_HOSTS)
  }

  /** Where the browser goes, to be asked there. */
  async authorizationUrl({ state, nonce, codeVerifier }: Bound, redirectUri: string): Promise<URL> {
    const [client, configuration] = [await openid(), await this.#configuration()]
    return client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    })
  }

  /** The identity of the user who came back to the callback address. Throws UNAUTHENTICATED when they did not sign in. */
  async identify({ state, nonce, codeVerifier }: Bound, returnedTo: URL): Promise<Identity> {
    const [client, configuration] = [await openid(), await this.#configuration()]
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier, idTokenExpected: true }
    const tokens = await client.authorizationCodeGrant(configuration, returnedTo, checks).catch((error: unknown) => {
      throw unauthenticated(`The provider did not sign the user in: ${wordsOf(error)}`)
    })
    const claims = tokens.claims()
    if (!claims) throw unauthenticated('The provider did not sign the user in')
    // Many put the address into the ID token; by the standard, it is where the access token leads.
    const user = claims.email === undefined ? await this.#userInfo(tokens.access_token, claims.sub) : claims
    return { issuer: claims.iss, subject: claims.sub, email: verifiedEmail(user) }
  }

  async #userInfo(accessToken: string, subject: string): Promise<Claims> {
    const [client, configuration] = [await openid(), await this.#configuration()]
    if (!configuration.serverMetadata().userinfo_endpoint) return {}
    return client.fetchUserInfo(configuration, accessToken, subject).catch((error: unknown) => {
      throw unauthenticated(`The provider does not say who signed in: ${wordsOf(error)}`)
    })
  }

  async #configuration(): Promise<Configuration> {
    if (this.#found && this.#found.until > performance.now()) return this.#found.configuration
    const found = { configuration: this.#discover(), until: performance.now() + KEPT_MS }
    this.#found = found
    found.configuration.catch(() => {
      if (this.#found === found) this.#found = null
    })
    return found.configuration
  }

  async #discover(): Promise<Configuration> {
    const { BERTH_OIDC_ISSUER: issuer, BERTH_OIDC_CLIENT_ID: id, BERTH_OIDC_CLIENT_SECRET: secret } = this.#settings
    if (!issuer)
      throw conflict('NO_COMPANY_PROVIDER', 'This installation has no provider of a company: sign in otherwise')
    const client = await openid()
    const authentication = secret === undefined ? client.None() : client.ClientSecretBasic(secret)
    // Plain HTTP is for hosts that the setting lists: `#ask` refuses others.
    const execute = [client.enableNonRepudiationChecks, ...(isPlain(issuer) ? [client.allowInsecureRequests] : [])]
    const options = { execute, timeout: TIMEOUT_SECONDS, [client.customFetch]: this.#ask }
    try {
      return await client.discovery(new URL(issuer), id, {}, authentication, options)
    } catch (error) {
      // The cause is for the operator: it may name addresses of their network.
      const refusal = unavailable(
        'The company’s provider does not answer as it should; the log says why',
        TIMEOUT_SECONDS,
      )
      throw Object.assign(refusal, { cause: error })
    }
  }

  /** One request to an address that was checked: what the provider says of its own addresses counts for no more. */
  readonly #ask: CustomFetch = async (text, { method, headers, body, signal }) => {
    const url = new URL(text)
    const host = await this.#hosts.check(url)
    if (host.kind === 'refused') throw new Error(`${url.hostname} is on ${host.inside} (BERTH_OIDC_PRIVATE_HOSTS)`)
    if (host.kind === 'unknown') throw new Error(`${url.hostname} cannot be resolved`)
    if (url.protocol !== 'https:' && !host.isListed) throw new Error('Only https:// is allowed')
    const answer = await askAddress(url, host.addresses, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      bodyBytes: MAX_BYTES,
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      signal: signal ?? AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
    })
    const type = String(answer.headers['content-type'] ?? 'application/json')
    return new Response(new Uint8Array(answer.body), { status: answer.status, headers: { 'content-type': type } })
  }
}

type Claims = Readonly<Record<string, unknown>>

const verifiedEmail = ({ email, email_verified: isVerified }: Claims): string | null =>
  typeof email === 'string' && isVerified === true ? email.toLowerCase() : null

const isPlain = (address: string) => address.startsWith('http:')

/** Most installations never ask for it. */
const openid = () => import('openid-client')

/** What the library says of it; never what was sent. */
const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : 'no reason was given')
