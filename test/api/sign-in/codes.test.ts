import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { serveRest } from '../../support/rest.ts'
import { type WebBrowser, webBrowser } from '../../support/web-browser.ts'
import { createWorld, type World } from '../../support/world.ts'

const PASSWORD = 'correct horse battery staple'

let world: World
let api: ReturnType<typeof serveRest>['api']

beforeAll(async () => {
  const cheap = { BERTH_PASSWORD_MEMORY_KB: '7168', BERTH_PASSWORD_PASSES: '1' }
  world = await createWorld({ settings: { ...cheap, BERTH_SIGN_IN_TRIES: '5' } })
  api = serveRest(world).api
})
afterAll(() => world?.close())
beforeEach(() => world.database.rateCount.deleteMany())

/** What somebody's phone shows, so many periods from now. */
const codeOf = (secret: string, periods = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + periods * 30_000 })

/** Somebody whose sign-in by password asks for a code. */
async function person() {
  const user = await world.user()
  const browser = webBrowser(api)
  await browser.post('/sign-in/token', { token: user.token })
  await browser.post('/account-security/password', { password: PASSWORD })
  const { secret, uri } = (await browser.post('/account-security/codes')).body
  const confirmed = await browser.post('/account-security/codes/confirm', { code: codeOf(secret) })
  expect(confirmed.status).toBe(200)
  // As if it had been a while ago, so that the present code is left for the test.
  await world.database.codeGenerator.update({ where: { userId: user.userId }, data: { lastStep: 0 } })
  return { ...user, browser, secret, uri, recoveryCodes: confirmed.body.recoveryCodes as string[] }
}

async function byPassword(email: string, browser: WebBrowser = webBrowser(api)) {
  const answer = await browser.post('/sign-in/password', { email, password: PASSWORD })
  const { challenge } = answer.body
  return { browser, challenge, answer, send: (code: string) => browser.post('/sign-in/code', { challenge, code }) }
}

describe('signing in by password and code', () => {
  test('gives no session before the code', async () => {
    const { email, secret } = await person()
    const { browser, answer, send } = await byPassword(email)
    expect(answer.body).toEqual({ signedIn: false, next: 'CODE', challenge: expect.any(String) })
    expect(browser.cookies.size).toBe(0)
    expect((await send(codeOf(secret))).status).toBe(200)
    expect((await browser.get('/session')).body).toMatchObject({ method: 'PASSWORD', user: { email } })
  })

  test('takes each code once, and none before one that was used', async () => {
    const { email, secret } = await person()
    const code = codeOf(secret)
    expect((await (await byPassword(email)).send(code)).status).toBe(200)
    expect((await (await byPassword(email)).send(code)).status).toBe(401)
    expect((await (await byPassword(email)).send(codeOf(secret, -1))).status).toBe(401)
    expect((await (await byPassword(email)).send(codeOf(secret, 1))).status).toBe(200)
  })

  test('takes one code once, however many send it at the same time', async () => {
    const { email, secret } = await person()
    const sent = await Promise.all([byPassword(email), byPassword(email), byPassword(email)])
    const code = codeOf(secret)
    const statuses = await Promise.all(sent.map(async ({ send }) => (await send(code)).status))
    expect(statuses.toSorted()).toEqual([200, 401, 401])
  })

  test('allows for a clock that is a little wrong, and not for more', async () => {
    const { email, secret } = await person()
    expect((await (await byPassword(email)).send(codeOf(secret, 3))).status).toBe(401)
    expect((await (await byPassword(email)).send(codeOf(secret, -3))).status).toBe(401)
    expect((await (await byPassword(email)).send(codeOf(secret, 1))).status).toBe(200)
  })

  test('takes each recovery code once, and says how many are left', async () => {
    const { email, recoveryCodes } = await person()
    const [first = ''] = recoveryCodes
    expect(recoveryCodes).toHaveLength(10)
    const signIn = await byPassword(email)
    expect((await signIn.send(first.toUpperCase().replaceAll('-', ' '))).status).toBe(200)
    expect((await signIn.browser.get('/account-security/methods')).body).toMatchObject({ recoveryCodesLeft: 9 })
    expect((await (await byPassword(email)).send(first)).status).toBe(401)
  })

  test('stops whoever guesses, whatever challenge they answer', async () => {
    const { email, secret } = await person()
    const statuses = []
    for (let count = 0; count < 6; count += 1) statuses.push((await (await byPassword(email)).send('000000')).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    expect((await (await byPassword(email)).send(codeOf(secret))).status).toBe(429)
  })

  test('begins again when the password is changed meanwhile, or the challenge is used', async () => {
    const { email, secret, browser } = await person()
    const waiting = await byPassword(email)
    const change = { password: 'another four words entirely', currentPassword: PASSWORD }
    expect((await browser.post('/account-security/password', change)).status).toBe(200)
    expect((await waiting.send(codeOf(secret))).status).toBe(401)
    const other = await person()
    const used = await byPassword(other.email)
    expect((await used.send(codeOf(other.secret))).status).toBe(200)
    expect((await used.send(codeOf(other.secret, 1))).status).toBe(401)
  })
})

describe('setting codes up', () => {
  test('asks for none before a first one has shown that the phone has the secret', async () => {
    const user = await world.user()
    const browser = webBrowser(api)
    await browser.post('/sign-in/token', { token: user.token })
    await browser.post('/account-security/password', { password: PASSWORD })
    const { secret, uri, qrCode } = (await browser.post('/account-security/codes')).body
    expect(uri).toContain(`secret=${secret}`)
    expect(qrCode).toMatch(/^data:image\/svg\+xml,/)
    expect((await browser.post('/account-security/codes/confirm', { code: '000000' })).status).toBe(400)
    expect((await byPassword(user.email)).answer.body).toMatchObject({ signedIn: true })
  })

  test('cannot replace codes that are asked for', async () => {
    const { browser } = await person()
    expect(await browser.post('/account-security/codes')).toMatchObject({ status: 409 })
    expect((await browser.post('/account-security/codes/remove')).body).toEqual({ removed: true })
    expect((await browser.post('/account-security/codes')).status).toBe(200)
  })

  test('keeps the secret sealed, and the recovery codes as hashes', async () => {
    const { userId, secret, recoveryCodes } = await person()
    const kept = JSON.stringify([
      await world.database.codeGenerator.findMany({ where: { userId }, select: { sealedSecret: true } }),
      await world.database.recoveryCode.findMany({ where: { userId } }),
      (await world.auditOf(userId)).map(({ action, details }) => [action, details]),
    ])
    expect(kept).toContain('addCodeGenerator')
    for (const shown of [secret, ...recoveryCodes]) expect(kept).not.toContain(shown)
  })
})
