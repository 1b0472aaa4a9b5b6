import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import type { Process } from '../../support/memory-engine/program.ts'
import { type ConsoleWorld, createConsoleWorld, expectCalm, NARROW, WIDE } from '../support/console-world.ts'

const IMAGE = 'writer:1'
const WANTED = 'req_8f3a1c'
const WANTED_NUMBERS = [40, 90, 140]
const FIRST_LINES = 200

/** The container that runs now: it writes what a test asks it to. */
let writer: Process | null = null

/** Begins with lines of many requests, one of which is wanted. */
const program = (process: Process) => {
  writer = process
  for (let number = 1; number <= FIRST_LINES; number++) {
    const requestId = WANTED_NUMBERS.includes(number) ? WANTED : `req_${number}`
    process.print(JSON.stringify({ level: 'info', msg: `Step ${number}`, requestId }))
  }
  process.serve((_request, response) => response.end('ok'))
}

const lines = (page: Page) => page.getByRole('log', { name: 'Lines' })
const rows = (page: Page) => lines(page).locator('[data-key]')
/** What is seen of the lines, from the top to the bottom. */
const seen = (page: Page) =>
  lines(page).evaluate((list) => {
    const { top, bottom } = list.getBoundingClientRect()
    return [...list.querySelectorAll('[data-key]')]
      .filter((row) => row.getBoundingClientRect().bottom > top && row.getBoundingClientRect().top < bottom)
      .map((row) => /Step (\d+)/.exec(row.textContent ?? '')?.[1] ?? row.textContent ?? '')
  })

describe.skipIf(!hasBrowser('the story of a log'))('a log', () => {
  let world: ConsoleWorld
  let begun: Promise<string> | undefined

  /** Deploys the writer once; resolves to the address of its log. */
  const written = () => {
    begun ??= (async () => {
      const { appEnvId } = await world.appEnv({ app: { name: 'Writer' } })
      expect(await world.deployed(appEnvId, IMAGE)).toMatchObject({ status: 'SUCCEEDED' })
      const { cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
      await expect.poll(() => world.database.logLine.count()).toBeGreaterThanOrEqual(FIRST_LINES)
      return `/console/envs/${cliEnvName}/logs`
    })()
    return begun
  }

  beforeAll(async () => {
    world = await createConsoleWorld({ images: { [IMAGE]: program } })
  })
  afterAll(() => world?.close())

  test.each([
    ['wide', WIDE],
    ['narrow', NARROW],
  ])('is searched for a request, whose surroundings a colleague sees by the link, %s', async (_name, size) => {
    const watched = await world.open(await written(), { ...size, permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = watched
    await page.getByRole('searchbox', { name: 'Search the log' }).fill(WANTED)
    await expect.poll(() => rows(page).count()).toBe(WANTED_NUMBERS.length)
    expect(await lines(page).locator('mark').allTextContents()).toEqual(WANTED_NUMBERS.map(() => WANTED))
    await rows(page).filter({ hasText: 'Step 90' }).click()
    await page.getByRole('button', { name: 'Show around' }).click()
    const around = Array.from({ length: 5 }, (_, index) => String(88 + index))
    await expect.poll(() => seen(page)).toEqual(expect.arrayContaining(around))
    await expect.poll(() => rows(page).filter({ hasText: 'Step 80' }).count()).toBe(1)
    await expect
      .poll(() =>
        rows(page)
          .filter({ hasText: /Step 100\b/ })
          .count(),
      )
      .toBe(1)
    await page.getByRole('button', { name: 'Copy link' }).click()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    await expectCalm(watched, world.origin)
    await page.context().close()

    const colleague = await world.open(new URL(link).pathname + new URL(link).search, size)
    await expect.poll(() => seen(colleague.page)).toEqual(expect.arrayContaining(around))
    expect(await colleague.page.locator('[data-selected]').allTextContents()).toEqual([
      expect.stringContaining('Step 90'),
    ])
    await expectCalm(colleague, world.origin)
    await colleague.page.context().close()
  })

  test('follows its end until one scrolls up, and moves nothing that is read', async () => {
    const watched = await world.open(await written())
    const { page } = watched
    await expect.poll(async () => (await seen(page)).at(-1)).toBe(String(FIRST_LINES))
    writer?.print('Step 1001')
    await expect.poll(async () => (await seen(page)).at(-1)).toBe('1001')
    await lines(page).hover()
    await page.mouse.wheel(0, -600)
    await page.getByRole('button', { name: 'Follow', pressed: false }).waitFor()
    const placeOf = (key: string | null) =>
      lines(page).evaluate((list, id) => list.querySelector(`[data-key="${id}"]`)?.getBoundingClientRect().top, key)
    const [middle] = (await seen(page)).slice(10)
    const key = await rows(page)
      .filter({ hasText: new RegExp(`Step ${middle}\\b`) })
      .getAttribute('data-key')
    const place = await placeOf(key)
    for (let number = 1002; number <= 1021; number++) writer?.print(`Step ${number}`)
    await page.getByRole('button', { name: '20 new lines' }).waitFor()
    expect(await placeOf(key)).toBe(place)
    await page.getByRole('button', { name: '20 new lines' }).click()
    await expect.poll(async () => (await seen(page)).at(-1)).toBe('1021')
    await page.getByRole('button', { name: 'Follow', pressed: true }).waitFor()
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('runs nothing of what is written, and shows its signs', async () => {
    const watched = await world.open(await written())
    const { page } = watched
    await expect.poll(() => rows(page).count()).toBeGreaterThan(10)
    const title = await page.title()
    writer?.print('\u001b]0;owned\u0007after the title')
    writer?.print('\u001b]8;;javascript:alert(1)\u0007click\u001b]8;;\u0007 here')
    writer?.print('<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>')
    writer?.print('\u001b[2J\u001b[Hover\bwritten \u202egnp.exe')
    writer?.print('\u001b[31mred\u001b[0m')
    writer?.print(`long ${'x'.repeat(100_000)} end`)
    writer?.print('The last one')
    await rows(page).filter({ hasText: 'The last one' }).waitFor()
    await expect
      .poll(() =>
        lines(page)
          .getByRole('button', { name: /Show the rest \(\d+ KB\)/ })
          .count(),
      )
      .toBe(1)
    await page.getByRole('searchbox').fill('click')
    await expect.poll(() => rows(page).count()).toBe(1)
    await rows(page).filter({ hasText: 'click here' }).click()
    await page.getByRole('button', { name: 'Show around' }).click()
    await rows(page).filter({ hasText: 'after the title' }).waitFor()
    await rows(page).filter({ hasText: 'over␈written ⟨202E⟩gnp.exe' }).waitFor()
    expect(await lines(page).locator('a, img, script').count()).toBe(0)
    expect(await page.title()).toBe(title)
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('is read by keys alone, and its own search comes before the browser’s', async () => {
    const watched = await world.open(await written())
    const { page } = watched
    await expect.poll(() => rows(page).count()).toBeGreaterThan(10)
    const search = page.getByRole('searchbox', { name: 'Search the log' })
    const isSearch = () => search.evaluate((field) => field === document.activeElement)
    await page.keyboard.press('ControlOrMeta+f')
    expect(await isSearch()).toBe(true)
    const isTheBrowsers = page.evaluate(
      () =>
        new Promise((done) => addEventListener('keydown', (event) => setTimeout(() => done(!event.defaultPrevented)))),
    )
    await page.keyboard.press('ControlOrMeta+f')
    expect(await isTheBrowsers).toBe(true)
    // Slower than the search waits for: its field keeps the focus while the list changes.
    await page.keyboard.type(WANTED, { delay: 120 })
    expect(await isSearch()).toBe(true)
    await expect.poll(() => rows(page).count()).toBe(WANTED_NUMBERS.length)
    await lines(page).focus()
    await page.keyboard.press(']')
    await expect
      .poll(() => page.locator('[data-selected]').allTextContents())
      .toEqual([expect.stringContaining('Step 40')])
    await page.keyboard.press(']')
    await expect
      .poll(() => page.locator('[data-selected]').allTextContents())
      .toEqual([expect.stringContaining('Step 90')])
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('2 lines selected').waitFor()
    await page.keyboard.press('t')
    await expect.poll(() => lines(page).locator('time').count()).toBe(0)
    await page.keyboard.press('t')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('[data-selected]').count()).toBe(0)
    // Who chooses a line follows no longer.
    await page.keyboard.press('f')
    await page.getByRole('button', { name: 'Follow', pressed: true }).waitFor()
    await page.keyboard.press('f')
    await page.getByRole('button', { name: 'Follow', pressed: false }).waitFor()
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('says what hides its lines, and shows them again', async () => {
    const watched = await world.open(`${await written()}?q=never+written&level=ERROR`)
    const { page } = watched
    await page.getByText('Hidden by the text “never written”, the level ERROR and above.').waitFor()
    await page.getByText('All that is kept was searched').waitFor()
    await page.getByRole('button', { name: 'Show all lines' }).click()
    await expect.poll(() => rows(page).count()).toBeGreaterThan(10)
    await expectCalm(watched, world.origin)
    await page.context().close()
  })
})
