import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGraphQLWorld, type GraphQLWorld } from '../support/graphql-world.ts'

const CHROMIUM = process.env.BERTH_TEST_CHROMIUM ?? '/usr/bin/chromium'
const isThere = existsSync(CHROMIUM)
if (!isThere)
  process.stdout.write(`Skipped: GraphiQL in a browser, because there is no ${CHROMIUM} (apt-get install chromium)\n`)

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
]

let world: GraphQLWorld
let browser: Browser
let page: Page
const asked: string[] = []
const complaints: string[] = []

describe.skipIf(!isThere)('GraphiQL in a browser that can reach only this server', () => {
  beforeAll(async () => {
    world = await createGraphQLWorld()
    browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS })
    page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
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
    await expect.poll(answer, { timeout: 10_000 }).toContain('"email": "admin@localhost"')
  })

  test('runs a mutation', async () => {
    await run(
      `mutation { createApp(input: { accountId: "${world.accountId}", name: "From the page", port: 80 }) { app { name } } }`,
    )
    await expect.poll(answer, { timeout: 10_000 }).toContain('"name": "From the page"')
  })

  test('follows a subscription while events arrive', async () => {
    const { appEnvId } = await world.appEnv()
    await run(`subscription { appEnvStatusChanged(appEnvId: "${appEnvId}") { status event { type } } }`)
    await expect.poll(answer, { timeout: 10_000 }).toContain('"status": "PENDING"')
    await world.deploy(appEnvId)
    await expect.poll(answer, { timeout: 10_000 }).toContain('"status": "RUNNING"')
    if (process.env.BERTH_TEST_SCREENSHOT) await page.screenshot({ path: process.env.BERTH_TEST_SCREENSHOT })
  })

  test('sent requests to this server only, and its own policy refused none of them', () => {
    const outside = asked.filter((url) => !url.startsWith(new URL(world.url).origin) && !/^(blob|data):/.test(url))
    expect(outside).toEqual([])
    expect(complaints).toEqual([])
  })
})

/** Types into one of the page's editors, as a person would. */
async function write(editor: string, text: string): Promise<void> {
  await page.locator(editor).first().click()
  await page.keyboard.press('Control+A')
  await page.keyboard.press('Delete')
  // At once, because the editor closes brackets that are typed.
  await page.keyboard.insertText(text)
  // The editor reports the typed text after a pause.
  await page.waitForTimeout(1_000)
}

async function run(document: string): Promise<void> {
  const stop = page.getByRole('button', { name: /stop/i })
  if (await stop.isVisible()) await stop.click()
  await write('.graphiql-query-editor .monaco-editor', document)
  await page.locator('.graphiql-execute-button').click()
}

/** The answer that the page shows, with its non-breaking spaces replaced. */
const answer = async () =>
  ((await page.locator('.result-window .view-lines').textContent()) ?? '').replaceAll('\u00a0', ' ')
