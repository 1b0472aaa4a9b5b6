import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createInvitation } from '../../../src/services/account/invitation-commands.ts'
import { createServices } from '../../../src/services/services.ts'
import { CLIENT, type Employee, startCompanyProvider } from '../../support/company-provider.ts'
import { serveRest } from '../../support/rest.ts'
import { type WebBrowser, webBrowser } from '../../support/web-browser.ts'
import { createWorld, type World } from '../../support/world.ts'

const SITE = 'http://localhost:4000'
const CALLBACK = '/sign-in/company/callback'

let provider: Awaited<ReturnType<typeof startCompanyProvider>>
let world: World
let api: ReturnType<typeof serveRest>['api']

beforeAll(async () => {
  provider = await startCompanyProvider(SITE + CALLBACK)
  world = await createWorld({
    settings: {
      BERTH_OIDC_ISSUER: provider.url,
      BERTH_OIDC_CLIENT_ID: CLIENT.id,
      BERTH_OIDC_CLIENT_SECRET: CLIENT.secret,
      BERTH_OIDC_PRIVATE_HOSTS: '127.0.0.1',
      BERTH_OIDC_NAME: 'Acme',
    },
  })
  api = serveRest(world).api
})
afterAll(async () => {
  await provider?.close()
  await world?.close()
})
beforeEach(() => world.database.rateCount.deleteMany())

const employee = (more: Partial<Employee> = {}): Employee => ({ id: randomUUID(), ...more })

/** Where the provider sends the browser back to, after whoever it is. */
async function visited(person: Employee | null, browser: WebBrowser, path = '/sign-in/company'): Promise<URL> {
  provider.receive(person)
  const sent = await browser.get(path)
  expect(sent.status).toBe(303)
  return provider.visit(sent.headers.get('location') ?? '')
}

const back = (browser: WebBrowser, { pathname, search }: URL) =>
  browser.get(pathname + search, { headers: { 'sec-fetch-site': 'cross-site' } })

async function signIn(person: Employee | null, browser = webBrowser(api)) {
  return { browser, answer: await back(browser, await visited(person, browser)) }
}

describe('signing in by the company’s provider', () => {
  test('lets in the user with the address that the provider has verified, and knows them by its id from then on', async () => {
    const { email } = await world.user()
    const person = employee({ email: email.toUpperCase() })
    const { browser, answer } = await signIn(person)
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/console')
    expect((await browser.get('/session')).body).toMatchObject({ method: 'OIDC', user: { email } })
    const later = await signIn({ ...person, email: 'another@example.com' })
    expect((await later.browser.get('/session')).body).toMatchObject({ user: { email } })
  })

  test.each([
    ['nobody has the address', () => ({ email: `${randomUUID()}@example.com` }), 'NO_USER'],
    ['the address is not verified', () => ({ email: 'admin@localhost', isVerified: false }), 'verified no e-mail'],
    ['there is no address', () => ({}), 'verified no e-mail'],
  ])('lets nobody in when %s', async (_why, more) => {
    const { browser, answer } = await signIn(employee(more()))
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('You are not signed in')
    expect((await browser.get('/session')).status).toBe(401)
  })

  test('makes a user of somebody who is invited by the address', async () => {
    const email = `${randomUUID()}@example.com`
    const input = { accountId: world.accountId, email, roles: ['TECHNICAL'] }
    const { invitationUrl } = (await world.perform(createInvitation, input)) as { invitationUrl: string }
    const { browser } = await signIn(employee({ email }))
    expect((await browser.get('/session')).body).toMatchObject({ user: { email } })
    const secret = new URL(invitationUrl).hash.slice(1)
    const accepted = await browser.post('/api/public/v1/account/invitation/accept', { secret })
    expect(accepted.body).toMatchObject({ accountId: world.accountId, token: null })
  })

  test('does not make a user somebody’s whose address an invitation made up, before they connect it', async () => {
    const user = await world.user()
    await world.database.user.update({ where: { id: user.userId }, data: { isInvited: true } })
    const person = employee({ email: user.email })
    expect((await signIn(person)).answer.status).toBe(403)
    const browser = webBrowser(api)
    await browser.post('/sign-in/token', { token: user.token })
    provider.receive(person)
    const asked = await browser.post('/account-security/company')
    expect((await back(browser, await provider.visit(asked.body.location))).status).toBe(303)
    expect((await signIn(person)).answer.status).toBe(303)
  })

  test('connects no account that is another user’s', async () => {
    const [one, other] = [await world.user(), await world.user()]
    const person = employee({ email: one.email })
    await signIn(person)
    const browser = webBrowser(api)
    await browser.post('/sign-in/token', { token: other.token })
    const asked = await browser.post('/account-security/company')
    expect((await back(browser, await provider.visit(asked.body.location))).status).toBe(409)
  })

  test('signs in nobody who did not sign in there', async () => {
    expect((await signIn(null)).answer.status).toBe(401)
  })
})

describe('coming back', () => {
  test('works in the browser that was sent there only, and once', async () => {
    const { email } = await world.user()
    const browser = webBrowser(api)
    const returned = await visited(employee({ email }), browser)
    expect((await back(webBrowser(api), returned)).status).toBe(401)
    const cookie = browser.cookies.get('berth_company') ?? ''
    expect((await back(browser, returned)).status).toBe(303)
    expect(browser.cookies.has('berth_company')).toBe(false)
    browser.cookies.set('berth_company', cookie)
    expect((await back(browser, returned)).status).toBe(401)
  })

  test('is refused with the state of another sign-in', async () => {
    const { email } = await world.user()
    const [browser, other] = [webBrowser(api), webBrowser(api)]
    const returned = await visited(employee({ email }), browser)
    const elsewhere = await visited(employee({ email }), other)
    returned.searchParams.set('state', elsewhere.searchParams.get('state') ?? '')
    expect((await back(browser, returned)).status).toBe(401)
  })

  test('is refused with the code of another sign-in: the verifier is another', async () => {
    const { email } = await world.user()
    const [browser, other] = [webBrowser(api), webBrowser(api)]
    const returned = await visited(employee({ email }), browser)
    const elsewhere = await visited(employee({ email }), other)
    returned.searchParams.set('code', elsewhere.searchParams.get('code') ?? '')
    expect((await back(browser, returned)).status).toBe(401)
  })

  test('leads on within this server only', async () => {
    const { email } = await world.user()
    const person = employee({ email })
    for (const [next, expected] of [
      ['/docs/errors', '/docs/errors'],
      ['//evil.example', '/console'],
      ['/\\evil.example', '/console'],
      ['https://evil.example', '/console'],
    ]) {
      const browser = webBrowser(api)
      const path = `/sign-in/company?next=${encodeURIComponent(next ?? '')}`
      expect((await back(browser, await visited(person, browser, path))).headers.get('location')).toBe(expected)
    }
  })
})

describe('the provider', () => {
  test('is not asked at a private address that the installation does not list', async () => {
    const config = { ...world.config, BERTH_OIDC_PRIVATE_HOSTS: [] }
    const strict = serveRest({ ...world, config, services: createServices({ ...world, config }) }).api
    const answer = await webBrowser(strict).get('/sign-in/company')
    expect(answer.status).toBe(503)
    expect(answer.text).not.toContain('127.0.0.1')
  })

  test('is none where the installation names none', async () => {
    const config = { ...world.config, BERTH_OIDC_ISSUER: undefined }
    const without = serveRest({ ...world, config, services: createServices({ ...world, config }) }).api
    expect((await webBrowser(without).get('/sign-in/company')).status).toBe(409)
    expect((await webBrowser(without).get('/sign-in')).text).not.toContain('/sign-in/company')
    expect((await webBrowser(api).get('/sign-in')).text).toContain('Acme')
  })
})
