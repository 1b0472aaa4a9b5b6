import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import { DomainError } from '../../domain/errors.ts'
import { prefixOf } from '../../domain/ids.ts'
import { SCOPES, type Scope } from '../../domain/permissions.ts'
import type { Services } from '../../services/services.ts'

type Oauth = Services['oauth']

/** Where a request comes from, for the audit log. */
export interface AskedBy {
  requestId: string
  address: string
}

const ASKED_BY = Symbol('asked by')

/** The request that the library answers says where it comes from. */
export const withOrigin = <Request extends object>(request: Request, askedBy: AskedBy): Request =>
  Object.assign(request, { [ASKED_BY]: askedBy })

const askedBy = (): AskedBy =>
  (Provider.ctx?.req as { [ASKED_BY]?: AskedBy } | undefined)?.[ASKED_BY] ?? {
    requestId: 'req_oauth',
    address: 'unknown',
  }

export const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000)

const scopesOf = (text: string | undefined): Scope[] => SCOPES.filter((scope) => text?.split(' ').includes(scope))

/** Where the library keeps its things: clients, authorizations and access tokens are Berth's own, the rest its notes. */
export function storageOf(oauth: Oauth): (model: string) => Adapter {
  return (model) => {
    if (model === 'Client') return clientStorage(oauth)
    if (model === 'Grant') return authorizationStorage(oauth)
    if (model === 'AccessToken') return accessTokenStorage(oauth)
    return noteStorage(oauth, model)
  }
}

const none = async () => undefined

const NOTHING: Adapter = {
  upsert: none,
  find: none,
  findByUid: none,
  findByUserCode: none,
  consume: none,
  destroy: none,
  revokeByGrantId: none,
}

const clientStorage = (oauth: Oauth): Adapter => ({
  ...NOTHING,
  async upsert(_id, payload) {
    const saving = oauth.saveClient(payload as { client_id: string }, askedBy())
    await saving.catch((error: unknown) => {
      if (!(error instanceof DomainError && error.code === 'CONFLICT')) throw error
      throw new errors.TemporarilyUnavailable(error.message)
    })
  },
  find: async (id) => (prefixOf(id) === 'ocl' ? ((await oauth.findClient(id)) ?? undefined) : undefined),
})

/** Made by the page of consent, never by the library. */
const authorizationStorage = (oauth: Oauth): Adapter => ({
  ...NOTHING,
  async find(id) {
    const found = prefixOf(id) === 'oau' ? await oauth.find(id) : null
    if (!found) return undefined
    const { userId: accountId, clientId, resource, scopes, createdAt, expiresAt } = found
    return {
      jti: id,
      kind: 'Grant',
      accountId,
      clientId,
      resources: { [resource]: scopes.join(' ') },
      iat: secondsOf(createdAt),
      exp: secondsOf(expiresAt),
    } as AdapterPayload
  },
  /** The library calls it for two reasons: the client revokes, or a code or refresh token was used again. */
  async destroy(id) {
    const action = Provider.ctx?.oidc.route === 'revocation' ? 'revokeOauthToken' : 'detectOauthReuse'
    await oauth.endByClient(id, { action, ...askedBy() })
  },
})

const accessTokenStorage = (oauth: Oauth): Adapter => ({
  ...NOTHING,
  async upsert(secret, { grantId = '', scope }) {
    const isIssued = await oauth.issue({ secret, authorizationId: grantId, scopes: scopesOf(scope) })
    if (!isIssued) throw new errors.InvalidGrant('the authorization has ended')
  },
  async find(secret) {
    const token = await oauth.findAccessToken(secret)
    if (!token) return undefined
    const { authorization, scopes, createdAt, expiresAt } = token
    return {
      jti: secret,
      kind: 'AccessToken',
      format: 'opaque',
      aud: authorization.resource,
      scope: scopes.join(' '),
      grantId: authorization.id,
      clientId: authorization.clientId,
      accountId: authorization.userId,
      iat: secondsOf(createdAt),
      exp: secondsOf(expiresAt ?? authorization.expiresAt),
    }
  },
})

const noteStorage = (oauth: Oauth, kind: string): Adapter => {
  const find = async (by: { id: string } | { lookup: string }) => {
    const found = await oauth.findState(kind, by)
    if (!found) return undefined
    const consumed = found.consumedAt ? { consumed: secondsOf(found.consumedAt) } : {}
    return { ...found.payload, ...consumed } as AdapterPayload
  }
  return {
    ...NOTHING,
    upsert: (id, payload, expiresInSeconds = 0) =>
      oauth.saveState({
        kind,
        id,
        payload,
        expiresInSeconds,
        authorizationId: payload.grantId,
        lookup: payload.userCode ?? (kind === 'Session' ? payload.uid : undefined),
      }),
    find: (id) => find({ id }),
    findByUid: (uid) => find({ lookup: uid }),
    findByUserCode: (userCode) => find({ lookup: userCode }),
    async consume(id) {
      if (await oauth.consumeState(kind, id)) return
      // Another request was faster with the same secret: it is in two hands.
      const found = await oauth.findState(kind, { id })
      const grantId = found?.payload.grantId
      if (typeof grantId === 'string') await oauth.endByClient(grantId, { action: 'detectOauthReuse', ...askedBy() })
      throw new errors.InvalidGrant('it was used already')
    },
    destroy: (id) => oauth.destroyState(kind, id),
  }
}
