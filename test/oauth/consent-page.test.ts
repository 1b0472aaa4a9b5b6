import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as oauth from 'openid-client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openBrowser, openPage } from '../support/browser.ts'
import { ask, listenTo, registerClient } from '../support/oauth.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let api: Awaited<ReturnType<typeof listenTo>>
let application: Server
let browser: Browser

describe.skipIf(!hasBrowser('consent'))('a person in a browser', () => {
  beforeAll(async () => {
    world = await createWorld()
    api = await listenTo(world)
    application = createServer((_request, response) => response.end('Back at the application')).listen(0, '127.0.0.1')
    await once(application, 'listening')
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    application?.close()
    await api?.close()
    await world?.close()
  })

  test('signs in, sees who asks for what, agrees, and is back at the application', async () => {
    const { port } = application.address() as AddressInfo
    const redirect = `http://127.0.0.1:${port}/done`
    const client = await registerClient(api.address, { redirect_uris: [redirect] })
    const { url, verifier, state } = await ask(client, { redirect_uri: redirect })
    const { page, complaints } = await openPage(browser)
    await page.goto(url.href)
    await page.fill('input[name=token]', world.adminToken)
    await page.click('#by-token button')
    await page.getByRole('heading', { name: 'Let “Deploy from the editor” act for you?' }).waitFor()
    expect(await page.locator('main').textContent()).toContain('Deploy, start, stop and roll back environments')
    if (process.env.BERTH_TEST_SCREENSHOT) await page.screenshot({ path: process.env.BERTH_TEST_SCREENSHOT })
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('Back at the application').waitFor()
    const checks = { pkceCodeVerifier: verifier, expectedState: state }
    const tokens = await oauth.authorizationCodeGrant(client, new URL(page.url()), checks)
    expect(tokens.scope).toBe('svc:read svc:write:deploy')
    expect(complaints).toEqual([])
  })
})
