import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { revokeToken } from '../../../src/services/token/token-commands.ts'
import { ask, authorise, FormBrowser, listenTo, REDIRECT, registerClient } from '../../support/oauth.ts'
import { createWorld, type World } from '../../support/world.ts'

const V1 = '/api/public/v1'

let world: World
let api: Awaited<ReturnType<typeof listenTo>>
let client: oauth.Configuration

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_ANONYMOUS_RATE_LIMIT: '100000' } })
  api = await listenTo(world)
  client = await registerClient(api.url)
})
afterAll(async () => {
  await api?.close()
  await world?.close()
})

const signedIn = (token = world.adminToken) => new FormBrowser(api.url).signIn(token)
const get = (path: string, token: string) => fetch(api.url + path, { headers: { authorization: `Bearer ${token}` } })
const statusOf = async (token: string) => (await get(`${V1}/user/token`, token)).status

/** The code of OAuth that an attempt is refused with. */
async function errorOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt
    return 'accepted'
  } catch (error) {
    const { error: code, message } = error as { error?: string; message: string }
    return code ?? message
  }
}

const auditOf = async (action: string) =>
  world.database.auditEntry.findMany({ where: { action }, orderBy: { id: 'asc' } })

describe('openid-client', () => {
  test('gets a token by code and PKCE, which is a scoped token of Berth', async () => {
    const { tokens } = await authorise(await signedIn(), client)
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'svc:read svc:write:deploy', expires_in: 3600 })
    expect(tokens.access_token).toMatch(/^berth_s_[0-9a-f]{48}$/)
    expect(tokens.refresh_token).toMatch(/^berth_r_[0-9a-f]{48}$/)
    const own = await (await get(`${V1}/user/token`, tokens.access_token)).json()
    expect(own).toMatchObject({ kind: 'SCOPED', email: 'admin@localhost', scopes: ['svc:read', 'svc:write:deploy'] })
    const refused = await get(`${V1}/account/audit?accountId=${world.accountId}`, tokens.refresh_token ?? '')
    expect(refused.status).toBe(401)
  })

  test('may do no more than its scopes, through every door', async () => {
    const { tokens } = await authorise(await signedIn(), client, { scope: 'svc:read' })
    const body = JSON.stringify({ accountId: world.accountId, name: 'By OAuth', port: 80 })
    const headers = { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' }
    const rest = await fetch(`${api.url}${V1}/app`, { method: 'POST', headers, body })
    expect([rest.status, (await rest.json()).reason]).toEqual([403, 'SCOPE_MISSING'])
    const query = `mutation { createApp(input: { accountId: "${world.accountId}", name: "x", port: 80 }) { app { id } } }`
    const graphql = await fetch(`${api.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    expect((await graphql.json()).errors[0].extensions.reason).toBe('SCOPE_MISSING')
  })

  test('renews its token; the one before ends soon', async () => {
    const { tokens } = await authorise(await signedIn(), client)
    const renewed = await oauth.refreshTokenGrant(client, tokens.refresh_token ?? '')
    expect(renewed.refresh_token).not.toBe(tokens.refresh_token)
    expect(await statusOf(renewed.access_token)).toBe(200)
    const own = await (await get(`${V1}/user/token`, tokens.access_token)).json()
    expect(Date.parse(own.expiresAt) - Date.now()).toBeLessThan(120_000)
  })

  test('renews with fewer scopes, and never with more', async () => {
    const { tokens } = await authorise(await signedIn(), client)
    const fewer = await oauth.refreshTokenGrant(client, tokens.refresh_token ?? '', { scope: 'svc:read' })
    expect(fewer.scope).toBe('svc:read')
    const more = oauth.refreshTokenGrant(client, fewer.refresh_token ?? '', { scope: 'svc:read svc:admin' })
    expect(await errorOf(more)).toBe('invalid_scope')
  })

  test('revokes what it has', async () => {
    const { tokens } = await authorise(await signedIn(), client)
    await oauth.tokenRevocation(client, tokens.refresh_token ?? '')
    await expect.poll(() => statusOf(tokens.access_token)).toBe(401)
    expect(await errorOf(oauth.refreshTokenGrant(client, tokens.refresh_token ?? ''))).toBe('invalid_grant')
    expect((await auditOf('revokeOauthToken')).at(-1)).toMatchObject({
      actorType: 'SYSTEM',
      targetType: 'authorization',
    })
  })

  test('connects a device by a code', async () => {
    const asked = await oauth.initiateDeviceAuthorization(client, { scope: 'svc:read' })
    const answered = oauth.pollDeviceAuthorizationGrant(client, { ...asked, interval: 0.2 })
    const browser = await signedIn()
    const shown = await browser.go('GET', asked.verification_uri_complete ?? '')
    expect(shown.text).toContain(`value="${asked.user_code}"`)
    const xsrf = /name="xsrf" value="(\w+)"/.exec(shown.text)?.[1]
    const code = `xsrf=${xsrf}&user_code=${asked.user_code}`
    const confirmation = await browser.go('POST', shown.path, { body: code })
    expect(confirmation.text).toContain(asked.user_code)
    const question = await browser.go('POST', shown.path, { body: `${code}&confirm=yes` })
    expect(question.path).toMatch(/^\/oauth\/consent\//)
    const done = await browser.go('POST', question.path, { body: 'answer=approve' })
    expect(done.text).toContain('Connected')
    const tokens = await answered
    expect(await statusOf(tokens.access_token)).toBe(200)
    expect(tokens.scope).toBe('svc:read')
  })

  test('with a secret of its own proves it', async () => {
    const confidential = await registerClient(api.url, { token_endpoint_auth_method: 'client_secret_basic' })
    const { tokens } = await authorise(await signedIn(), confidential)
    const { client_id: id, client_secret: secret } = confidential.clientMetadata()
    const options = { algorithm: 'oauth2' as const, execute: [oauth.allowInsecureRequests] }
    const wrong = await oauth.discovery(new URL(api.url), id, undefined, oauth.ClientSecretBasic(`${secret}x`), options)
    await expect(oauth.refreshTokenGrant(wrong, tokens.refresh_token ?? '')).rejects.toMatchObject({ status: 401 })
    const renewed = await oauth.refreshTokenGrant(confidential, tokens.refresh_token ?? '')
    expect(await statusOf(renewed.access_token)).toBe(200)
    const stored = await world.database.oauthClient.findUniqueOrThrow({ where: { id } })
    expect(JSON.stringify(stored)).not.toContain(secret)
  })
})

describe('a code or a refresh token that is used twice', () => {
  test('ends all that came of the code', async () => {
    const { left, verifier, state, tokens } = await authorise(await signedIn(), client)
    const again = oauth.authorizationCodeGrant(client, left, { pkceCodeVerifier: verifier, expectedState: state })
    expect(await errorOf(again)).toBe('invalid_grant')
    await expect.poll(() => statusOf(tokens.access_token)).toBe(401)
    expect(await errorOf(oauth.refreshTokenGrant(client, tokens.refresh_token ?? ''))).toBe('invalid_grant')
    expect((await auditOf('detectOauthReuse')).length).toBeGreaterThan(0)
  })

  test('ends all that came of the refresh token', async () => {
    const { tokens } = await authorise(await signedIn(), client)
    const renewed = await oauth.refreshTokenGrant(client, tokens.refresh_token ?? '')
    expect(await errorOf(oauth.refreshTokenGrant(client, tokens.refresh_token ?? ''))).toBe('invalid_grant')
    await expect.poll(() => statusOf(renewed.access_token)).toBe(401)
    expect(await errorOf(oauth.refreshTokenGrant(client, renewed.refresh_token ?? ''))).toBe('invalid_grant')
  })

  test('at the same time gives one of two requests tokens, and ends them', async () => {
    const asking = await ask(client)
    const { left } = await (await signedIn()).answer(asking.url)
    const redeem = () =>
      oauth.authorizationCodeGrant(client, left as URL, {
        pkceCodeVerifier: asking.verifier,
        expectedState: asking.state,
      })
    const outcomes = await Promise.all([errorOf(redeem()), errorOf(redeem())])
    expect(outcomes).toContain('invalid_grant')
  })
})

describe('what a client asks wrongly', () => {
  test.each([
    ['without PKCE', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for an implicit token', { response_type: 'token' }, 'unsupported_response_type'],
    ['for another server', { resource: 'https://other.example.com/mcp' }, 'invalid_target'],
    ['without asking the person', { prompt: 'none' }, 'consent_required'],
    ['by a form', { response_mode: 'form_post' }, 'unsupported_response_mode'],
  ])('is refused at its own address: %s', async (_how, parameters, error) => {
    const { url } = await ask(client, parameters)
    for (const [name, value] of Object.entries(parameters)) if (value === '') url.searchParams.delete(name)
    const { left } = await (await signedIn()).answer(url)
    expect(left?.origin + (left?.pathname ?? '')).toBe(REDIRECT)
    expect([left?.searchParams.get('error'), left?.searchParams.get('code')]).toEqual([error, null])
  })

  test('is answered in the query, where scripts of the page are not needed', async () => {
    const { url } = await ask(client, { response_mode: 'fragment' })
    const { left } = await (await signedIn()).answer(url)
    expect([left?.searchParams.has('code'), left?.hash]).toEqual([true, ''])
  })

  test.each([
    ['of another host', 'https://evil.example.com/done'],
    ['with more behind it', `${REDIRECT}/more`],
    ['with a query', `${REDIRECT}?next=https://evil.example.com`],
    ['with a user', 'http://127.0.0.1:9@evil.example.com/done'],
    ['with a fragment', `${REDIRECT}#x`],
    ['by a script', 'javascript:alert(1)'],
  ])('is shown to the person where the way back is not the registered one: %s', async (_how, redirect_uri) => {
    const { url } = await ask(client, { redirect_uri })
    const page = await (await signedIn()).answer(url)
    expect([page.status, page.left]).toEqual([400, null])
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  test('at the token endpoint: another verifier, another client, another way back', async () => {
    const other = await registerClient(api.url)
    const browser = await signedIn()
    const codeOf = async () => {
      const asking = await ask(client)
      return { asking, left: (await browser.answer(asking.url)).left as URL }
    }
    const first = await codeOf()
    const wrong = { pkceCodeVerifier: oauth.randomPKCECodeVerifier(), expectedState: first.asking.state }
    expect(await errorOf(oauth.authorizationCodeGrant(client, first.left, wrong))).toBe('invalid_grant')
    const second = await codeOf()
    const checks = { pkceCodeVerifier: second.asking.verifier, expectedState: second.asking.state }
    expect(await errorOf(oauth.authorizationCodeGrant(other, second.left, checks))).toBe('invalid_grant')
    const moved = new URL(second.left)
    moved.port = '10'
    expect(await errorOf(oauth.authorizationCodeGrant(client, moved, checks))).toBe('invalid_grant')
    const { tokens } = await authorise(browser, client)
    expect(await errorOf(oauth.refreshTokenGrant(other, tokens.refresh_token ?? ''))).toBe('invalid_grant')
    await oauth.tokenRevocation(other, tokens.access_token)
    expect(await statusOf(tokens.access_token)).toBe(200)
  })
})

describe('consent', () => {
  test('needs a person who is signed in, and comes back from there', async () => {
    const { url } = await ask(client)
    const page = await new FormBrowser(api.url).go('GET', String(url), { site: 'cross-site' })
    expect(page.path).toMatch(/^\/sign-in\?next=%2Foauth%2Fconsent%2F/)
  })

  test('says who asks, for what, and who is asked, and cannot be framed', async () => {
    const { url } = await ask(client, { scope: 'svc:admin' })
    const page = await (await signedIn()).go('GET', String(url), { site: 'cross-site' })
    for (const words of ['Deploy from the editor', '127.0.0.1:9', 'admin@localhost', 'Administer your accounts'])
      expect(page.text).toContain(words)
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self' http://127.0.0.1:9;")
  })

  test('can be refused, and both answers are recorded', async () => {
    const asking = await ask(client)
    const { left } = await (await signedIn()).answer(asking.url, 'refuse')
    expect(left?.searchParams.get('error')).toBe('access_denied')
    expect((await auditOf('refuseAuthorization')).at(-1)).toMatchObject({
      actorType: 'USER',
      targetType: 'oauthClient',
    })
    await authorise(await signedIn(), client)
    expect((await auditOf('approveAuthorization')).at(-1)?.details).toMatchObject({ name: 'Deploy from the editor' })
  })

  test.each(['cross-site', 'same-site'])('is not given by a page that is %s', async (site) => {
    const browser = await signedIn()
    const { url } = await ask(client)
    const page = await browser.go('GET', String(url), { site: 'cross-site' })
    const forged = await browser.send('POST', page.path, { body: 'answer=approve', site })
    expect(forged.status).toBe(403)
  })

  test('is not given for a question that another browser was asked', async () => {
    const { url } = await ask(client)
    const page = await (await signedIn()).go('GET', String(url), { site: 'cross-site' })
    const other = await (await signedIn()).send('POST', page.path, { body: 'answer=approve' })
    expect(other.status).toBe(404)
  })

  test('is that of whoever is signed in when they answer', async () => {
    const browser = await signedIn()
    await authorise(browser, client)
    const user = await world.user()
    await browser.signIn(user.token)
    const { tokens } = await authorise(browser, client)
    const own = await (await get(`${V1}/user/token`, tokens.access_token)).json()
    expect(own.userId).toBe(user.userId)
  })
})

describe('an authorization ends', () => {
  test('when its user takes it back', async () => {
    const user = await world.user()
    const { tokens } = await authorise(await signedIn(user.token), client)
    const { authorizations } = await (await get(`${V1}/user/authorizations`, user.token)).json()
    expect(authorizations).toMatchObject([
      { clientName: 'Deploy from the editor', status: 'ACTIVE', userId: user.userId },
    ])
    const { authorizationId } = authorizations[0]
    const init = { method: 'DELETE', headers: { authorization: user.token } }
    const revoked = await fetch(`${api.url}${V1}/user/authorization?authorizationId=${authorizationId}`, init)
    expect(revoked.status).toBe(200)
    expect(await statusOf(tokens.access_token)).toBe(401)
    expect(await errorOf(oauth.refreshTokenGrant(client, tokens.refresh_token ?? ''))).toBe('invalid_grant')
  })

  test('with what its access tokens made', async () => {
    const user = await world.user()
    const { tokens } = await authorise(await signedIn(user.token), client)
    const child = await world.token({ kind: 'SCOPED', scopes: ['svc:read'], as: tokens.access_token })
    await oauth.tokenRevocation(client, tokens.access_token)
    await expect.poll(() => statusOf(child.token)).toBe(401)
  })

  test('when the token that its user had signed in with is revoked, and not when they sign out', async () => {
    const user = await world.user()
    const browser = await signedIn(user.token)
    const { tokens } = await authorise(browser, client)
    await browser.send('POST', '/sign-out', { body: '{}', type: 'application/json' })
    const renewed = await oauth.refreshTokenGrant(client, tokens.refresh_token ?? '')
    expect(await statusOf(renewed.access_token)).toBe(200)
    await world.perform(revokeToken, { tokenId: user.tokenId })
    expect(await statusOf(renewed.access_token)).toBe(401)
    expect(await errorOf(oauth.refreshTokenGrant(client, renewed.refresh_token ?? ''))).toBe('invalid_grant')
  })

  test('with the live subscriptions of its tokens', async () => {
    const user = await world.user()
    const { appEnvId } = await world.appEnv()
    const { tokens } = await authorise(await signedIn(user.token), client)
    const query = `subscription { appEnvStatusChanged(appEnvId: "${appEnvId}") { status } }`
    const stream = await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${tokens.access_token}`,
      },
      body: JSON.stringify({ query }),
    })
    const ended = stream.text()
    await oauth.tokenRevocation(client, tokens.refresh_token ?? '')
    expect(await ended).toContain('UNAUTHENTICATED')
  })

  test('in an account that its user has left', async () => {
    const accountId = await world.account()
    const user = await world.user({ accountId })
    const { tokens } = await authorise(await signedIn(user.token), client)
    const read = async () => (await get(`${V1}/account?accountId=${accountId}`, tokens.access_token)).status
    expect(await read()).toBe(200)
    await world.database.membership.deleteMany({ where: { userId: user.userId } })
    await expect.poll(read).toBe(403)
  })
})
