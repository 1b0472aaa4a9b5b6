import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { expectCalm, NARROW, WIDE } from '../support/console-world.ts'
import { backedUpBetween, runningService } from '../support/database-service.ts'
import { createIdleConsoleWorld, type IdleConsoleWorld } from '../support/idle-console-world.ts'

const MINUTE_MS = 60_000

let world: IdleConsoleWorld

describe.skipIf(!hasBrowser('the story of a restored database'))('a database with a mistake in it', () => {
  beforeAll(async () => {
    world = await createIdleConsoleWorld()
  })
  afterAll(() => world?.close())

  const now = Math.floor(Date.now() / 1_000) * 1_000
  const from = new Date(now - 60 * MINUTE_MS)
  const until = new Date(now - MINUTE_MS)
  const before = new Date(now - 30 * MINUTE_MS)

  test.each([
    ['wide', WIDE],
    ['narrow', NARROW],
  ])('is restored to before it; what is lost is said before it can be done, %s', async (name, size) => {
    const { appEnvId, env } = await runningService(world, `Orders ${name}`)
    const backupKey = await backedUpBetween(world, appEnvId, from, until)
    const watched = await world.open(`/console/envs/${env}/backups`, { ...size, timezoneId: 'UTC' })
    const { page } = watched
    // The API’s word is held back, so that what stands before it can be seen.
    const held: (() => void)[] = []
    let isHeld = true
    await page.route('**/graphql', async (route) => {
      if (isHeld && route.request().postData()?.includes('"dryRun":true'))
        await new Promise<void>((resolve) => held.push(resolve))
      await route.continue()
    })
    await page.getByRole('link', { name: 'Restore…' }).first().click()
    await page.getByLabel('A moment, such as just before a mistake').check()
    const moment = page.getByLabel(/^Moment, in/)
    await moment.fill(before.toISOString().slice(0, 19))
    await moment.press('Enter')
    const button = page.getByRole('button', { name: /^Restore to/ })
    await page.getByText(/^All that was written after .+ is lost: the changes of 30 min/).waitFor()
    await page.getByText(/Berth backs up the present data/).waitFor()
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    isHeld = false
    for (const release of held) release()
    await page.getByText('Berth has checked it').waitFor()
    expect(await button.getAttribute('aria-disabled')).toBeNull()
    await button.click()
    await page.getByRole('button', { name: 'Restore it' }).click()
    await page.getByText('The backup is being restored').waitFor()
    const operations = await world.operationsOf(appEnvId)
    const operation = operations.at(-1)
    expect(operation).toMatchObject({ kind: 'RESTORE', status: 'QUEUED' })
    expect(JSON.stringify(operation)).toContain(backupKey)
    expect(JSON.stringify(operation)).toContain(before.toISOString())
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('cannot be restored to a moment that is not stored, and says which are', async () => {
    const { appEnvId, env } = await runningService(world, 'Orders of today')
    await backedUpBetween(world, appEnvId, from, until)
    const late = new Date(now - MINUTE_MS / 2).toISOString()
    const watched = await world.open(`/console/envs/${env}/restore?at=${late}`)
    const { page } = watched
    await page.getByText(`must be from ${from.toISOString()} to ${until.toISOString()}`).waitFor()
    const button = page.getByRole('button', { name: /^Restore to/ })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await button.click({ force: true })
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.context().close()
  })

  test('is restored only by those who may, and others read which role it takes', async () => {
    const { appEnvId, env } = await runningService(world, 'Orders of others')
    await backedUpBetween(world, appEnvId, from, until)
    const { token } = await world.user({ roles: ['AUDIT'] })
    const { page } = await world.open(`/console/envs/${env}/restore`, { token })
    const button = page.getByRole('button', { name: /^Restore to/ })
    expect(await button.getAttribute('title')).toBe('Needs the role ADMIN or TECHNICAL')
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await page.context().close()
  })
})
