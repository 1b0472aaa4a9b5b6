import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const CHROMIUM = process.env.BERTH_TEST_CHROMIUM ?? '/usr/bin/chromium'

/** Only this machine can be reached, whatever a page asks for. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

/** Whether there is a browser; prints why tests in one are skipped. */
export function hasBrowser(tests: string): boolean {
  const isThere = existsSync(CHROMIUM)
  if (!isThere)
    process.stdout.write(`Skipped: ${tests} in a browser, because there is no ${CHROMIUM} (apt-get install chromium)\n`)
  return isThere
}

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS })

export interface WatchedPage {
  page: Page
  /** Every address that the page asked for. */
  asked: string[]
  /** What it wrote to the console as an error, and what it threw. */
  complaints: string[]
  /** Addresses of other servers. */
  outside(origin: string): string[]
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const page = await (await browser.newContext(options)).newPage()
  // A bound on a hang, not a measure: GraphiQL and the documentation are megabytes of script.
  page.setDefaultTimeout(60_000)
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  const outside = (origin: string) => asked.filter((url) => !url.startsWith(origin) && !/^(blob|data):/.test(url))
  return { page, asked, complaints, outside }
}
