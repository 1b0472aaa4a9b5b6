import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changeHealthcheck } from '../../../src/services/app-env/setting-commands.ts'
import { setVariables } from '../../../src/services/app-env/variable-commands.ts'
import { addHost } from '../../../src/services/host/host-commands.ts'
import { hasBrowser } from '../../support/browser.ts'
import { expectAccessible } from '../support/accessibility.ts'
import { type ConsoleWorld, createConsoleWorld, expectCalm, IMAGES, NARROW, WIDE } from '../support/console-world.ts'

let world: ConsoleWorld

/** A tenant’s name that would run, turn the line around, and be longer than a column. */
const HOSTILE = `<img src=x onerror="document.title='run'">\u202Eabc${'w'.repeat(40)}`

async function shop(name: string, image: string = IMAGES.shop) {
  const { appEnvId, appId } = await world.appEnv({ app: { name } })
  await world.deployed(appEnvId, image)
  const { cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  return { appEnvId, appId, cliEnvName, path: `/console/envs/${cliEnvName}` }
}

const group = (page: Page, title: string) =>
  page.locator('section', { has: page.getByRole('heading', { name: title, exact: true }) }).last()

describe.skipIf(!hasBrowser('screens of settings'))('settings', () => {
  beforeAll(async () => {
    world = await createConsoleWorld()
  })
  afterAll(() => world?.close())

  test('show each problem at its field', async () => {
    const { path } = await shop('Problems')
    const watched = await world.open(`${path}/settings`)
    const { page } = watched
    const check = group(page, 'Health check')
    await check.getByLabel('Path', { exact: true }).fill('nowhere')
    await check.getByLabel('Port', { exact: true }).fill('70000')
    await check.getByRole('button', { name: 'Save' }).click()
    await check.getByText('must begin with / and hold no spaces').waitFor()
    await check.getByText('must be 1 to 65535').waitFor()
    expect(await check.getByLabel('Path', { exact: true }).getAttribute('aria-invalid')).toBe('true')
    const containers = group(page, 'Containers')
    await containers.getByText('Folders in memory, limits').click()
    await containers.getByLabel('Folders in memory, one a line').fill('relative 64')
    await containers.getByLabel('Seconds until SIGKILL').fill('-1')
    await containers.getByRole('button', { name: 'Save' }).click()
    await containers.getByText('must be an absolute path').waitFor()
    await containers.getByText('must be at least 1').waitFor()
    await page.getByLabel('It follows the load').check()
    await page.getByLabel('At least').fill('9')
    await group(page, 'Number of containers').getByRole('button', { name: 'Save' }).click()
    await page.getByText('must be at most max').waitFor()
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('join the pending changes, and are shown from three sides where somebody else was first', async () => {
    const { appEnvId, path } = await shop('Conflict')
    const watched = await world.open(`${path}/settings`)
    const { page } = watched
    const check = group(page, 'Health check')
    await check.getByLabel('Path', { exact: true }).fill('/mine')
    await page.reload()
    await world.perform(changeHealthcheck, { appEnvId, path: '/theirs' })
    await expect.poll(() => check.getByLabel('Path', { exact: true }).inputValue()).toBe('/mine')
    await check.getByRole('button', { name: 'Save' }).click()
    await check.getByText('Another person has saved these settings meanwhile.').waitFor()
    const row = check.getByRole('row', { name: /path/ })
    for (const side of ['none', '/mine', '/theirs']) await row.getByText(side, { exact: true }).waitFor()
    await check.getByRole('button', { name: 'Go on with yours' }).click()
    await check.getByRole('button', { name: 'Save' }).click()
    await page.getByText('1 change does not run yet.').waitFor()
    expect(await check.getByLabel('Path', { exact: true }).inputValue()).toBe('/mine')
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('that are deleted ask for the name, and say who refers to them', async () => {
    const { cliEnvName, path } = await shop('Deleted')
    const { appEnvId: other } = await shop('Referrer')
    await world.perform(setVariables, {
      appEnvId: other,
      variables: [{ name: 'SHOP_URL', value: `$\{${cliEnvName}.internalUrl}` }],
    })
    const { page } = await world.open(`${path}/settings`)
    await page.getByRole('button', { name: 'Delete the environment…' }).click()
    await page.getByText('SHOP_URL').waitFor()
    expect(await page.getByRole('button', { name: 'Delete it' }).getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('dialog').getByRole('textbox').fill(cliEnvName)
    await page.getByRole('button', { name: 'Delete it' }).click()
    await page.getByRole('heading', { name: 'Environments' }).waitFor()
    await page.context().close()
  })

  test('say what is missing to those who may not change them', async () => {
    const { path } = await shop('Read only')
    const { token } = await world.user({ roles: ['BILLING'] })
    const { page } = await world.open(`${path}/settings`, { token })
    const save = group(page, 'Health check').getByRole('button', { name: 'Save' })
    await save.waitFor()
    expect(await save.getAttribute('title')).toMatch(/Needs the role ADMIN or TECHNICAL/)
    await page.getByRole('link', { name: 'Variables' }).click()
    const add = page.getByRole('button', { name: 'Add', exact: true })
    expect(await add.getAttribute('title')).toMatch(/Needs the role/)
    await page.context().close()
  })

  test.each([
    ['wide, light', { ...WIDE, colorScheme: 'light' }],
    ['narrow, dark', { ...NARROW, colorScheme: 'dark' }],
  ] as const)(
    'and their sister screens are calm, accessible and as wide as the window, with hostile names, %s',
    async (name, options) => {
      const { appEnvId, appId, path } = await shop(`${HOSTILE} ${name}`)
      await world.appEnv({ appId, name: 'staging' })
      await world.perform(setVariables, {
        appEnvId,
        variables: [{ name: 'HOSTILE', value: `${HOSTILE}\n\u001b[31mred` }],
      })
      await world.perform(addHost, { appEnvId, host: `www-${name.replace(/\W+/g, '-')}.example.com` })
      const watched = await world.open(`${path}/settings`, options)
      const { page } = watched
      const screens = [
        [`${path}/settings`, 'Name and protection'],
        [`${path}/variables`, 'Variables: 1'],
        [`${path}/domains`, 'Domains'],
        [`/console/apps/${appId}`, 'What differs'],
      ] as const
      for (const [address, heading] of screens) {
        await page.goto(world.origin + address)
        await page.getByRole('heading', { name: heading, exact: true }).waitFor()
        await expectCalm(watched, world.origin)
        // A phone widens its window to what does not fit, so that nothing scrolls.
        expect(await page.evaluate(() => innerWidth)).toBe(options.viewport.width)
        if (address.endsWith('domains')) {
          await page.getByRole('button', { name: /Records of www-/ }).click()
          await page.getByText('Set the records of one of these ways').waitFor()
        }
        await page.waitForTimeout(300)
        await expectCalm(watched, world.origin)
        await expectAccessible(page)
        expect(await page.title()).not.toBe('run')
      }
      await page.context().close()
    },
  )

  test('of an app show its environments side by side, and promote a version', async () => {
    const { appId, path } = await shop('Promoted', IMAGES.next)
    const { appEnvId } = await world.appEnv({ appId, name: 'live' })
    const { page } = await world.open(`/console/apps/${appId}`)
    await page.getByRole('columnheader', { name: 'production' }).waitFor()
    await page.getByRole('button', { name: 'Promote the version of production' }).click()
    await page.getByRole('button', { name: 'Promote to live' }).click()
    await expect
      .poll(async () => (await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })).currentContentId)
      .not.toBeNull()
    expect(path).toContain('production')
    await page.context().close()
  })
})
