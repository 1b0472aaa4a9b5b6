import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createServices } from '../../../src/services/services.ts'
import { endSession } from '../../../src/services/session/session-commands.ts'
import { Passwords } from '../../../src/services/sign-in/passwords.ts'
import { serveRest } from '../../support/rest.ts'
import { type WebBrowser, webBrowser } from '../../support/web-browser.ts'
import { createWorld, type World } from '../../support/world.ts'
import { startSmtpServer } from '../../webhooks/smtp-server.ts'

const CHEAP = { BERTH_PASSWORD_MEMORY_KB: '7168', BERTH_PASSWORD_PASSES: '1' }
const PASSWORD = 'correct horse battery staple'
const OTHER = 'another four words entirely'

let world: World
let api: ReturnType<typeof serveRest>['api']
const statements: string[] = []

beforeAll(async () => {
  world = await createWorld({
    settings: { ...CHEAP, BERTH_SIGN_IN_TRIES: '5', BERTH_API_URL: 'https://berth.example.com' },
    onQuery: (sql) => statements.push(sql),
  })
  api = serveRest(world).api
})
afterAll(() => world?.close())
beforeEach(() => world.database.rateCount.deleteMany())

/** A user with a password, and a browser in which they are signed in by their token. */
async function person(password: string | null = PASSWORD) {
  const user = await world.user()
  const browser = webBrowser(api)
  await browser.post('/sign-in/token', { token: user.token })
  if (password) expect((await browser.post('/account-security/password', { password })).status).toBe(200)
  return { ...user, browser }
}

const tries = (email: string, password: string, browser: WebBrowser = webBrowser(api)) =>
  browser.post('/sign-in/password', { email, password })

describe('a password', () => {
  test('signs its user in, whatever case the address is typed in', async () => {
    const { email } = await person()
    const browser = webBrowser(api)
    expect((await tries(` ${email.toUpperCase()} `, PASSWORD, browser)).status).toBe(200)
    expect((await browser.get('/session')).body).toMatchObject({ method: 'PASSWORD', user: { email } })
  })

  test('is kept as a hash by Argon2id, and is in no answer and no audit entry', async () => {
    const { userId, browser } = await person()
    const { hash } = await world.database.userPassword.findUniqueOrThrow({ where: { userId } })
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=7168,t=1,p=1\$/)
    const methods = (await browser.get('/account-security/methods')).text
    expect(methods).not.toContain('argon2')
    const entries = await world.database.auditEntry.findMany({ where: { targetId: userId } })
    expect(entries.map(({ action }) => action)).toContain('changePassword')
    expect(JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
      PASSWORD,
    )
  })

  test.each([
    ['is short', 'short', 400],
    ['is the e-mail address', null, 400],
  ])('is refused when it %s', async (_why, password, status) => {
    const { browser, email } = await person(null)
    const answer = await browser.post('/account-security/password', { password: password ?? email })
    expect(answer).toMatchObject({ status, body: { errors: [{ field: 'password' }] } })
  })

  test('is hashed anew when the settings ask for more', async () => {
    const stored = await new Passwords({ ...world.config, BERTH_PASSWORD_PASSES: 2 }).hash(PASSWORD)
    const { userId, email } = await person()
    await world.database.userPassword.update({ where: { userId }, data: { hash: stored } })
    expect((await tries(email, PASSWORD)).status).toBe(200)
    const { hash } = await world.database.userPassword.findUniqueOrThrow({ where: { userId } })
    expect(hash).toContain('m=7168,t=1,')
    expect((await tries(email, PASSWORD)).status).toBe(200)
  })
})

describe('whoever guesses', () => {
  test('learns nothing of an address: answer and work are the same', async () => {
    const [known, without] = [await person(), await person(null)]
    const seen = []
    for (const email of [known.email, without.email, 'nobody@example.com']) {
      statements.length = 0
      const { status, body } = await tries(email, 'a wrong password')
      seen.push({ status, message: body.message, code: body.code, statements: statements.map(shape) })
    }
    expect(seen[0]).toMatchObject({ status: 401, message: 'The e-mail address or the password is wrong' })
    // Less reads: Prisma loads the password of a user that there is. And less what the sign-ins above still do.
    const [first, ...others] = seen.map(({ statements, ...answer }) => ({
      ...answer,
      writes: statements.filter((sql) => !/^(SELECT|UPDATE token SET last_used_at)/.test(sql)),
    }))
    for (const other of others) expect(other).toEqual(first)
  })

  test('makes Berth hash for an unknown address as for a known one', async () => {
    const stored = await new Passwords(world.config).hash(PASSWORD)
    for (const hash of [stored, null]) {
      const passwords = new Passwords({ ...world.config, BERTH_PASSWORD_HASHES: 1 })
      const checks = Array.from({ length: 20 }, () =>
        passwords.check(PASSWORD, hash).then(({ matches }) => matches, codeOf),
      )
      const outcomes = await Promise.all(checks)
      // All of them take a turn, so that three find the queue full.
      expect(outcomes.filter((outcome) => outcome === (hash !== null))).toHaveLength(17)
      expect(outcomes.filter((outcome) => outcome === 'RATE_LIMITED')).toHaveLength(3)
    }
  })

  test('is stopped after a few attempts at an account, from wherever, and so at an account that there is not', async () => {
    for (const email of [(await person()).email, 'nobody-else@example.com']) {
      const statuses = []
      for (let count = 0; count < 6; count += 1) statuses.push((await tries(email, 'a wrong password')).status)
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
      const answer = await tries(email, PASSWORD)
      expect(answer).toMatchObject({ status: 429, body: { reason: 'TOO_MANY_SIGN_INS' } })
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(1)
    }
  })

  test('is stopped after more attempts from an address, whatever accounts they try', async () => {
    const statuses = []
    for (let count = 0; count < 16; count += 1) statuses.push((await tries(`n${count}@example.com`, 'wrong')).status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(15)
    expect(statuses.at(-1)).toBe(429)
  })

  test('does not keep anybody out for longer than the count lasts', async () => {
    const { email } = await person()
    for (let count = 0; count < 6; count += 1) await tries(email, 'a wrong password')
    await world.database.$executeRaw`UPDATE rate_count SET ends_at = now() - interval '1 second'`
    expect((await tries(email, PASSWORD)).status).toBe(200)
  })

  test('is recorded', async () => {
    const { email, userId } = await person()
    await tries(email, 'a wrong password')
    const entries = await world.auditOf(userId)
    expect(entries.at(-1)).toMatchObject({
      action: 'signInFailed',
      actorType: 'SYSTEM',
      details: { method: 'PASSWORD' },
    })
  })
})

describe('changing the password', () => {
  test('needs the present one, and ends the other sessions', async () => {
    const { email, browser } = await person()
    const other = webBrowser(api)
    await tries(email, PASSWORD, other)
    const change = (body: unknown) => browser.post('/account-security/password', body)
    expect(await change({ password: OTHER })).toMatchObject({ status: 400 })
    expect(await change({ password: OTHER, currentPassword: 'wrong' })).toMatchObject({ status: 400 })
    expect(await change({ password: OTHER, currentPassword: PASSWORD })).toMatchObject({ body: { endedSessions: 1 } })
    await expect.poll(async () => (await other.get('/session')).status).toBe(401)
    expect((await browser.get('/session')).status).toBe(200)
    expect((await tries(email, PASSWORD)).status).toBe(401)
    expect((await tries(email, OTHER)).status).toBe(200)
  })

  test('is for people who are signed in, not for tokens', async () => {
    const { token } = await person(null)
    const headers = { authorization: token }
    const answer = await webBrowser(api).post('/account-security/password', { password: OTHER }, { headers })
    expect(answer.status).toBe(401)
  })

  test('for the first time needs a sign-in of a moment ago', async () => {
    const { browser } = await person(null)
    const { sessionId } = (await browser.get('/session')).body
    await world.database
      .$executeRaw`UPDATE token SET created_at = now() - interval '16 minutes' WHERE id = ${sessionId}`
    const answer = await browser.post('/account-security/password', { password: OTHER })
    expect(answer).toMatchObject({ status: 403, body: { reason: 'SIGN_IN_AGAIN' } })
  })
})

describe('a link to set a password', () => {
  const admin = async () => {
    const browser = webBrowser(api)
    await browser.post('/sign-in/token', { token: world.adminToken })
    return browser
  }

  test('of the admin works once, and ends every session', async () => {
    const { email, browser } = await person()
    const { resetUrl } = (await (await admin()).post('/account-security/reset-link', { email })).body
    const secret = new URL(resetUrl).hash.slice(1)
    const reset = () => webBrowser(api).post('/reset-password', { secret, password: OTHER })
    expect((await reset()).status).toBe(200)
    expect(await reset()).toMatchObject({ status: 400, body: { errors: [{ field: 'secret' }] } })
    await expect.poll(async () => (await browser.get('/session')).status).toBe(401)
    expect((await tries(email, OTHER)).status).toBe(200)
  })

  test('is for the admin alone to make', async () => {
    const { email, browser } = await person()
    expect((await browser.post('/account-security/reset-link', { email })).status).toBe(403)
  })

  test('stays when the admin signs out, and ends when their session is revoked', async () => {
    const { email } = await person()
    const link = async (browser: WebBrowser) => {
      const { resetUrl } = (await browser.post('/account-security/reset-link', { email })).body
      return new URL(resetUrl).hash.slice(1)
    }
    const reset = async (secret: string) =>
      (await webBrowser(api).post('/reset-password', { secret, password: OTHER })).status
    const [staying, leaving] = [await admin(), await admin()]
    const [kept, taken] = [await link(staying), await link(leaving)]
    for (const [browser, revokeMade] of [
      [staying, false],
      [leaving, true],
    ] as const) {
      const { sessionId } = (await browser.get('/session')).body
      await world.perform(endSession, { sessionId, revokeMade })
    }
    expect(await reset(taken)).toBe(400)
    expect(await reset(kept)).toBe(200)
  })

  test('does not work for ever', async () => {
    const { email } = await person()
    const { resetUrl } = (await (await admin()).post('/account-security/reset-link', { email })).body
    await world.database.$executeRaw`UPDATE sign_in_challenge SET expires_at = now()`
    const secret = new URL(resetUrl).hash.slice(1)
    expect((await webBrowser(api).post('/reset-password', { secret, password: OTHER })).status).toBe(400)
  })

  test('is mailed to a user, and nobody sees from the answer whether there is one', async () => {
    const server = await startSmtpServer()
    try {
      const config = { ...world.config, BERTH_SMTP_URL: server.url }
      const posted = serveRest({ ...world, config, services: createServices({ ...world, config }) }).api
      const { email } = await person()
      const ask = (to: string) => webBrowser(posted).post('/sign-in/reset-link', { email: to })
      const [known, unknown] = [await ask(email), await ask('nobody@example.com')]
      expect(known).toMatchObject({ status: 200, body: unknown.body })
      await expect.poll(() => server.messages.length).toBe(1)
      const text = server.messages[0]?.replaceAll('=\n', '').replaceAll('=3D', '=') ?? ''
      const [, secret] = /https:\/\/berth\.example\.com\/reset-password#(\S+)/.exec(text) ?? []
      expect((await webBrowser(posted).post('/reset-password', { secret, password: OTHER })).status).toBe(200)
    } finally {
      server.close()
    }
  })

  test('is not mailed by an installation without a mail server', async () => {
    const answer = await webBrowser(api).post('/sign-in/reset-link', { email: 'nobody@example.com' })
    expect(answer).toMatchObject({ status: 409, body: { reason: 'NO_MAIL' } })
  })
})

/** A statement without its values. */
const shape = (sql: string) => sql.replaceAll(/\s+/g, ' ').trim()

const codeOf = ({ code }: { code?: string }) => code
