import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openBrowser, openPage, type WatchedPage } from '../../support/browser.ts'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'

let world: GraphQLWorld
let browser: Browser
let page: Page
let watched: WatchedPage

describe.skipIf(!hasBrowser('GraphiQL'))('GraphiQL in a browser that can reach only this server', () => {
  beforeAll(async () => {
    world = await createGraphQLWorld()
    browser = await openBrowser()
    watched = await openPage(browser, { viewport: { width: 1400, height: 900 } })
    page = watched.page
    await page.goto(world.url)
    await page.locator('.graphiql-query-editor .monaco-editor').waitFor()
    await write(
      '.graphiql-editor-tool .graphiql-editor:not(.hidden) .monaco-editor',
      JSON.stringify({ Authorization: world.adminToken }),
    )
  })
  afterAll(async () => {
    await browser?.close()
    await world?.close()
  })

  test('runs a query', async () => {
    await run('{ me { email } }')
    await expect.poll(() => answer()).toContain('"email": "admin@localhost"')
  })

  test('runs a mutation', async () => {
    await run(
      `mutation { createApp(input: { accountId: "${world.accountId}", name: "From the page", port: 80 }) { app { name } } }`,
    )
    await expect.poll(() => answer()).toContain('"name": "From the page"')
  })

  test('follows a subscription while events arrive', async () => {
    const { appEnvId } = await world.appEnv()
    await run(`subscription { appEnvStatusChanged(appEnvId: "${appEnvId}") { status event { type } } }`)
    await expect.poll(() => answer()).toContain('"status": "PENDING"')
    await world.deploy(appEnvId)
    await expect.poll(() => answer()).toContain('"status": "RUNNING"')
    if (process.env.BERTH_TEST_SCREENSHOT) await page.screenshot({ path: process.env.BERTH_TEST_SCREENSHOT })
  })

  test('answers a person who is signed in and has typed no token', async () => {
    const other = await page.context().browser()?.newContext()
    const signedIn = await other?.newPage()
    if (!other || !signedIn) throw new Error('The browser has ended')
    const { port } = new URL(world.url)
    await signedIn.goto(`http://localhost:${port}/sign-in`)
    const signIn = `fetch('/sign-in/token', { method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: '${world.adminToken}' }) }).then(({ status }) => status)`
    expect(await signedIn.evaluate(signIn)).toBe(200)
    await signedIn.goto(`http://localhost:${port}/graphql`)
    await signedIn.locator('.graphiql-query-editor .monaco-editor').waitFor()
    const headers = signedIn.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden) .view-lines')
    expect(await headers.textContent()).toContain('Authorization')
    await run('{ me { email } }', signedIn)
    await expect.poll(() => answer(signedIn)).toContain('"email": "admin@localhost"')
    await other.close()
  })

  test('keeps the token for the session of the tab, and nowhere else', async () => {
    await page.reload()
    await page.locator('.graphiql-query-editor .monaco-editor').waitFor()
    await run('{ me { username } }')
    await expect.poll(() => answer()).toContain('"username": "admin"')
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, cookies: document.cookie }))
    expect(stored).not.toContain(world.adminToken)
    const other = await page.context().newPage()
    // Of the same origin, and much lighter than another editor.
    await other.goto(new URL('/docs/errors', world.url).href)
    expect(await other.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(world.adminToken)
    await other.close()
  })

  test('sent requests to this server only, and its own policy refused none of them', () => {
    expect(watched.outside(new URL(world.url).origin)).toEqual([])
    expect(watched.complaints).toEqual([])
  })
})

/** Types into one of the page's editors, as a person would. */
async function write(editor: string, text: string, on = page): Promise<void> {
  await on.locator(editor).first().click()
  await on.keyboard.press('Control+A')
  await on.keyboard.press('Delete')
  // At once, because the editor closes brackets that are typed.
  await on.keyboard.insertText(text)
  // The editor reports the typed text after a pause.
  await on.waitForTimeout(1_000)
}

async function run(document: string, on = page): Promise<void> {
  const stop = on.getByRole('button', { name: /stop/i })
  if (await stop.isVisible()) await stop.click()
  await write('.graphiql-query-editor .monaco-editor', document, on)
  await on.locator('.graphiql-execute-button').click()
}

/** The answer that the page shows, with its non-breaking spaces replaced. */
const answer = async (on = page) =>
  ((await on.locator('.result-window .view-lines').textContent()) ?? '').replaceAll('\u00a0', ' ')
