import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as oauth from 'openid-client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openBrowser, openPage } from '../support/browser.ts'
import { type SharedBerth, sharedBerth } from './support/shared-berth.ts'

const PASSWORD = 'correct horse battery staple'

let berth: SharedBerth
let browser: Browser
let origin: string

describe.skipIf(!hasBrowser('signing in'))('a person in a browser', () => {
  beforeAll(async () => {
    ;[berth, browser] = await Promise.all([sharedBerth(), openBrowser()])
    origin = `http://localhost:${new URL(berth.url).port}`
  })
  afterAll(() => browser?.close())

  test('signs in with a token, sets a password, signs out, and signs in with that', async () => {
    const { email, token } = await newUser()
    const { page, outside } = await openPage(browser)
    await byToken(page, token)
    await page.fill('#password [name=password]', PASSWORD)
    await page.click('#password button')
    await page.locator('text=Changed on').waitFor()
    await page.waitForLoadState('load')
    await page.click('#sign-out')
    await page.waitForURL('**/sign-in')
    await page.fill('#by-password [name=email]', email)
    await page.fill('#by-password [name=password]', PASSWORD)
    await page.click('#by-password button')
    await toSecurity(page)
    expect(await page.locator(`text=${email}`).count()).toBeGreaterThan(0)
    expect(outside(origin)).toEqual([])
    await page.context().close()
  })

  test('asks GraphQL by GraphiQL after signing in', async () => {
    const { email, token } = await newUser()
    const { page } = await openPage(browser)
    await byToken(page, token)
    await page.goto(`${origin}/graphql`)
    await page.locator('.graphiql-query-editor .monaco-editor').waitFor()
    await page.locator('.graphiql-query-editor .monaco-editor').first().click()
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Delete')
    // At once, because the editor closes brackets that are typed.
    await page.keyboard.insertText('{ me { email } }')
    // The editor takes what was typed after a pause; a second click on the button would stop the request.
    // A long line is broken at the end of the window, after a dot.
    const [person] = email.split('@')
    const result = page.locator('.result-window', { hasText: person })
    await expect
      .poll(async () => {
        await page.locator('button.graphiql-execute-button').click()
        await result.waitFor({ timeout: 5_000 }).catch(() => {})
        return result.count()
      })
      .toBe(1)
    await page.context().close()
  })

  test('lets an OAuth client act, which then deploys and is shut out again', async () => {
    const application = createServer((_request, response) => response.end('Back at the application')).listen(
      0,
      '127.0.0.1',
    )
    await once(application, 'listening')
    const redirect = `http://127.0.0.1:${(application.address() as AddressInfo).port}/done`
    const client = await oauth.dynamicClientRegistration(
      new URL(berth.url),
      { client_name: 'An editor', redirect_uris: [redirect], token_endpoint_auth_method: 'none' },
      undefined,
      { algorithm: 'oauth2', execute: [oauth.allowInsecureRequests] },
    )
    const [verifier, state] = [oauth.randomPKCECodeVerifier(), oauth.randomState()]
    const url = oauth.buildAuthorizationUrl(client, {
      redirect_uri: redirect,
      scope: 'svc:read svc:write:deploy',
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const { page, complaints } = await openPage(browser)
    await page.goto(url.href)
    await fillToken(page, berth.adminToken)
    await page.getByRole('heading', { name: 'Let “An editor” act for you?' }).waitFor()
    expect(await page.locator('main').textContent()).toContain('Deploy, start, stop and roll back environments')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('Back at the application').waitFor()
    const checks = { pkceCodeVerifier: verifier, expectedState: state }
    const tokens = await oauth.authorizationCodeGrant(client, new URL(page.url()), checks)
    expect(tokens.scope).toBe('svc:read svc:write:deploy')
    expect(complaints).toEqual([])
    const token = `Bearer ${tokens.access_token}`
    const reads = () => berth.call('GET', '/apps', { token })
    expect((await reads()).status).toBe(200)
    const { appId } = await berth.createApp()
    expect((await berth.call('DELETE', '/app', { token, query: { appId } })).status).toBe(403)
    await oauth.tokenRevocation(client, tokens.access_token)
    expect((await reads()).status).toBe(401)
    application.closeAllConnections()
    application.close()
    await page.context().close()
  })
})

async function newUser(): Promise<{ email: string; token: string }> {
  const accountId = await berth.accountId()
  const email = `person-${Date.now()}-${Math.random().toString(36).slice(2)}@example.com`
  const { userId } = await berth.post('/account/member', { accountId, email, roles: ['TECHNICAL'] })
  const { token } = await berth.post('/token', { kind: 'USER', name: 'First', userId })
  return { email, token }
}

/** Signing in leads to the console, which says whose it is; how one signs in is a page of its own. */
async function toSecurity(page: Page): Promise<void> {
  await page.waitForURL('**/console**')
  await page.locator('h1').first().waitFor()
  await page.goto(`${origin}/account-security`)
}

async function byToken(page: Page, token: string): Promise<void> {
  await page.goto(`${origin}/sign-in`)
  await fillToken(page, token)
  await toSecurity(page)
}

/** Opens the form if it is folded. */
async function fillToken(page: Page, token: string): Promise<void> {
  const field = page.locator('input[name=token]')
  if (!(await field.isVisible())) await page.click('summary:has-text("With a token")')
  await field.fill(token)
  await page.click('#by-token button')
}
