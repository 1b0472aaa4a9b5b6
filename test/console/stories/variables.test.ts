import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changeVariables, setVariables } from '../../../src/services/app-env/variable-commands.ts'
import { hasBrowser } from '../../support/browser.ts'
import { type ConsoleWorld, createConsoleWorld, expectCalm, NARROW, WIDE } from '../support/console-world.ts'

let world: ConsoleWorld

const BEFORE = [
  { name: 'GREETING', value: 'hello' },
  { name: 'OLD_NAME', value: 'gone soon' },
  { name: 'API_KEY', value: 'a secret of before', isSecret: true },
  { name: 'SAME', value: 'stays' },
]

/** Sixty lines, as people have them. */
const FILE = `# Shop
export GREETING="hello again"
SAME=stays
API_KEY='***SECRET***'
DATABASE_PASSWORD=hunter2
TEXT="two
lines"
${Array.from({ length: 53 }, (_, at) => `SETTING_${at}=value ${at}`).join('\n')}
`

async function deployedWith(name: string) {
  const { appEnvId } = await world.appEnv({ app: { name } })
  await world.perform(setVariables, { appEnvId, variables: BEFORE })
  await world.deployed(appEnvId)
  const { cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  return { appEnvId, path: `/console/envs/${cliEnvName}/variables` }
}

const namesOf = async (appEnvId: string) =>
  (await world.database.variable.findMany({ where: { appEnvId }, orderBy: { name: 'asc' } })).map(({ name }) => name)

/** As the keys do it: a paste that no field takes. */
const paste = (page: Page, text: string) =>
  page.evaluate((pasted) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', pasted)
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, text)

const value = (page: Page, name: string) => page.getByLabel(`Value of ${name}`, { exact: true })
const review = (page: Page) => page.getByRole('button', { name: 'Review' })

describe.skipIf(!hasBrowser('the stories of variables'))('the variables of an environment', () => {
  beforeAll(async () => {
    world = await createConsoleWorld()
  })
  afterAll(() => world?.close())

  test.each([
    ['wide', WIDE],
    ['narrow', NARROW],
  ])('take a file of sixty lines, say what changes, and run it, on one screen, %s', async (size, options) => {
    const { appEnvId, path } = await deployedWith(`Paste ${size}`)
    const watched = await world.open(path, options)
    const { page } = watched
    if (size === 'wide') {
      await page.getByRole('rowheader', { name: 'SAME' }).waitFor()
      await paste(page, FILE)
      await page.getByText('The file was merged: 55 added, 1 changed').waitFor()
      await page.getByRole('button', { name: 'Replace all: remove the other 1' }).click()
    } else {
      await page.getByRole('button', { name: 'Paste a file' }).click()
      await page.getByLabel('Text of a .env file').fill(FILE)
      await page.getByText('55 new, 1 changed, 2 as they are. 1 here are not in the file.').waitFor()
      await page.getByRole('button', { name: 'Replace all: remove 1' }).click()
    }
    await review(page).click()
    await page.getByRole('heading', { name: 'Added: 55' }).waitFor()
    await page.getByRole('heading', { name: 'Changed: 1' }).waitFor()
    await page.getByRole('heading', { name: 'Removed: 1' }).waitFor()
    await page.getByText('Untouched: 2').waitFor()
    await page.getByText('Applying this deploys, without an interruption. It needs no build.').waitFor()
    expect(await page.getByText('hunter2').count()).toBe(0)
    await page.getByRole('button', { name: 'Save and apply' }).click()
    await page.getByRole('link', { name: 'Version 2' }).waitFor()
    await page.getByRole('status').getByText('Succeeded').waitFor()
    expect(await namesOf(appEnvId)).toHaveLength(58)
    const secrets = await world.database.variable.findMany({ where: { appEnvId, isSecret: true } })
    expect(secrets.map(({ name }) => name).sort()).toEqual(['API_KEY', 'DATABASE_PASSWORD'])
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('stay as they were typed over a reload, but for secrets, and over a change of screen with them', async () => {
    const { path } = await deployedWith('Draft')
    const watched = await world.open(path)
    const { page } = watched
    await value(page, 'GREETING').fill('typed')
    await page.getByRole('button', { name: 'Replace API_KEY' }).click()
    await value(page, 'API_KEY').fill('typed secret')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Health check' }).waitFor()
    await page.getByRole('link', { name: 'Variables' }).click()
    await expect.poll(() => value(page, 'API_KEY').inputValue()).toBe('typed secret')
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain(
      'typed secret',
    )
    await page.reload()
    await expect.poll(() => value(page, 'GREETING').inputValue()).toBe('typed')
    expect(await value(page, 'API_KEY').inputValue()).toBe('')
    await page.getByText('was not kept, because it is a secret: type it again').waitFor()
    expect(await review(page).getAttribute('aria-disabled')).toBe('true')
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('show the same draft as a table and as text, with comments and what is wrong', async () => {
    const { path } = await deployedWith('Views')
    const { page } = await world.open(path)
    await value(page, 'GREETING').fill('from the table')
    await page.locator('h1').click()
    await page.keyboard.press('e')
    const text = page.getByLabel('Variables, as the text of a file')
    expect(await text.inputValue()).toContain('GREETING=from the table\n')
    expect(await text.inputValue()).toContain('API_KEY=***SECRET***\n')
    await text.fill(`# For the shop\n${await text.inputValue()}SAME=twice\n`)
    await page.getByText('Line 6 SAME stands in line 5 already; keep one of the two').waitFor()
    expect(await review(page).getAttribute('aria-disabled')).toBe('true')
    await text.fill((await text.inputValue()).replace('SAME=twice\n', 'URL=$' + '{UNDEFINED_NAME}\n'))
    await page.getByText(/Line 6: URL refers to \$\{UNDEFINED_NAME\}, which is neither/).waitFor()
    await text.fill((await text.inputValue()).replace('UNDEFINED_NAME', 'GREETING'))
    await page.getByRole('button', { name: 'As a table' }).click()
    expect(await value(page, 'URL').inputValue()).toBe('$' + '{GREETING}')
    await page.getByRole('button', { name: 'As text' }).click()
    expect(await text.inputValue()).toMatch(/^# For the shop\n/)
    await page.context().close()
  })

  test('complete a reference by keyboard', async () => {
    await world.appEnv({ app: { name: 'Other' } })
    const { path } = await deployedWith('References')
    const { page } = await world.open(path)
    const field = value(page, 'GREETING')
    await field.fill('')
    await field.pressSequentially('http://$' + '{other')
    await page.getByRole('option', { name: /other-production/ }).waitFor()
    await field.press('Enter')
    await field.pressSequentially('internal')
    await page.getByRole('option', { name: /internalUrl/ }).waitFor()
    await field.press('Enter')
    expect(await field.inputValue()).toMatch(/^http:\/\/\$\{[\w-]*other-production\.internalUrl\}$/)
    await page.context().close()
  })

  test('that somebody else saved first are shown from three sides, and nothing is lost', async () => {
    const { appEnvId, path } = await deployedWith('Sides')
    const watched = await world.open(path)
    const { page } = watched
    await value(page, 'GREETING').fill('mine')
    const variables = [
      { name: 'GREETING', value: 'theirs' },
      { name: 'NEW_OF_THEIRS', value: '1' },
    ]
    await world.perform(changeVariables, { appEnvId, variables })
    await page.getByText('The variables were changed by another person meanwhile. Yours are kept.').waitFor()
    expect(await value(page, 'GREETING').inputValue()).toBe('mine')
    await review(page).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const row = page.getByRole('row', { name: /GREETING/ })
    for (const side of ['hello', 'mine', 'theirs']) await row.getByText(side, { exact: true }).waitFor()
    await page.getByText('NEW_OF_THEIRS').waitFor()
    await page.getByRole('button', { name: 'Go on with this' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved. It runs once it is applied.').waitFor()
    const names = await namesOf(appEnvId)
    expect(names).toEqual(['API_KEY', 'GREETING', 'NEW_OF_THEIRS', 'OLD_NAME', 'SAME'])
    await page.getByText('2 changes do not run yet.').waitFor()
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('are no conflict where only a deployment came between', async () => {
    const { appEnvId, path } = await deployedWith('Deployed meanwhile')
    const { page } = await world.open(path)
    await value(page, 'GREETING').fill('mine')
    await world.deployed(appEnvId)
    await review(page).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved. It runs once it is applied.').waitFor()
    await page.context().close()
  })

  test('wait in the draft while the API does not answer', async () => {
    const { appEnvId, path } = await deployedWith('Away')
    const { page } = await world.open(path)
    await value(page, 'GREETING').fill('mine')
    await review(page).click()
    await page.context().route('**/graphql', (route) => route.abort())
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Berth does not answer. Nothing that you entered is lost; try again.').waitFor()
    await page.context().unroute('**/graphql')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved. It runs once it is applied.').waitFor()
    expect(await namesOf(appEnvId)).toContain('GREETING')
    await page.context().close()
  })

  test('of another environment are copied by name', async () => {
    const { appId } = await world.appEnv({ app: { name: 'Compared' } })
    const { appEnvId: stagingId } = await world.appEnv({ appId, name: 'staging' })
    await world.perform(setVariables, { appEnvId: stagingId, variables: [{ name: 'ONLY_THERE', value: 'copied' }] })
    const first = await world.database.appEnv.findFirstOrThrow({ where: { appId, name: 'production' } })
    const staging = await world.database.appEnv.findUniqueOrThrow({ where: { id: stagingId } })
    const { page } = await world.open(`/console/envs/${first.cliEnvName}/variables?with=${staging.cliEnvName}`)
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByLabel('ONLY_THERE').check()
    await page.getByRole('button', { name: 'Copy 1 into your draft' }).click()
    expect(await value(page, 'ONLY_THERE').inputValue()).toBe('copied')
    await page.context().close()
  })
})
