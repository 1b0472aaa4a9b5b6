import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sweepOauth } from '../../../src/worker/housekeeping/delete-expired.ts'
import { post, toolsCall } from '../../support/mcp.ts'
import { ask, authorise, FormBrowser, listenTo, REDIRECT, registerClient } from '../../support/oauth.ts'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let api: Awaited<ReturnType<typeof listenTo>>

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_ANONYMOUS_RATE_LIMIT: '100000', BERTH_OAUTH_CLIENTS: '3' } })
  api = await listenTo(world)
})
afterAll(async () => {
  await api?.close()
  await world?.close()
})

async function register(metadata: Record<string, unknown>) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${api.url}/oauth/register`, { method: 'POST', headers, body: JSON.stringify(metadata) })
  return { status: answer.status, body: await answer.json() }
}

const OWN = { redirect_uris: [REDIRECT], client_name: 'Editor', token_endpoint_auth_method: 'none' }

describe('a client that registers', () => {
  test('gets an id, and what it registered; addresses that nobody fetches are left out', async () => {
    const extra = {
      logo_uri: 'http://169.254.169.254/',
      jwks_uri: 'http://127.0.0.1:1/',
      sector_identifier_uri: 'https://x.example',
    }
    const { status, body } = await register({ ...OWN, ...extra })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      client_id: expect.stringMatching(/^ocl_/),
      client_name: 'Editor',
      redirect_uris: [REDIRECT],
    })
    for (const name of Object.keys(extra)) expect(body).not.toHaveProperty(name)
    const entries = await world.auditOf(body.client_id)
    expect(entries).toMatchObject([
      { action: 'registerOauthClient', actorType: 'SYSTEM', details: { address: '127.0.0.1' } },
    ])
  })

  test.each([
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['http://evil.example.com/done'],
    ['https://user@evil.example.com/'],
    ['https://evil.example.com/#x'],
    ['myapp:/done'],
    ['/done'],
  ])('may not be answered at %s', async (uri) => {
    const { status, body } = await register({ ...OWN, redirect_uris: [uri] })
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
  })

  test.each([
    ['https://app.example.com/done'],
    ['http://localhost:3000/cb'],
    ['http://[::1]/cb'],
    ['com.example.app:/done'],
  ])('may be answered at %s', async (uri) => {
    expect((await register({ ...OWN, redirect_uris: [uri] })).status).toBe(201)
  })

  test.each([
    ['a name that is too long', { client_name: 'x'.repeat(81) }],
    ['a name that turns the text around', { client_name: 'Editor \u202egnihsihp' }],
    ['a name of several lines', { client_name: 'Editor\nSigned by Berth' }],
    ['too many addresses', { redirect_uris: Array.from({ length: 11 }, (_, at) => `https://app.example.com/${at}`) }],
    ['a grant that is not offered', { grant_types: ['client_credentials'] }],
    ['a proof that is not offered', { token_endpoint_auth_method: 'private_key_jwt' }],
    ['no address', { redirect_uris: [] }],
  ])('is refused with %s', async (_what, metadata) => {
    const { status, body } = await register({ ...OWN, ...metadata })
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^invalid_(client_metadata|redirect_uri)$/)])
  })

  test('is shown by its name as text', async () => {
    const client = await registerClient(api.url, { client_name: '<img src=x onerror=alert(1)>' })
    const browser = await new FormBrowser(api.url).signIn(world.adminToken)
    const page = await browser.go('GET', String((await ask(client)).url))
    expect(page.text).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(page.text).not.toContain('<img src=x')
  })

  test('makes room among those that nobody authorised', async () => {
    const client = await registerClient(api.url)
    const browser = await new FormBrowser(api.url).signIn(world.adminToken)
    const { tokens } = await authorise(browser, client)
    for (let at = 0; at < 4; at += 1) await register(OWN)
    expect(await world.database.oauthClient.count()).toBe(3)
    expect((await oauth.refreshTokenGrant(client, tokens.refresh_token ?? '')).access_token).toBeTruthy()
  })

  test('is refused when users have authorised all that there is room for', async () => {
    const browser = await new FormBrowser(api.url).signIn(world.adminToken)
    while ((await world.database.oauthClient.count({ where: { authorizations: { some: {} } } })) < 3)
      await authorise(browser, await registerClient(api.url))
    const { status, body } = await register(OWN)
    expect([status, body.error]).toEqual([400, 'temporarily_unavailable'])
  })

  test('is deleted when nobody authorises it for long; one that is used stays', async () => {
    await world.database.$executeRaw`UPDATE oauth_client SET used_at = now() - interval '31 days'`
    await sweepOauth(world)
    const left = await world.database.oauthClient.findMany({ include: { authorizations: true } })
    expect(left.every(({ authorizations }) => authorizations.length > 0)).toBe(true)
  })
})

describe('settings', () => {
  const answerOf = async (settings: Record<string, string>, token: string | null, path = '/oauth/register') => {
    const other = await createWorld({ settings })
    const { call } = serveRest(other)
    const body = path.endsWith('register') ? OWN : undefined
    const { status } = await call(body ? 'POST' : 'GET', `/${path}`, { token: token && other.adminToken, body })
    await other.close()
    return status
  }

  test('turn OAuth off', async () => {
    expect(await answerOf({ BERTH_OAUTH: 'false' }, null, '/.well-known/oauth-protected-resource')).toBe(404)
  })
  test('turn the registration off', async () => {
    expect(await answerOf({ BERTH_OAUTH_REGISTRATION: 'off' }, null)).toBe(404)
  })
  test('leave the registration to the admin', async () => {
    expect(await answerOf({ BERTH_OAUTH_REGISTRATION: 'admin' }, null)).toBe(401)
  })
})

describe('documents', () => {
  const read = async (path: string, headers = {}) => (await fetch(api.url + path, { headers })).json()

  test('tell of the server, by its own address', async () => {
    const metadata = await read('/.well-known/oauth-authorization-server')
    expect(metadata).toMatchObject({
      issuer: api.url,
      token_endpoint: `${api.url}/oauth/token`,
      code_challenge_methods_supported: ['S256'],
      scopes_supported: expect.arrayContaining(['svc:read', 'svc:admin']),
    })
    expect(JSON.stringify(metadata)).not.toMatch(/jwks|id_token|claims|subject/)
  })

  test('tell MCP clients where to get a token', async () => {
    const { api: rest } = serveRest(world)
    const refused = await post(rest, toolsCall('list-accounts', {}), { token: null })
    const [, address = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? []
    expect(refused.status).toBe(401)
    expect(new URL(address).pathname).toBe('/.well-known/oauth-protected-resource/mcp')
    expect(await read(new URL(address).pathname)).toMatchObject({
      resource: `${api.url}/mcp`,
      authorization_servers: [api.url],
    })
  })

  test('are not made from what a client says its host is', async () => {
    const other = await createWorld({ settings: { BERTH_API_URL: 'https://berth.example.com' } })
    const { api: rest } = serveRest(other)
    const answer = await rest.request('http://evil.example.com/.well-known/oauth-protected-resource')
    expect((await answer.json()).resource).toBe('https://berth.example.com')
    await other.close()
    const { api: local } = serveRest(world)
    expect((await local.request('http://evil.example.com/.well-known/oauth-protected-resource')).status).toBe(404)
  })
})
