import { Hono } from 'hono'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAdmission } from '../../../src/api/http/admission.ts'
import type { ServerEnv } from '../../../src/api/http/context.ts'
import { mountSignIn } from '../../../src/api/sign-in/mount-sign-in.ts'
import { serveRest } from '../../support/rest.ts'
import { webBrowser } from '../../support/web-browser.ts'
import { createWorld, type World } from '../../support/world.ts'

/** Who each call is for. One that is not listed here fails the first test. */
const CALLS = {
  guest: [
    '/sign-in/token',
    '/sign-in/password',
    '/sign-in/reset-link',
    '/sign-in/code',
    '/sign-in/passkey/options',
    '/sign-in/passkey',
    '/reset-password',
    '/sign-out',
  ],
  person: [
    'password',
    'reset-link',
    'passkey/options',
    'passkey',
    'passkey/remove',
    'codes',
    'codes/confirm',
    'codes/remove',
    'company',
    'session/end',
  ].map((name) => `/account-security/${name}`),
  reads: [
    '/sign-in',
    '/sign-in/company',
    '/sign-in/company/callback',
    '/reset-password',
    '/session',
    '/account-security',
    '/account-security/methods',
    '/sign-in/call.js',
    '/sign-in/sign-in.js',
    '/sign-in/security.js',
    '/sign-in/reset.js',
    '/sign-in/invitation.js',
    '/invitation',
  ],
}

const HOSTILE: unknown[] = [
  {},
  { unknown: 1 },
  { email: {}, password: [] },
  { token: 'a\0b' },
  { secret: 'x'.repeat(201), password: '' },
  { response: {} },
  { response: { id: 'a\0' }, name: '\ud800' },
  { response: { id: 'a', response: 5 } },
  { challenge: 'a', code: '      ' },
  { email: "' OR 1=1 --", password: 'a' },
  { code: '000000' },
  { email: 'a'.repeat(254), password: 'b'.repeat(200) },
  { sessionId: '../..' },
  { passkeyId: 'pky_1' },
]

let world: World
let api: ReturnType<typeof serveRest>['api']

beforeAll(async () => {
  const cheap = { BERTH_PASSWORD_MEMORY_KB: '7168', BERTH_PASSWORD_PASSES: '1', BERTH_SIGN_IN_TRIES: '1000' }
  world = await createWorld({ settings: cheap })
  api = serveRest(world).api
})
afterAll(() => world?.close())

test('every call is listed with whom it is for', () => {
  const { services, config, log, limits } = world
  const app = new Hono<ServerEnv>()
  mountSignIn(app, { services, config, log, admission: createAdmission(services.authenticate, limits) })
  const paths = (method: string) => app.routes.filter((route) => route.method === method).map(({ path }) => path)
  expect(paths('POST').toSorted()).toEqual([...CALLS.guest, ...CALLS.person].toSorted())
  expect(paths('GET').toSorted()).toEqual(CALLS.reads.toSorted())
  expect(app.routes.every(({ method }) => method === 'GET' || method === 'POST')).toBe(true)
})

test.each(CALLS.person)('POST %s is for people who are signed in alone', async (path) => {
  expect((await webBrowser(api).post(path)).status).toBe(401)
  for (const kind of ['USER', 'SCOPED'] as const) {
    const { token } = await world.token({ kind, ...(kind === 'SCOPED' ? { scopes: ['svc:admin' as const] } : {}) })
    const answer = await webBrowser(api).post(path, {}, { headers: { authorization: token } })
    expect(answer.status).toBe(401)
  }
})

test.each([...CALLS.guest, ...CALLS.person])('POST %s is for our own pages alone', async (path) => {
  const browser = webBrowser(api)
  await browser.post('/sign-in/token', { token: world.adminToken })
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
    const answer = await browser.post(path, {}, { headers })
    expect(answer).toMatchObject({ status: 403, body: { reason: 'OTHER_ORIGIN' } })
  }
})

test.each([...CALLS.guest, ...CALLS.person])('POST %s survives whatever is sent', async (path) => {
  const browser = webBrowser(api)
  for (const body of HOSTILE) {
    if (!browser.cookies.has('berth_session')) await browser.post('/sign-in/token', { token: world.adminToken })
    const { status, text } = await browser.post(path, body)
    expect([status < 500, text]).toEqual([true, text])
  }
  const form = await browser.post(path, { a: 1 }, { headers: { 'content-type': 'application/x-www-form-urlencoded' } })
  expect(form.status).toBe(415)
})
