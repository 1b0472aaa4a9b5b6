import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { type ConsoleWorld, createConsoleWorld, expectCalm, IMAGES, NARROW, WIDE } from '../support/console-world.ts'

let world: ConsoleWorld

/** What its container answers. */
const answerOf = async (cliEnvName: string) => {
  const appEnv = await world.database.appEnv.findFirstOrThrow({ where: { cliEnvName } })
  const { address, port } = await world.database.replica.findFirstOrThrow({ where: { appEnvId: appEnv.id } })
  return new Promise<string>((resolve, reject) => {
    request({ host: address, port: port ?? 0 }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve(text)
    })
      .on('error', reject)
      .end()
  })
}

describe.skipIf(!hasBrowser('the story of a first app'))('a first app', () => {
  beforeAll(async () => {
    world = await createConsoleWorld()
  })
  afterAll(() => world?.close())

  test.each([
    ['wide', WIDE],
    ['narrow', NARROW],
  ])('comes from an image by one form of four fields, %s', async (size, options) => {
    const watched = await world.open('/console/accounts/default/new', options)
    const { page } = watched
    await page.getByLabel('Image', { exact: true }).fill(IMAGES.shop)
    // Everything else has a default, or follows from the image.
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('shop')
    const shown = page.locator('form :is(input, select, textarea):visible')
    expect(await shown.count()).toBe(4)
    await page.getByLabel('Name', { exact: true }).fill(`shop ${size}`)
    await page.getByText('Berth has checked it. It is deployed at once.').waitFor()
    const host = `default-shop-${size}-production`
    await page.getByText(host).waitFor()
    await page.getByRole('button', { name: 'Create and deploy' }).click()
    await page.waitForURL(`**/console/envs/${host}`)
    await page.getByText('Serves now').waitFor()
    await page.getByRole('link', { name: new RegExp(host) }).waitFor()
    expect(await answerOf(host)).toBe('1')
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('says at each field what the API says of it, and keeps what was typed', async () => {
    const { page } = await world.open('/console/accounts/default/new?from=image')
    await page.getByLabel('Image', { exact: true }).fill('no image')
    await page.getByLabel('Name', { exact: true }).fill('!!')
    await page.getByText('More settings').click()
    await page.getByLabel('Health check path').fill('healthz')
    await page.getByLabel('Variables').fill('GOOD=1\nBAD')
    await page.getByText('More settings').click()
    await page.getByRole('button', { name: 'Create and deploy' }).click()
    // The grammar of a .env file is the page’s to check: the section opens by itself.
    await page.getByText('Line 2 is no assignment').waitFor()
    await page.getByLabel('Variables').fill('GOOD=1\nGOOD2=2')
    await page.getByRole('button', { name: 'Create and deploy' }).click()
    const problem = (field: string) => page.locator(`[id="problem-${field}"]`).textContent()
    await page.locator('[id="problem-image"]').waitFor()
    expect(await problem('image')).toContain('no spaces')
    expect(await problem('name')).toContain('at least one letter or digit')
    expect(await problem('healthCheckPath')).toContain('must begin with /')
    await page.reload()
    expect(await page.getByLabel('Image', { exact: true }).inputValue()).toBe('no image')
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('!!')
    expect(await world.database.app.count({ where: { name: '!!' } })).toBe(0)
    await page.context().close()
  })

  test('is created once, however often the button is pressed', async () => {
    const { page } = await world.open('/console/accounts/default/new')
    await page.getByLabel('Image', { exact: true }).fill(IMAGES.shop)
    await page.getByLabel('Name', { exact: true }).fill('once')
    await page.getByRole('button', { name: 'Create and deploy' }).dblclick()
    await page.waitForURL('**/console/envs/default-once-production')
    expect(await world.database.app.count({ where: { name: { startsWith: 'once' } } })).toBe(1)
    await page.context().close()
  })

  test('is a job without a port, and a database with the disk of its kind', async () => {
    const { page } = await world.open('/console/accounts/default/new')
    await page.getByText('More settings').click()
    await page.getByLabel('Type').selectOption({ label: 'Job: runs to its end, when started or by schedule' })
    await page.getByLabel('Port').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Database or broker' }).click()
    await page.getByLabel('Kind').selectOption({ label: 'Redis' })
    expect(await page.getByLabel('Disk in MB').inputValue()).toBe('2048')
    await page.getByLabel('Disk in MB').fill('300')
    await page.getByLabel('Name', { exact: true }).fill('cache')
    await page.getByText('Berth has checked it').waitFor()
    await page.context().close()
  })

  test('cannot be created by a member who may only read', async () => {
    const { token } = await world.user({ roles: ['AUDIT'] })
    const { page } = await world.open('/console/accounts/default/new', { token })
    const button = page.getByRole('button', { name: 'Create and deploy' })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    expect(await button.getAttribute('aria-description')).toContain('Needs the role')
    await page.context().close()
  })
})
