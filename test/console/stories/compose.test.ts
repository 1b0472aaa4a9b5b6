import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { type ConsoleWorld, createConsoleWorld, expectCalm, IMAGES, NARROW, WIDE } from '../support/console-world.ts'

const FILE = `services:
  web:
    image: ${IMAGES.shop}
    ports: ["8080:80"]
    privileged: true
    environment:
      GREETING: \${GREETING}
    depends_on: [worker]
  worker:
    image: ${IMAGES.next}
`

let world: ConsoleWorld

describe.skipIf(!hasBrowser('the story of a compose file'))('a compose file', () => {
  beforeAll(async () => {
    world = await createConsoleWorld()
  })
  afterAll(() => world?.close())

  test.each([
    ['wide', WIDE],
    ['narrow', NARROW],
  ])('is refused by its places, then shows its plan and is installed, %s', async (size, options) => {
    const watched = await world.open('/console/accounts/default/compose', options)
    const { page } = watched
    await page.getByLabel('Name', { exact: true }).fill(`shop ${size}`)
    const text = page.getByLabel('Compose file', { exact: true })
    await text.fill(FILE)
    await page.getByText('Refused: 2').waitFor()
    await page.getByText('services.web.privileged').waitFor()
    await page.getByText('variables.GREETING').waitFor()
    // Leads to its line.
    await page.getByRole('button', { name: 'Line 5' }).click()
    const selected = await text.evaluate((field: HTMLTextAreaElement) =>
      field.value.slice(field.selectionStart, field.selectionEnd),
    )
    expect(selected).toBe('    privileged: true')
    await text.fill(FILE.replace('    privileged: true\n', ''))
    await page.getByLabel('Its variables').fill('GREETING=hello')
    await page.getByText('Berth has checked it: all of it can be installed.').waitFor()
    const plan = page.locator('section', { hasText: 'What will be installed' })
    await plan.getByText(`default-shop-${size}-production`).waitFor()
    expect(await plan.getByText('After worker').count()).toBe(1)
    expect(await world.database.solutionInstallation.count({ where: { appName: `shop ${size}` } })).toBe(0)
    await page.getByRole('button', { name: 'Install it' }).click()
    await page.waitForURL('**/installations/inst_*')
    await page.getByText('Installed', { exact: true }).first().waitFor()
    const apps = page.locator('section', { hasText: 'Its apps' })
    for (const at of [0, 1]) await apps.getByText('Ready', { exact: true }).nth(at).waitFor()
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('that failed goes on with the same file', async () => {
    const failing = `services:\n  web:\n    image: ${IMAGES.crash}\n    ports: ["80:80"]\n`
    const { page } = await world.open('/console/accounts/default/compose')
    await page.getByLabel('Name', { exact: true }).fill('failing')
    await page.getByLabel('Compose file', { exact: true }).fill(failing)
    await page.getByRole('button', { name: 'Install it' }).click()
    await page.getByText('Incomplete').first().waitFor()
    await page.getByRole('link', { name: 'Go on with it…' }).click()
    expect(await page.getByLabel('Compose file', { exact: true }).inputValue()).toBe(failing)
    await page.getByRole('button', { name: 'Go on with the installation' }).click()
    await page.getByText('Installing').first().waitFor()
    await page.getByText('Incomplete').first().waitFor()
    await page.context().close()
  })

  test('that is installed is removed by its name', async () => {
    const { page } = await world.open('/console/accounts/default/solutions')
    await page.getByRole('link', { name: /shop wide/ }).click()
    await page.getByRole('button', { name: 'Remove…' }).click()
    const remove = page.getByRole('button', { name: 'Remove all of it' })
    expect(await remove.getAttribute('aria-disabled')).toBe('true')
    await page.getByLabel(/To go on, type/).fill('shop wide')
    await remove.click()
    await page.waitForURL('**/solutions')
    await page.getByRole('link', { name: /shop wide/ }).waitFor({ state: 'detached' })
    await page.context().close()
  })
})

describe.skipIf(!hasBrowser('the story of a solution'))('a solution', () => {
  let story: ConsoleWorld
  beforeAll(async () => {
    story = await createConsoleWorld()
  })
  afterAll(() => story?.close())

  test('is found, asks for its inputs, and shows its plan before it is installed', async () => {
    const watched = await story.open('/console/accounts/default/solutions')
    const { page } = watched
    await page.getByLabel('What a solution is called or does').fill('headless')
    await page.getByRole('link', { name: /Directus/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Directus' }).waitFor()
    await page.getByText('What it consists of').waitFor()
    await page.getByLabel('Email address of the first administrator').fill('not-an-address')
    await page.getByLabel('Password of the first administrator').fill('correct horse battery')
    await page.getByText('must be an email address').waitFor()
    await page.getByRole('button', { name: 'Install Directus' }).click()
    expect(await page.locator('[id="problem-inputs.adminEmail"]').textContent()).toContain('must be an email address')
    await page.getByLabel('Email address of the first administrator').fill('admin@example.com')
    await page.getByText('Berth has checked it.').waitFor()
    await page.getByText('default-directus-production').waitFor()
    // A password is in no draft.
    await page.reload()
    expect(await page.getByLabel('Email address of the first administrator').inputValue()).toBe('admin@example.com')
    expect(await page.getByLabel('Password of the first administrator').inputValue()).toBe('')
    expect(await story.database.solutionInstallation.count()).toBe(0)
    await expectCalm(watched, story.origin)
    await page.context().close()
  })
})
