import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { generateCode } from '../../../scripts/setup/generated-code.mjs'
import type { RecordScaling } from '../../../src/domain/autoscaling.ts'
import { autoscaleAppEnv } from '../../../src/services/lifecycle/autoscale-app-env.ts'
import { deployImage } from '../../../src/services/lifecycle/deploy-image.ts'
import { advanceInstallations } from '../../../src/services/solution/advance-installations.ts'
import { createWorker } from '../../../src/worker/worker.ts'
import { openBrowser, openPage, type WatchedPage } from '../../support/browser.ts'
import { createTestDatabase } from '../../support/database.ts'
import { createGraphQLWorld } from '../../support/graphql-world.ts'
import { createImage, EMPTY_CONFIG } from '../../support/memory-engine/images.ts'
import { memoryEngine } from '../../support/memory-engine/memory-engine.ts'
import { MemoryMachine } from '../../support/memory-engine/memory-machine.ts'
import type { Program } from '../../support/memory-engine/program.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** A phone, and the screen of a desk. */
export const NARROW = { viewport: { width: 375, height: 800 }, hasTouch: true, isMobile: true } as const
export const WIDE = { viewport: { width: 1280, height: 900 } } as const

/** Answers with its version, and says that it does. */
const shop: Program = (process) => {
  process.print(`Listening, version ${process.environment.BERTH_VERSION}`)
  process.serve((_request, response) => response.end(process.environment.BERTH_VERSION))
}

const CAUSE = 'Error: connect ECONNREFUSED db:5432'

const SOON_MS = 150

/** Ends soon, and says why. */
const crash: Program = (process) => {
  process.print('Connecting to the database')
  process.print(CAUSE, 'stderr')
  const timer = setTimeout(() => process.exit(1), SOON_MS)
  process.signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
}

export const IMAGES = { shop: 'shop:1', next: 'shop:2', crash: 'crash:1' } as const
export const CRASH_CAUSE = CAUSE

const SETTINGS = {
  BERTH_DRAIN_SECONDS: '0',
  BERTH_RECONCILE_SECONDS: '1',
  BERTH_READY_AFTER_SECONDS: '0',
  // Containers that end are started again with pauses, until it is over.
  BERTH_READY_TIMEOUT_SECONDS: '4',
}

export type ConsoleWorld = Awaited<ReturnType<typeof createConsoleWorld>>

interface Options {
  /** Programs of further images, by the image’s name. */
  images?: Readonly<Record<string, Program>>
  settings?: Record<string, string>
}

/** The console in a browser, on the real API and database, with a worker whose engine is in memory. */
export async function createConsoleWorld({ images = {}, settings = {} }: Options = {}) {
  // Tests that are run by themselves see the console as its source is.
  await generateCode(ROOT, process.execPath)
  const machine = new MemoryMachine()
  const all = { [IMAGES.shop]: shop, [IMAGES.next]: shop, [IMAGES.crash]: crash, ...images }
  for (const [name, program] of Object.entries(all)) {
    // Its name makes it an image of its own: an id is derived from the configuration, and not from functions.
    const config = { ...EMPTY_CONFIG, command: ['program'], labels: { name } }
    machine.images.add(createImage({ programs: { program }, config }), name)
  }
  const held = await createTestDatabase({ poolSize: 20 })
  const world = await createGraphQLWorld({ held, settings: { ...SETTINGS, ...settings } })
  const { id: installationId } = await world.database.installation.findFirstOrThrow()
  const { database, vault, config, log } = world
  const recordScaling: RecordScaling = (change) => autoscaleAppEnv({ database, config, vault }, change)
  const worker = createWorker({
    database,
    databaseUrl: held.url,
    vault,
    config,
    log,
    recordScaling,
    beginDueBackups: async () => {},
    beginDueJobRuns: async () => null,
    advanceInstallations: () => advanceInstallations(world),
    deleteExpiredAppEnvs: async () => {},
    ...memoryEngine(machine, { installationId }),
  })
  worker.start()
  const browser = await openBrowser()
  // Cookies belong to a name, and passkeys to localhost.
  const origin = `http://localhost:${new URL(world.url).port}`
  return {
    ...world,
    machine,
    origin,
    browser,
    /** Deploys, and waits for the end; returns the operation, with its status. */
    async deployed(appEnvId: string, image: string = IMAGES.shop) {
      const { operationId } = await world.perform(deployImage, { appEnvId, image })
      const where = { id: operationId ?? '' }
      await expect
        .poll(async () => (await database.operation.findUniqueOrThrow({ where })).status)
        .toMatch(/SUCCEEDED|FAILED|CANCELLED/)
      return database.operation.findUniqueOrThrow({ where })
    },
    /** A page of a signed-in person; the admin unless `token` is another’s. */
    open: (path: string, { token = world.adminToken, ...options }: OpenOptions = {}) =>
      openConsole(browser, origin, path, token, options),
    async close() {
      await browser.close()
      await worker.stop()
      for (const container of machine.containers.values()) await container.stop(0)
      await world.close()
    },
  }
}

interface OpenOptions extends BrowserContextOptions {
  token?: string
}

/** Signs in, and opens a page of the console. */
export async function openConsole(
  browser: Browser,
  origin: string,
  path: string,
  token: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const watched = await openPage(browser, { ...WIDE, ...options })
  const { page } = watched
  // A bound on a hang, not a measure.
  page.setDefaultTimeout(60_000)
  await page.goto(`${origin}/sign-in`)
  await signIn(page, token)
  await page.goto(origin + path)
  await page.locator('h1').first().waitFor()
  return watched
}

export async function signIn(page: Page, token: string): Promise<void> {
  const status = await page.evaluate(async (secret) => {
    const body = JSON.stringify({ token: secret })
    const headers = { 'content-type': 'application/json' }
    return (await fetch('/sign-in/token', { method: 'POST', headers, body })).status
  }, token)
  if (status !== 200) throw new Error(`Signing in was answered with ${status}`)
}

/** Chromium drops requests when a container’s interface appears on this machine. The console sends them again. */
const OF_THE_MACHINE = /ERR_NETWORK_CHANGED/

/** Nothing was asked of another host, nothing written to the browser’s console, and nothing scrolls sideways. */
export async function expectCalm({ page, complaints, outside }: WatchedPage, origin: string): Promise<void> {
  expect(complaints.filter((complaint) => !OF_THE_MACHINE.test(complaint))).toEqual([])
  expect(outside(origin)).toEqual([])
  const [width = 0, shown = 0] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
  expect(width).toBeLessThanOrEqual(shown)
}
