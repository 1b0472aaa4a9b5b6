import { generateKeyPairSync } from 'node:crypto'
import Provider, {
  type Configuration,
  errors,
  interactionPolicy,
  type JWK,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { newId } from '../../domain/ids.ts'
import { SCOPES } from '../../domain/permissions.ts'
import { hashOfClientSecret } from '../../services/oauth/oauth-clients.ts'
import type { Services } from '../../services/services.ts'
import { newSecret } from '../../storage/secrets/token-secret.ts'
import { OAUTH_PATHS, RESOURCE_PATHS } from '../http/oauth-addresses.ts'
import { showCodeConfirmation, showCodeInput, showConnected, showProblem } from './device-pages.ts'
import { storageOf } from './storage.ts'

const DAY_SECONDS = 86_400
const QUESTION_SECONDS = 600
const CODE_SECONDS = 60

export interface ProviderParts {
  services: Services
  config: Config
  log: Logger
  cookieKey: string
}

/**
 * Answers come in the query of the redirect, also to clients that ask for a fragment: any other way would need scripts.
 */
class OauthServer extends Provider {
  override registerResponseMode(...[name, handler]: Parameters<Provider['registerResponseMode']>): void {
    if (name === 'query') for (const mode of ['query', 'fragment']) super.registerResponseMode(mode, handler)
  }
}

/** The OAuth 2.1 server of one issuer, as a Koa application. */
export function createProvider(issuer: string, parts: ProviderParts): Provider {
  const provider = new OauthServer(issuer, configurationOf(issuer, parts))
  // What the library thinks of the request's address is what mount-oauth.ts says, not what the client sent.
  provider.proxy = true
  provider.silent = true
  giveOwnSecrets(provider)
  provider.use(async (ctx, next) => {
    takeCodeFromAddress(ctx as KoaContextWithOIDC)
    await next().catch((error: unknown) => refuseUnasked(ctx as KoaContextWithOIDC, error))
    ctx.body = withoutOpenId(ctx.path, ctx.status, ctx.body, parts.config)
  })
  provider.on('server_error', (_ctx, error) => parts.log.error({ err: error }, 'A request of OAuth failed'))
  return provider
}

/** Access tokens are Berth's own scoped tokens, and refresh tokens look like them; secrets of clients are hashes. */
function giveOwnSecrets({ AccessToken, RefreshToken, Client }: Provider): void {
  Object.assign(AccessToken.prototype, {
    generateTokenId(this: { format?: string }) {
      this.format = 'opaque'
      return newSecret('SCOPED')
    },
  })
  Object.assign(RefreshToken.prototype, { generateTokenId: () => newSecret('REFRESH') })
  const { compareClientSecret } = Client.prototype
  Client.prototype.compareClientSecret = function compare(actual) {
    return compareClientSecret.call(this, hashOfClientSecret(actual))
  }
}

function configurationOf(issuer: string, { services, config, cookieKey }: ProviderParts): Configuration {
  const resources = RESOURCE_PATHS.map((path) => issuer + path)
  return {
    adapter: storageOf(services.oauth),
    // The library wants a key for ID tokens. There are none: access tokens are opaque, so no client needs the key.
    jwks: { keys: [unusedKey()] },
    scopes: [],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    revokeGrantPolicy: () => true,
    // For applications that run in pages of their own.
    clientBasedCORS: (_ctx, origin, { clientAuthMethod, redirectUris = [] }) =>
      clientAuthMethod === 'none' && redirectUris.some((uri) => URL.parse(uri)?.origin === origin),
    // Addresses that clients name are never fetched.
    fetch: async () => {
      throw new errors.InvalidClientMetadata('Berth fetches no address of a client')
    },
    sectorIdentifierUriValidate: () => false,
    findAccount: async (_ctx, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    // An earlier consent is not reused: the user is asked each time.
    loadExistingGrant: async ({ oidc }) => {
      const grantId = oidc.result?.consent?.grantId
      return grantId ? oidc.provider.Grant.find(grantId) : undefined
    },
    interactions: { policy: askingAlways(), url: (_ctx, { uid }) => `${OAUTH_PATHS.consent}/${uid}` },
    renderError: (ctx, { error, error_description }) => showProblem(ctx, error, error_description ?? ''),
    routes: {
      authorization: OAUTH_PATHS.authorization,
      token: OAUTH_PATHS.token,
      revocation: OAUTH_PATHS.revocation,
      registration: OAUTH_PATHS.registration,
      device_authorization: OAUTH_PATHS.deviceAuthorization,
      code_verification: OAUTH_PATHS.device,
    },
    cookies: {
      keys: [cookieKey],
      names: { session: 'berth_oauth', interaction: 'berth_oauth_question', resume: 'berth_oauth_resume' },
      long: { signed: true, httpOnly: true, sameSite: 'lax', path: '/oauth' },
      short: { signed: true, httpOnly: true, sameSite: 'lax' },
    },
    ttl: {
      AccessToken: config.BERTH_OAUTH_ACCESS_TOKEN_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      RefreshToken: config.BERTH_OAUTH_REFRESH_DAYS * DAY_SECONDS,
      Grant: config.BERTH_OAUTH_AUTHORIZATION_DAYS * DAY_SECONDS,
      DeviceCode: QUESTION_SECONDS,
      Interaction: QUESTION_SECONDS,
      Session: QUESTION_SECONDS,
    },
    features: featuresOf(config, resources),
  }
}

const unusedKey = (): JWK =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as JWK

function featuresOf(config: Config, resources: readonly string[]): Configuration['features'] {
  const info = { scope: SCOPES.join(' '), audience: resources[0] ?? '', accessTokenFormat: 'opaque' as const }
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    claimsParameter: { enabled: false },
    dPoP: { enabled: false },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    registration: {
      enabled: config.BERTH_OAUTH_REGISTRATION !== 'off',
      issueRegistrationAccessToken: false,
      idFactory: () => newId('ocl'),
      secretFactory: () => newSecret('CLIENT'),
    },
    deviceFlow: {
      enabled: true,
      deviceInfo: () => ({}),
      userCodeInputSource: (ctx, _form, _out, error) => {
        const { userCode } = ctx.state as { userCode?: string }
        showCodeInput(ctx, userCode ?? '', error ? problemOf(error) : null)
      },
      userCodeConfirmSource: (ctx, _form, client, _device, code) =>
        showCodeConfirmation(ctx, client.clientName ?? client.clientId, code),
      async successSource(ctx) {
        // The next user of this device starts without a session.
        await ctx.oidc.session?.destroy()
        showConnected(ctx)
      },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_ctx, _client, oneOf) => (Array.isArray(oneOf) ? oneOf[0] : oneOf) ?? resources[0] ?? '',
      useGrantedResource: () => true,
      getResourceServerInfo(ctx, resource) {
        // A token for another server must not be valid here.
        if (!resources.includes(resource)) throw new errors.InvalidTarget()
        askForScopes(ctx)
        return info
      },
    },
  }
}

const problemOf = (error: { name?: string }): string => {
  if (error.name === 'AbortedError') return 'Nothing was connected.'
  if (error.name === 'ExpiredError') return 'The code has expired. Let the program show another.'
  return 'This code is not known, or was used already. Check what the program shows.'
}

const ASKING = new Set(['authorization', 'device_authorization'])

/** Every token reads (contract §1). Scopes that Berth does not know are left out, as RFC 6749 §3.3 allows. */
function askForScopes({ oidc }: KoaContextWithOIDC): void {
  if (!ASKING.has(oidc.route) || !oidc.params) return
  const wanted = String(oidc.params.scope ?? '').split(' ')
  oidc.params.scope = SCOPES.filter((scope) => scope === 'svc:read' || wanted.includes(scope)).join(' ')
}

function askingAlways() {
  const { Prompt, Check } = interactionPolicy
  const isUnanswered = ({ oidc }: KoaContextWithOIDC) => !oidc.result?.consent
  return [
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('always_asked', 'the user is asked each time', 'consent_required', isUnanswered),
    ),
    // Clients may ask for it; the page of consent has it.
    new Prompt({ name: 'login', requestable: true }),
  ]
}

/** The library itself fails where a browser goes on with a device that it was never asked about. */
function refuseUnasked(ctx: KoaContextWithOIDC, error: unknown): void {
  if (!(error instanceof TypeError && ctx.path.startsWith(`${OAUTH_PATHS.device}/`))) throw error
  ctx.status = 400
  showProblem(ctx, 'invalid_request', 'Nothing was asked in this browser. Enter the code that the program shows again.')
}

/** The address of a QR code fills the form, and a person sends it. */
function takeCodeFromAddress(ctx: KoaContextWithOIDC): void {
  if (ctx.path !== OAUTH_PATHS.device || ctx.method !== 'GET') return
  const { user_code: code } = ctx.query
  if (typeof code === 'string') ctx.state.userCode = code.slice(0, 40)
  ctx.query = {}
}

type Document = Record<string, unknown>

/** Documents of OAuth, without what only OpenID Connect has. */
function withoutOpenId(path: string, status: number, body: unknown, config: Config): unknown {
  if (path === OAUTH_PATHS.metadata && status === 200) return metadataOf(body as Document, config)
  if (path !== OAUTH_PATHS.registration || status !== 201) return body
  const { id_token_signed_response_alg, require_auth_time, subject_type, ...registered } = body as Document
  return registered
}

/** RFC 8414. */
function metadataOf(metadata: Document, { BERTH_OAUTH_REGISTRATION }: Config): Document {
  const { issuer, authorization_endpoint, token_endpoint, revocation_endpoint, device_authorization_endpoint } =
    metadata
  const { code_challenge_methods_supported, grant_types_supported, response_types_supported } = metadata
  const { authorization_response_iss_parameter_supported, registration_endpoint } = metadata
  const { token_endpoint_auth_methods_supported } = metadata
  return {
    issuer,
    authorization_endpoint,
    token_endpoint,
    revocation_endpoint,
    device_authorization_endpoint,
    ...(BERTH_OAUTH_REGISTRATION === 'off' ? {} : { registration_endpoint }),
    code_challenge_methods_supported,
    grant_types_supported,
    response_types_supported,
    authorization_response_iss_parameter_supported,
    response_modes_supported: ['query'],
    scopes_supported: SCOPES,
    token_endpoint_auth_methods_supported,
    revocation_endpoint_auth_methods_supported: token_endpoint_auth_methods_supported,
  }
}
