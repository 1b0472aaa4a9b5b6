import * as oauth from 'openid-client'
import { createGraphQL } from '../../src/api/graphql/graphql.ts'
import { listen } from '../../src/api/server/listen.ts'
import { createServer } from '../../src/api/server/server.ts'
import { createEventFeed } from '../../src/storage/events/feed.ts'
import type { World } from './world.ts'

/** An address that nobody listens at: tests read where a browser would be sent. */
export const REDIRECT = 'http://127.0.0.1:9/done'

/** A world's API on a port of this machine, as clients reach it. */
export async function listenTo(world: World) {
  const { services, database, wakeups, vault, config, log } = world
  const feed = createEventFeed({ database, wakeups, config, log })
  const graphql = createGraphQL({ services, vault, config, log, feed })
  const api = createServer({ services, config, log, graphql, readiness: {} })
  const listening = await listen({ api, host: '127.0.0.1', port: 0 })
  graphql.attach(listening.server)
  return {
    server: listening.server,
    port: listening.port,
    routes: api.routes,
    /** With the name that cookies of a browser belong to. */
    url: `http://localhost:${listening.port}`,
    /** For browsers that resolve no name. */
    address: listening.url,
    async close() {
      // Every request is answered: nothing to linger for.
      listening.server.closeIdleConnections()
      await listening.close()
      feed.close()
      await graphql.close()
    },
  }
}

/** What a browser does with cookies, forms and redirects. It stops where it would leave the server. */
export class FormBrowser {
  readonly #base: string
  readonly cookies = new Map<string, string>()

  constructor(base: string) {
    this.#base = base
  }

  async signIn(token: string): Promise<this> {
    const body = JSON.stringify({ token })
    const answer = await this.send('POST', '/sign-in/token', { body, type: 'application/json' })
    if (answer.status !== 200) throw new Error(`Signing in failed: ${await answer.text()}`)
    return this
  }

  /** One request; redirects are answers. */
  async send(
    method: string,
    to: string,
    more: { body?: string; type?: string; site?: string } = {},
  ): Promise<Response> {
    const { body, type = 'application/x-www-form-urlencoded', site = 'same-origin' } = more
    const answer = await fetch(new URL(to, this.#base), {
      method,
      redirect: 'manual' as const,
      headers: {
        accept: 'text/html',
        'sec-fetch-site': site,
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body === undefined ? {} : { 'content-type': type }),
      },
      ...(body === undefined ? {} : { body }),
    })
    for (const cookie of answer.headers.getSetCookie()) this.#keep(cookie)
    return answer
  }

  #keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split(';')
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const isGone = value === '' || attributes.some((attribute) => /expires=Thu, 01 Jan 1970/i.test(attribute))
    if (isGone) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }

  /** Follows redirects on the server. Returns the last answer, or the address elsewhere that it led to. */
  async go(method: string, to: string, more: { body?: string; site?: string } = {}): Promise<Visit> {
    let answer = await this.send(method, to, more)
    for (let hops = 0; hops < 10; hops += 1) {
      const location = answer.headers.get('location')
      if (!location)
        return { status: answer.status, path: to, text: await answer.text(), headers: answer.headers, left: null }
      const next = new URL(location, this.#base)
      if (next.origin !== this.#base)
        return { status: answer.status, path: to, text: '', headers: answer.headers, left: next }
      to = next.pathname + next.search
      answer = await this.send('GET', to)
    }
    throw new Error('The server redirects for ever')
  }

  /** Opens what an application asks for, and answers the page of consent. */
  async answer(url: URL | string, answer: 'approve' | 'refuse' = 'approve'): Promise<Visit> {
    const page = await this.go('GET', String(url), { site: 'cross-site' })
    if (!page.path.startsWith('/oauth/consent/')) return page
    return this.go('POST', page.path, { body: `answer=${answer}` })
  }
}

export interface Visit {
  status: number
  path: string
  text: string
  headers: Headers
  /** Where the browser was sent to, away from the server. */
  left: URL | null
}

/** A client that nobody here wrote, registered at the server. */
export async function registerClient(base: string, metadata: Partial<oauth.ClientMetadata> = {}) {
  const own = {
    client_name: 'Deploy from the editor',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    token_endpoint_auth_method: 'none',
    ...metadata,
  }
  const options = { algorithm: 'oauth2' as const, execute: [oauth.allowInsecureRequests] }
  return oauth.dynamicClientRegistration(new URL(base), own, undefined, options)
}

export interface Asking {
  url: URL
  verifier: string
  state: string
}

export async function ask(client: oauth.Configuration, parameters: Record<string, string> = {}): Promise<Asking> {
  const verifier = oauth.randomPKCECodeVerifier()
  const state = oauth.randomState()
  const url = oauth.buildAuthorizationUrl(client, {
    redirect_uri: REDIRECT,
    scope: 'svc:read svc:write:deploy',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  })
  return { url, verifier, state }
}

/** Asks, has a person agree, and redeems the code. */
export async function authorise(
  browser: FormBrowser,
  client: oauth.Configuration,
  parameters: Record<string, string> = {},
) {
  const asking = await ask(client, parameters)
  const { left, text } = await browser.answer(asking.url)
  if (!left) throw new Error(`The browser was not sent back: ${text}`)
  const checks = { pkceCodeVerifier: asking.verifier, expectedState: asking.state }
  return { ...asking, left, tokens: await oauth.authorizationCodeGrant(client, left, checks) }
}
