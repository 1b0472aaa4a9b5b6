import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installCompose } from '../../../src/services/solution/install-compose.ts'
import { hasBrowser } from '../../support/browser.ts'
import { expectAccessible } from '../support/accessibility.ts'
import { type ConsoleWorld, createConsoleWorld, expectCalm, IMAGES, NARROW, WIDE } from '../support/console-world.ts'

const HOSTILE = '<img src=x onerror=alert(1)> \u202eevil\u202c red'

let world: ConsoleWorld
let installationId = ''

describe.skipIf(!hasBrowser('screens that create apps'))('the screens that create apps', () => {
  beforeAll(async () => {
    world = await createConsoleWorld()
    const { accountId } = world
    const compose = `services:\n  web:\n    image: ${IMAGES.shop}\n    ports: ["80:80"]\n    depends_on: [next]\n  next:\n    image: ${IMAGES.next}\n`
    const installed = await world.perform(installCompose, { accountId, appName: HOSTILE, compose })
    installationId = installed.installationId
  })
  afterAll(() => world?.close())

  const screens = [
    ['new app from an image', () => 'new', 'What will be created'],
    ['new app from a repository', () => 'new?from=git', 'Fill in preset and port from it'],
    ['new app from an upload', () => 'new?from=upload', 'Drop a folder or an archive here.'],
    ['new database', () => 'new?from=service', 'Disk in MB'],
    ['compose file', () => 'compose', 'Before you install'],
    ['catalogue', () => 'solutions', 'Vaultwarden'],
    ['solution', () => 'solutions/n8n', 'Berth has checked it.'],
    ['a solution that is not there', () => 'solutions/nothing', 'The catalogue has no solution'],
    ['installation', () => `installations/${installationId}`, 'Its apps'],
    ['an installation that is gone', () => 'installations/inst_nothing', 'This installation was removed'],
  ] as const

  describe.each([
    ['wide and light', { ...WIDE, colorScheme: 'light' as const }],
    ['narrow and dark', { ...NARROW, colorScheme: 'dark' as const }],
  ])('%s', (_name, options) => {
    test.each(screens)('%s', async (_screen, path, text) => {
      const watched = await world.open(`/console/accounts/default/${path()}`, options)
      const { page } = watched
      await page.getByText(text).first().waitFor()
      expect(await page.locator('h1').count()).toBe(1)
      expect(await page.locator('img[src="x"]').count()).toBe(0)
      for (const summary of await page.locator('main summary').all()) await summary.click()
      await expectAccessible(page)
      await expectCalm(watched, world.origin)
      await page.context().close()
    })
  })

  test('say what a member lacks who may only read', async () => {
    const { token } = await world.user({ roles: ['AUDIT'] })
    for (const [path, name] of [
      ['solutions/n8n', 'Install n8n'],
      ['compose', 'Install it'],
      [`installations/${installationId}`, 'Remove…'],
    ] as const) {
      const { page } = await world.open(`/console/accounts/default/${path}`, { token })
      const button = page.getByRole('button', { name })
      await button.waitFor()
      expect(await button.getAttribute('aria-description')).toContain('Needs the role')
      await page.context().close()
    }
  })
})
