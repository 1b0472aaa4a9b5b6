import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { type ConsoleWorld, createConsoleWorld, expectCalm, IMAGES } from '../support/console-world.ts'

/** A bound on a hang, not a measure: the reader of sources is a process of its own, which starts with the first build. */
const HANG_MS = 180_000

let world: ConsoleWorld

async function folder(files: Readonly<Record<string, string>>): Promise<string> {
  const root = join(await mkdtemp(join(tmpdir(), 'upload-')), 'shop')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

describe.skipIf(!hasBrowser('the story of an upload'))('a folder', () => {
  beforeAll(async () => {
    world = await createConsoleWorld()
  })
  afterAll(() => world?.close())

  test('is packed by its rules, uploaded, built and deployed', async () => {
    const root = await folder({
      Dockerfile: `FROM ${IMAGES.shop}\nCOPY . /app\n`,
      '.dockerignore': 'docs\n*.md\nDockerfile\n',
      'src/main.js': 'console.log(1)',
      'docs/long.txt': 'x'.repeat(10_000),
      'README.md': 'x',
      '.env': 'SECRET=1',
      '.git/config': 'x',
    })
    const watched = await world.open('/console/accounts/default/new?from=upload')
    const { page } = watched
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose a folder' }).click()
    await (await chooser).setFiles(root)
    await page.getByText('3 files').waitFor()
    await page.getByText('4 files and folders are left out').waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('shop')
    await page.getByRole('button', { name: 'Create, upload and deploy' }).click()
    await page.waitForURL('**/console/envs/default-shop-production')
    await page.getByText('Serves now').waitFor({ timeout: HANG_MS })
    const [image] = world.machine.images.list().filter(({ files }) => files.has('/app/src/main.js'))
    expect([...(image?.files.keys() ?? [])].filter((path) => path.startsWith('/app')).sort()).toEqual([
      '/app/.dockerignore',
      '/app/src/main.js',
    ])
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('of which nothing is left says so, and creates nothing', async () => {
    const root = await folder({ '.env': 'SECRET=1' })
    const { page } = await world.open('/console/accounts/default/new?from=upload')
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose a folder' }).click()
    await (await chooser).setFiles(root)
    await page.getByText('Nothing is left to upload').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('nothing')
    await page.getByRole('button', { name: 'Create, upload and deploy' }).click()
    await page.getByText('Choose a folder or an archive first.').waitFor()
    expect(await world.database.app.count({ where: { name: 'nothing' } })).toBe(0)
    await page.context().close()
  })
})
