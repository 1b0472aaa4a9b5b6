import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openBrowser, openPage, type WatchedPage } from '../../support/browser.ts'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'
import { repetitions } from '../../support/repetitions.ts'

const FOLDER = process.env.BERTH_TEST_SCREENSHOTS

let world: GraphQLWorld
let browser: Browser
let origin: string

/** Each page, what shows that it is complete, and where it is wide. */
const PAGES = [
  { name: 'front', path: '/', shows: 'text=Where to go' },
  { name: 'errors', path: '/docs/errors', shows: 'text=Failed operations' },
  { name: 'docs', path: '/docs', shows: 'text=Authorization' },
  { name: 'operation', path: '/docs#tag/deployments/POST/app-env/deploy-image', shows: 'text="image"' },
] as const

const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 375, height: 812 } } as const

describe.skipIf(!hasBrowser('the front page and the documentation'))(
  'in a browser that reaches this server only',
  () => {
    beforeAll(async () => {
      world = await createGraphQLWorld()
      origin = new URL(world.url).origin
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser?.close()
      await world?.close()
    })

    const looks = [
      { size: 'wide', colorScheme: 'light' },
      { size: 'narrow', colorScheme: 'dark' },
      // The others differ in nothing but colours, and are for pictures.
      ...(FOLDER
        ? ([
            { size: 'wide', colorScheme: 'dark' },
            { size: 'narrow', colorScheme: 'light' },
          ] as const)
        : []),
    ] as const
    const all = PAGES.map((page) => looks.map((look) => ({ ...page, ...look, viewport: SIZES[look.size] })))
    // By turns one look and the other.
    const cases = repetitions(FOLDER ? all.flat() : all.flatMap((one, at) => one[at % 2] ?? []), all.flat())

    test.each(cases)(
      '$name loads whole, $size and $colorScheme',
      async ({ name, path, shows, size, viewport, colorScheme }) => {
        const watched = await openPage(browser, { viewport, colorScheme })
        const { page } = watched
        await page.goto(origin + path)
        await page.locator(shows).first().waitFor()
        await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
        await expectQuiet(watched)
        // Nothing is cut off at the right, and nothing moves sideways.
        expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
          0,
        )
        if (FOLDER) {
          mkdirSync(FOLDER, { recursive: true })
          await page.screenshot({ path: join(FOLDER, `${name}-${size}-${colorScheme}.png`) })
        }
        await page.context().close()
      },
    )
  },
)

async function expectQuiet({ complaints, outside }: WatchedPage): Promise<void> {
  expect(outside(origin)).toEqual([])
  expect(complaints).toEqual([])
}
