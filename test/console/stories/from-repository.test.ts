import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { type GitServer, startGitServer } from '../../support/git-server.ts'
import { type ConsoleWorld, createConsoleWorld, expectCalm, IMAGES } from '../support/console-world.ts'

/** A bound on a hang, not a measure: the reader of sources is a process of its own, which starts with the first build. */
const HANG_MS = 180_000

let world: ConsoleWorld
let git: GitServer

describe.skipIf(!hasBrowser('the story of a repository'))('an app of a repository', () => {
  beforeAll(async () => {
    git = await startGitServer()
    world = await createConsoleWorld({ settings: { BERTH_GIT_PRIVATE_HOSTS: 'true' } })
  })
  afterAll(async () => {
    await world?.close()
    await git?.close()
  })

  test('has its branch, its preset and its port from the source, and is built and deployed', async () => {
    git.commit('shop', { Dockerfile: `FROM ${IMAGES.shop}\nEXPOSE 4321\n`, 'compose.yaml': 'services: {}\n' }, 'trunk')
    const watched = await world.open('/console/accounts/default/new?from=git')
    const { page } = watched
    await page.getByLabel('Repository').fill(`${git.url}/shop.git`)
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('shop')
    await expect.poll(() => page.getByLabel('Branch').inputValue(), { timeout: HANG_MS }).toBe('trunk')
    await page.getByRole('button', { name: 'Fill in preset and port from it' }).click()
    await page.getByText('It has a Dockerfile: Dockerfile.').waitFor({ timeout: HANG_MS })
    expect(await page.getByLabel('Port').inputValue()).toBe('4321')
    await page.getByRole('link', { name: 'install that instead' }).waitFor()
    await page.getByText('Berth has checked it. It is built and deployed at once.').waitFor()
    await page.getByRole('button', { name: 'Create, build and deploy' }).click()
    await page.waitForURL('**/console/envs/default-shop-production')
    await page.getByText('Serves now').waitFor({ timeout: HANG_MS })
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('that cannot be reached can be named all the same, and says why its branches are not listed', async () => {
    const { page } = await world.open('/console/accounts/default/new?from=git')
    await page.getByLabel('Repository').fill(`${git.url}/nothing.git`)
    await page.getByText('Its branches cannot be listed').waitFor()
    await page.getByLabel('Branch').fill('main')
    await page.getByText('Berth has checked it').waitFor()
    await page.context().close()
  })
})
