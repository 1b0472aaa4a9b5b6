import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../../src/services/app/create-app.ts'
import { createServices } from '../../../src/services/services.ts'
import { revokeToken } from '../../../src/services/token/token-commands.ts'
import { serveRest } from '../../support/rest.ts'
import { type WebBrowser, webBrowser } from '../../support/web-browser.ts'
import { createWorld, type World } from '../../support/world.ts'

const V1 = '/api/public/v1'

let world: World
let api: ReturnType<typeof serveRest>['api']

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_SESSIONS: '3', BERTH_ANONYMOUS_RATE_LIMIT: '10000' } })
  api = serveRest(world).api
})
afterAll(() => world?.close())

async function signedIn(token = world.adminToken): Promise<WebBrowser> {
  const browser = webBrowser(api)
  expect(await browser.post('/sign-in/token', { token })).toMatchObject({ status: 200, body: { signedIn: true } })
  return browser
}

const secretOf = (browser: WebBrowser) => browser.cookies.get('berth_session') ?? ''
const sessionIdOf = async (browser: WebBrowser) => (await browser.get('/session')).body.sessionId as string

describe('signing in with a token', () => {
  test('gives a session that may do what the token’s user may', async () => {
    const browser = await signedIn()
    const session = await browser.get('/session')
    expect(session.body).toMatchObject({
      method: 'TOKEN',
      user: { email: 'admin@localhost', isInstallationAdmin: true },
    })
    const app = { accountId: world.accountId, name: 'By a session', port: 80 }
    const created = await browser.post(`${V1}/app`, app)
    expect(created.status).toBe(200)
    const [entry] = await world.auditOf(created.body.appId)
    expect(entry).toMatchObject({
      action: createApp.name,
      actorId: session.body.user.userId,
      tokenId: session.body.sessionId,
    })
  })

  test('is recorded, with the address and without the secret', async () => {
    const browser = await signedIn()
    const [entry] = await world.auditOf(await sessionIdOf(browser))
    expect(entry).toMatchObject({ action: 'signIn', actorType: 'USER', details: { method: 'TOKEN' } })
    expect(JSON.stringify(entry, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
      secretOf(browser),
    )
  })

  test('keeps only the hash of the session’s secret', async () => {
    const browser = await signedIn()
    const token = await world.database.token.findUniqueOrThrow({ where: { id: await sessionIdOf(browser) } })
    expect(token.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(token)).not.toContain(secretOf(browser))
  })

  test.each([
    ['is unknown', async () => 'nonsense', 401],
    ['is one of an environment', async () => environmentToken(), 403],
    ['has scopes', async () => (await world.token({ kind: 'SCOPED', scopes: ['svc:read'] })).token, 403],
    ['has an end', async () => (await world.token({ expiresAt: '2100-01-01T00:00:00Z' })).token, 403],
    ['is a session itself', async () => secretOf(await signedIn()), 403],
  ])('is refused when the token %s', async (_why, token, status) => {
    const browser = webBrowser(api)
    expect((await browser.post('/sign-in/token', { token: await token() })).status).toBe(status)
    expect(browser.cookies.size).toBe(0)
  })

  test('gives another secret than the browser brought, and ends the session that it had', async () => {
    const browser = await signedIn()
    const first = secretOf(browser)
    await browser.post('/sign-in/token', { token: world.adminToken })
    expect(secretOf(browser)).not.toBe(first)
    expect(await withCookie(first)).toBe(401)
  })

  test('over the session of another user ends that one', async () => {
    const browser = await signedIn()
    const first = secretOf(browser)
    const { token } = await world.user({ roles: ['AUDIT'] })
    expect((await browser.post('/sign-in/token', { token })).status).toBe(200)
    expect(await withCookie(first)).toBe(401)
    expect((await browser.get('/session')).status).toBe(200)
  })

  test('leaves a session alone that the sign-in was refused over', async () => {
    const browser = await signedIn()
    expect((await browser.post('/sign-in/token', { token: 'nonsense' })).status).toBe(401)
    expect((await browser.get('/session')).status).toBe(200)
  })

  test('takes no secret that the browser brought', async () => {
    const planted = webBrowser(api)
    planted.cookies.set('berth_session', 'berth_c_planted')
    await planted.post('/sign-in/token', { token: world.adminToken })
    expect(secretOf(planted)).not.toContain('planted')
  })
})

describe('the cookie', () => {
  test('is one that scripts, other hosts and plain HTTP cannot have', async () => {
    const options = { headers: { 'x-forwarded-proto': 'https' } }
    const answer = await webBrowser(api, 'berth.example.com').post(
      '/sign-in/token',
      { token: world.adminToken },
      options,
    )
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-berth_session=berth_c_[0-9a-f]{48}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
    )
  })

  test('is not given over plain HTTP, except at localhost', async () => {
    const answer = await webBrowser(api, '192.168.1.5:4000').post('/sign-in/token', { token: world.adminToken })
    expect(answer).toMatchObject({ status: 403, body: { reason: 'HTTPS_REQUIRED' } })
    expect((await signedIn()).cookies.get('berth_session')).toMatch(/^berth_c_/)
  })

  test('without its prefix counts at localhost only', async () => {
    const secret = secretOf(await signedIn())
    const elsewhere = webBrowser(api, 'berth.example.com')
    elsewhere.cookies.set('berth_session', secret)
    expect((await elsewhere.get(`${V1}/apps`)).status).toBe(401)
  })
})

describe('a request that another site makes', () => {
  test.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of an app below the same domain', { 'sec-fetch-site': 'same-site' }],
    ['of an older browser, with another origin', { 'sec-fetch-site': undefined, origin: 'http://evil.example' }],
    ['of an older browser, with no origin', { 'sec-fetch-site': undefined, origin: 'null' }],
    ['of something that says nothing', { 'sec-fetch-site': undefined }],
  ])('%s does nothing with the cookie', async (_whose, headers) => {
    const browser = await signedIn()
    const app = { accountId: world.accountId, name: 'Forged', port: 80 }
    expect((await browser.post(`${V1}/app`, app, { headers })).status).toBe(401)
    expect((await browser.post('/sign-out', {}, { headers })).status).toBe(403)
    expect((await browser.get('/session')).status).toBe(200)
  })

  test('cannot read either', async () => {
    const browser = await signedIn()
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await browser.get(`${V1}/apps`, { headers })).status).toBe(401)
  })

  test('of an older browser counts when it has this origin', async () => {
    const browser = await signedIn()
    const headers = { 'sec-fetch-site': undefined, origin: 'http://localhost:4000' }
    const app = { accountId: world.accountId, name: 'Own', port: 80 }
    expect((await browser.post(`${V1}/app`, app, { headers })).status).toBe(200)
  })

  test('cannot sign a browser in as somebody else', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    const answer = await webBrowser(api).post('/sign-in/token', { token: world.adminToken }, { headers })
    expect(answer).toMatchObject({ status: 403, body: { reason: 'OTHER_ORIGIN' } })
  })
})

describe('a session ends', () => {
  test('when its person signs out, and leaves the tokens that were made in it', async () => {
    const browser = await signedIn()
    const secret = secretOf(browser)
    const made = await browser.post(`${V1}/token`, { kind: 'USER', name: 'Laptop' })
    expect((await browser.post('/sign-out')).body).toEqual({ signedIn: false })
    expect(browser.cookies.size).toBe(0)
    expect(await withCookie(secret)).toBe(401)
    await expect(world.services.authenticate(made.body.token)).resolves.toMatchObject({ kind: 'USER' })
  })

  test('and leaves the invitations that were made in it, unless it is to take back what was made', async () => {
    const [browser, other] = [await signedIn(), await signedIn()]
    const invite = async () => {
      const email = `${randomUUID()}@example.com`
      const body = { accountId: world.accountId, email, roles: ['AUDIT'] }
      const { invitationUrl } = (await browser.post(`${V1}/account/invitation`, body)).body
      return new URL(invitationUrl).hash.slice(1)
    }
    const [accepted, late] = [await invite(), await invite()]
    const made = (await browser.post(`${V1}/token`, { kind: 'USER', name: 'Stolen' })).body.token as string
    const sessionId = await sessionIdOf(browser)
    const accept = (authorization: string) =>
      webBrowser(api).post(`${V1}/account/invitation/accept`, {}, { headers: { authorization } })
    await browser.post('/sign-out')
    expect((await accept(accepted)).status).toBe(200)
    const ended = await other.post('/account-security/session/end', { sessionId, revokeMade: true })
    expect(ended.status).toBe(200)
    expect(await accept(late)).toMatchObject({ status: 409, body: { reason: 'INVITATION_REVOKED' } })
    await expect(world.services.authenticate(made)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  })

  test('by nobody else than its user', async () => {
    const browser = await signedIn()
    const stranger = await signedIn((await world.user()).token)
    const sessionId = await sessionIdOf(browser)
    expect((await stranger.post('/account-security/session/end', { sessionId })).status).toBe(404)
    expect((await browser.get('/session')).status).toBe(200)
  })

  test('when it is as old as it may be', async () => {
    const browser = await aged(await signedIn(), { expires_at: '-1 second' })
    expect((await browser.get('/session')).status).toBe(401)
  })

  test('when nobody has used it for as long as it may be idle', async () => {
    const browser = await aged(await signedIn(), { last_used_at: '-1441 minutes' })
    expect((await browser.get('/session')).status).toBe(401)
    const used = await aged(await signedIn(), { last_used_at: '-1430 minutes' })
    expect((await used.get('/session')).status).toBe(200)
  })

  test('when the token is revoked that it was signed in with', async () => {
    const { tokenId, token } = await world.token()
    const browser = await signedIn(token)
    const made = await browser.post(`${V1}/token`, { kind: 'USER', name: 'Made in it' })
    await world.perform(revokeToken, { tokenId })
    expect((await browser.get('/session')).status).toBe(401)
    await expect(world.services.authenticate(made.body.token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  })

  test('when the user has more of them than they may: the one that was not used for the longest time', async () => {
    const { token } = await world.user()
    const browsers = []
    for (let count = 0; count < 4; count += 1) browsers.push(await signedIn(token))
    const statuses = []
    for (const browser of browsers) statuses.push((await browser.get('/session')).status)
    expect(statuses).toEqual([401, 200, 200, 200])
  })
})

describe('to clients of the APIs', () => {
  test('a session is no token of a list', async () => {
    const { token } = await world.user()
    const browser = await signedIn(token)
    const sessionId = await sessionIdOf(browser)
    const tokens = (await browser.get(`${V1}/tokens`)).body.tokens as { tokenId: string }[]
    expect(tokens.map(({ tokenId }) => tokenId)).not.toContain(sessionId)
    expect((await browser.get(`${V1}/token?tokenId=${sessionId}`)).status).toBe(404)
  })
})

async function environmentToken(): Promise<string> {
  const { appEnvId } = await world.appEnv()
  return (await world.token({ kind: 'ENVIRONMENT', appEnvId })).token
}

/** The status that a session gets, whatever another browser has done with it. */
async function withCookie(secret: string): Promise<number> {
  const browser = webBrowser(api)
  browser.cookies.set('berth_session', secret)
  return (await browser.get('/session')).status
}

/** The browser after so long, at another process, which remembers no callers. */
async function aged(browser: WebBrowser, times: Record<string, string>): Promise<WebBrowser> {
  const id = await sessionIdOf(browser)
  const isTouched = async () => (await world.database.token.findUniqueOrThrow({ where: { id } })).lastUsedAt
  await expect.poll(isTouched).not.toBeNull()
  for (const [column, ago] of Object.entries(times))
    await world.database.$executeRawUnsafe(`UPDATE token SET ${column} = now() + $1::interval WHERE id = $2`, ago, id)
  const later = webBrowser(serveRest({ ...world, services: createServices(world) }).api)
  for (const [name, value] of browser.cookies) later.cookies.set(name, value)
  return later
}
