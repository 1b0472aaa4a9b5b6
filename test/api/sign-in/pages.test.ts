import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openBrowser, openPage, type WatchedPage } from '../../support/browser.ts'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'

const FOLDER = process.env.BERTH_TEST_SCREENSHOTS
const PASSWORD = 'correct horse battery staple'

let world: GraphQLWorld
let browser: Browser
let origin: string

describe.skipIf(!hasBrowser('signing in'))('a person in a browser', () => {
  beforeAll(async () => {
    world = await createGraphQLWorld()
    origin = `http://localhost:${new URL(world.url).port}`
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await world?.close()
  })

  test('finds the form for the token at once in a new installation, and behind the others later', async () => {
    const { page } = await openPage(browser)
    const form = page.locator('#by-token')
    await page.goto(`${origin}/sign-in`)
    await screenshots(page, 'first-sign-in')
    expect(await form.isVisible()).toBe(true)
    expect(await page.locator('h2').first().textContent()).toBe('With a token')
    const { userId } = await world.user()
    await world.database.userPassword.create({ data: { userId, hash: 'of a password' } })
    await page.reload()
    expect(await form.isVisible()).toBe(false)
    await page.click('summary:has-text("With a token")')
    expect(await form.isVisible()).toBe(true)
    await page.context().close()
  })

  test('signs in with a token, sets a password, signs out, and signs in with that', async () => {
    const { email, token } = await world.user()
    const watched = await openPage(browser)
    const { page } = watched
    await byToken(page, token)
    await page.fill('#password [name=password]', PASSWORD)
    await page.click('#password button')
    await page.locator('text=Changed on').waitFor()
    await signOut(page)
    await page.fill('#by-password [name=email]', email)
    await page.fill('#by-password [name=password]', 'a wrong password')
    await page.click('#by-password button')
    await page.locator('#by-password [role=status]:has-text("wrong")').waitFor()
    await page.fill('#by-password [name=password]', PASSWORD)
    await page.click('#by-password button')
    await toSecurity(page)
    await page.locator(`text=${email}`).first().waitFor()
    // Chromium reports the refused attempt by itself.
    expectQuiet(watched, /status of 401/)
    await page.context().close()
  })

  test('makes a passkey, and signs in with it alone', async () => {
    const { token, email } = await world.user()
    const watched = await openPage(browser)
    const { page } = watched
    const device = await virtualAuthenticator(page)
    await byToken(page, token)
    await page.fill('#passkey [name=name]', 'My laptop')
    await page.click('#passkey button')
    await page.locator('th:has-text("My laptop")').waitFor()
    expect(await device.credentials()).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }])
    await signOut(page)
    await page.click('#by-passkey button')
    await toSecurity(page)
    await page.locator(`text=${email}`).first().waitFor()
    expect(await page.evaluate(session)).toMatchObject({ method: 'PASSKEY', user: { email } })
    await screenshots(page, 'security')
    await page.waitForLoadState('load')
    await page.click('[data-remove-passkey]')
    await page.locator('th:has-text("My laptop")').waitFor({ state: 'detached' })
    await signOut(page)
    await page.click('#by-passkey button')
    await page.locator('#by-passkey [role=status]:has-text("does not know this passkey")').waitFor()
    expectQuiet(watched, /status of 401/)
    await page.context().close()
  })

  test('is asked by the device, and stays out without it', async () => {
    const { token } = await world.user()
    const { page } = await openPage(browser)
    const device = await virtualAuthenticator(page)
    await byToken(page, token)
    await page.click('#passkey button')
    await page.locator('th:has-text("Passkey")').waitFor()
    await signOut(page)
    await device.refuse()
    await page.click('#by-passkey button')
    await page.locator('#by-passkey [role=status]:has-text("No passkey was used")').waitFor()
    await page.context().close()
  })

  test('sets codes up, and is asked for one besides the password', async () => {
    const { token, email } = await world.user()
    const watched = await openPage(browser)
    const { page } = watched
    await byToken(page, token)
    await page.fill('#password [name=password]', PASSWORD)
    await page.click('#password button')
    await page.locator('text=Changed on').waitFor()
    await page.waitForLoadState('load')
    await page.click('#offer-codes')
    await page.locator('#confirm-codes img').waitFor()
    const secret = (await page.locator('#confirm-codes code').textContent())?.replaceAll(' ', '') ?? ''
    const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate()
    await screenshots(page, 'codes')
    await page.fill('#confirm-codes [name=code]', code())
    await page.click('#confirm-codes button')
    await page.locator('#recovery-codes').waitFor()
    const recoveryCodes = (await page.locator('#recovery-codes pre').textContent())?.split('\n') ?? []
    await signOut(page)
    await page.fill('#by-password [name=email]', email)
    await page.fill('#by-password [name=password]', PASSWORD)
    await page.click('#by-password button')
    await page.fill('#by-code [name=code]', recoveryCodes[0] ?? '')
    await page.click('#by-code button')
    await toSecurity(page)
    await page.locator('text=You have 9 recovery codes left').waitFor()
    expectQuiet(watched)
    await page.context().close()
  })

  test('goes on where they wanted to, and never to another site', async () => {
    const { token } = await world.user()
    for (const [next, expected] of [
      ['/docs/errors', `${origin}/docs/errors`],
      // The front page, which leads who is signed in to the console.
      ['//evil.example/', `${origin}/console/accounts/default`],
      ['https://evil.example/', `${origin}/console/accounts/default`],
      ['/\\evil.example', `${origin}/console/accounts/default`],
    ]) {
      const { page, outside } = await openPage(browser)
      await page.goto(`${origin}/sign-in?next=${encodeURIComponent(next ?? '')}`)
      await signInByToken(page, token)
      await page.waitForURL(expected ?? '')
      expect(outside(origin)).toEqual([])
      await page.context().close()
    }
  })

  test.each([
    ['sign-in', '/sign-in'],
    ['reset', '/reset-password'],
  ])('reads the page %s at any width', async (name, path) => {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [375, 'dark'],
    ] as const) {
      const watched = await openPage(browser, { viewport: { width, height: 900 }, colorScheme })
      await watched.page.goto(origin + path)
      await screenshots(watched.page, name)
      expectQuiet(watched)
      await watched.page.context().close()
    }
  })
})

/** Signing in leads to the console; how one signs in is a page of its own. */
async function toSecurity(page: Page): Promise<void> {
  await page.waitForURL('**/console**')
  await page.goto(`${origin}/account-security`)
}

async function byToken(page: Page, token: string): Promise<void> {
  await page.goto(`${origin}/sign-in`)
  await signInByToken(page, token)
  await toSecurity(page)
}

/** Scripts that are still being loaded hear of no click. */
async function signOut(page: Page): Promise<void> {
  await page.waitForLoadState('load')
  await page.click('#sign-out')
  await page.waitForURL('**/sign-in')
}

async function signInByToken(page: Page, token: string): Promise<void> {
  if (await page.locator('#by-token').isHidden()) await page.click('summary:has-text("With a token")')
  await page.fill('#by-token [name=token]', token)
  await page.click('#by-token button')
}

const session = () => fetch('/session').then((answer) => answer.json())

/** A device with a fingerprint reader, by the protocol that browsers offer for tests. */
async function virtualAuthenticator(page: Page) {
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    credentials: async () => (await client.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    /** The finger is not the one it knows. */
    refuse: () => client.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false }),
  }
}

function expectQuiet({ complaints, outside }: WatchedPage, expected?: RegExp): void {
  expect(outside(origin)).toEqual([])
  expect(complaints.filter((complaint) => !expected?.test(complaint))).toEqual([])
}

/** Nothing is cut off at the right, and nothing moves sideways; and pictures, where they are asked for. */
async function screenshots(page: Page, name: string): Promise<void> {
  const { width = 0 } = page.viewportSize() ?? {}
  for (const wanted of name === 'security' || name === 'codes' ? [1280, 375] : [width]) {
    await page.setViewportSize({ width: wanted, height: 900 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
    if (!FOLDER) continue
    mkdirSync(FOLDER, { recursive: true })
    await page.screenshot({ path: join(FOLDER, `${name}-${wanted}.png`), fullPage: true })
  }
}
