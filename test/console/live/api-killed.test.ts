import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { restApi } from '../../../scripts/demo/api.ts'
import { generateCode } from '../../../scripts/setup/generated-code.mjs'
import { type ApiProcess, createFleet } from '../../support/api-process.ts'
import { hasBrowser, openBrowser } from '../../support/browser.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { freePort } from '../../support/free-ports.ts'
import { openConsole } from '../support/console-world.ts'

let held: TestDatabase
let browser: Browser
let fleet: ReturnType<typeof createFleet>
let api: ApiProcess
let origin: string

describe.skipIf(!hasBrowser('the console while its API is killed'))('a page whose API process is killed', () => {
  beforeAll(async () => {
    await generateCode(join(import.meta.dirname, '../../..'), process.execPath)
    held = await createTestDatabase()
    fleet = createFleet({ databaseUrl: held.url, settings: { PORT: `${await freePort()}` } })
    api = await fleet.start()
    origin = api.url.replace('127.0.0.1', 'localhost')
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await fleet?.stop()
    await held?.drop()
  })

  const call = () => restApi(api.url, api.token)
  const accountId = async () =>
    (await call().get<{ accounts: { accountId: string }[] }>('/accounts')).accounts[0]?.accountId ?? ''

  test('says so, keeps what was typed, and shows what happened meanwhile', async () => {
    const created = await create('Before')
    const { page } = await openConsole(browser, origin, `/console/envs/${created.cliEnvName}/settings`, api.token)
    await page.getByText('Live', { exact: true }).waitFor()
    const field = page.locator('main input:not([type=checkbox]):not([type=radio]):not([readonly])').first()
    await field.fill('3')
    await api.end('SIGKILL')
    await page.getByText(/Not live since \d\d:\d\d:\d\d/).waitFor()
    expect(await field.inputValue()).toBe('3')
    api = await fleet.start()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText(/Not live since/).waitFor({ state: 'detached' })
    expect(await field.inputValue()).toBe('3')
    await page.context().close()
  })

  test('reads on from where it was', async () => {
    const { page } = await openConsole(browser, origin, '/console', api.token)
    await page.getByText('Live', { exact: true }).waitFor()
    await api.end('SIGKILL')
    await page
      .getByText(/Not live/)
      .first()
      .waitFor()
    api = await fleet.start()
    await create('Meanwhile')
    await page.getByRole('row', { name: /Meanwhile/ }).waitFor()
    await page.context().close()
  })

  test('keeps what was typed over a session that ended, and signing in again', async () => {
    const { page } = await openConsole(browser, origin, '/console/accounts/default/new', api.token)
    await page.getByLabel('Name', { exact: true }).fill('half-typed')
    await endSession(page)
    await page.getByRole('dialog', { name: 'You are signed out' }).waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.waitForURL(/\/sign-in\?next=/)
    if (await page.locator('#by-token').isHidden()) await page.click('summary:has-text("With a token")')
    await page.fill('#by-token [name=token]', api.token)
    await page.click('#by-token button')
    await page.waitForURL(/\/console\/accounts\/default\/new/)
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('half-typed')
    await page.context().close()
  })

  async function create(name: string) {
    const account = { accountId: await accountId() }
    const app = { ...account, name, port: 80, useImage: true, image: 'nginx:1' }
    const { appId } = (await call().post<{ appId: string }>('/app', app)).body
    const environment = { ...account, appId, name: 'production', region: 'local' }
    const { appEnvId } = (await call().post<{ appEnvId: string }>('/app-env', environment)).body
    return call().get<{ cliEnvName: string }>(`/app-env?appEnvId=${appEnvId}`)
  }
})

/** As the person does on another page of the browser: at the account’s security, or by signing out. */
async function endSession(page: Page): Promise<void> {
  const other = await page.context().newPage()
  await other.goto(`${origin}/account-security`)
  await other.waitForLoadState('load')
  await other.click('#sign-out')
  await other.waitForURL('**/sign-in')
  await other.close()
}
