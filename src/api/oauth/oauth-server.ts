import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Scope } from '../../domain/permissions.ts'
import { SCOPES } from '../../domain/permissions.ts'
import type { Question } from './consent-page.ts'
import { createProvider, type ProviderParts } from './provider.ts'
import { type AskedBy, withOrigin } from './storage.ts'

/** The OAuth server of one issuer, as the rest of Berth needs to know it. */
export interface OauthServer {
  issuer: string
  answer(request: IncomingMessage, response: ServerResponse, askedBy: AskedBy): Promise<void>
  /** What a browser is asked; null when the question is none of it, or too old. */
  questionOf(request: IncomingMessage, response: ServerResponse): Promise<Question | null>
  /** Where the browser goes with the answer. `authorizationId` null: refused. */
  finish(
    request: IncomingMessage,
    response: ServerResponse,
    answer: { userId: string; authorizationId: string | null },
  ): Promise<string>
}

export function createOauthServer(issuer: string, parts: ProviderParts): OauthServer {
  const provider = createProvider(issuer, parts)
  const callback = provider.callback()
  const { protocol, host } = new URL(issuer)

  /** Addresses are made from the issuer's, whatever the request says: the Host header is the client's. */
  function meet(request: IncomingMessage): IncomingMessage {
    delete request.headers['x-forwarded-host']
    return Object.assign(request, {
      headers: { ...request.headers, host, 'x-forwarded-proto': protocol.slice(0, -1), cookie: cookiesOf(request) },
    })
  }

  return {
    issuer,
    answer: (request, response, askedBy) => callback(withOrigin(meet(request), askedBy), response),
    async questionOf(request, response) {
      const details = await provider.interactionDetails(meet(request), response).catch(() => null)
      if (!details) return null
      const { client_id, redirect_uri, scope, resource } = details.params as Record<string, unknown>
      const client = await provider.Client.find(String(client_id))
      if (!client) return null
      return {
        uid: details.uid,
        clientId: client.clientId,
        clientName: client.clientName ?? client.clientId,
        redirectUri: typeof redirect_uri === 'string' ? redirect_uri : null,
        scopes: SCOPES.filter((known: Scope) => String(scope).split(' ').includes(known)),
        resource: String(Array.isArray(resource) ? resource[0] : resource),
      }
    },
    finish(request, response, { userId, authorizationId }) {
      const refused = { error: 'access_denied', error_description: 'The user refused' }
      const approved = { login: { accountId: userId, remember: false }, consent: { grantId: authorizationId ?? '' } }
      return provider.interactionResult(meet(request), response, authorizationId === null ? refused : approved)
    },
  }
}

/** Who had asked before on this browser counts for nothing, except while a device is being connected. */
function cookiesOf({ url = '', headers: { cookie = '' } }: IncomingMessage): string {
  if (!url.startsWith('/oauth/authorize')) return cookie
  return cookie
    .split(';')
    .filter((pair) => !/^\s*berth_oauth(\.sig)?=/.test(pair))
    .join(';')
}
