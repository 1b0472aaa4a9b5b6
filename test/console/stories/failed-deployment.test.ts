import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import {
  type ConsoleWorld,
  CRASH_CAUSE,
  createConsoleWorld,
  expectCalm,
  IMAGES,
  NARROW,
  WIDE,
} from '../support/console-world.ts'

let world: ConsoleWorld

describe.skipIf(!hasBrowser('the story of a failed deployment'))('a deployment that failed', () => {
  beforeAll(async () => {
    world = await createConsoleWorld()
  })
  afterAll(() => world?.close())

  test.each([
    ['wide', WIDE],
    ['narrow', NARROW],
  ])('leads to its cause and its last lines in two clicks, %s', async (_name, size) => {
    const { appEnvId } = await world.appEnv({ app: { name: `Shop ${_name}` } })
    expect(await world.deployed(appEnvId)).toMatchObject({ status: 'SUCCEEDED' })
    expect(await world.deployed(appEnvId, IMAGES.crash)).toMatchObject({ status: 'FAILED' })
    const watched = await world.open('/console', size)
    const { page } = watched
    const row = page
      .getByRole('region', { name: /Needs attention/ })
      .or(page.locator('section', { hasText: 'Needs attention' }))
    // The cause is on the overview already.
    await row.getByText('Version 2 failed, version 1 serves').first().waitFor()
    await row.getByRole('link', { name: new RegExp(`Shop ${_name}`) }).click()
    await page.getByText('Version 1 serves: nothing was taken away from it.').waitFor()
    await page.getByText(CRASH_CAUSE).first().waitFor()
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('is shown while it happens: each step, without a reload', async () => {
    const { appEnvId } = await world.appEnv({ app: { name: 'Live' } })
    const watched = await world.open('/console')
    const { page } = watched
    await page.getByRole('row', { name: /Live/ }).getByText('Not deployed yet').waitFor()
    await world.deployed(appEnvId)
    await page.getByRole('row', { name: /Live/ }).getByText('Running').waitFor()
    await expectCalm(watched, world.origin)
    await page.context().close()
  })
})

describe.skipIf(!hasBrowser('the story of a rollback'))('a rollback', () => {
  let story: ConsoleWorld
  beforeAll(async () => {
    story = await createConsoleWorld()
  })
  afterAll(() => story?.close())

  test('says what it changes and happens in three clicks', async () => {
    const { appEnvId } = await story.appEnv({ app: { name: 'Shop' } })
    await story.deployed(appEnvId, IMAGES.shop)
    await story.deployed(appEnvId, IMAGES.next)
    const { cliEnvName } = await story.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
    const watched = await story.open(`/console/envs/${cliEnvName}`)
    const { page } = watched
    await page.getByRole('button', { name: 'Roll back…' }).click()
    await page.getByText('Version 2, now').waitFor()
    await page.getByRole('cell', { name: IMAGES.next }).waitFor()
    await page.getByRole('cell', { name: IMAGES.shop }).waitFor()
    await page.getByRole('button', { name: 'Roll back to version 1' }).click()
    await page.getByText('Serves now').waitFor()
    await page.getByRole('link', { name: 'Version 3' }).waitFor()
    await page.locator('li', { hasText: 'Version 3' }).getByText('Serves now').waitFor()
    await expectCalm(watched, story.origin)
    await page.context().close()
  })
})
