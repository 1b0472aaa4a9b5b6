import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { acceptInvitation } from '../../../src/services/account/accept-invitation.ts'
import { createInvitation } from '../../../src/services/account/invitation-commands.ts'
import { createCredential } from '../../../src/services/credential/credential-commands.ts'
import { createGitHook } from '../../../src/services/git-hook/git-hook-commands.ts'
import { deployImage } from '../../../src/services/lifecycle/deploy-image.ts'
import { setBudget } from '../../../src/services/usage/budget-commands.ts'
import { createWebhook } from '../../../src/services/webhook/webhook-commands.ts'
import { hasBrowser } from '../../support/browser.ts'
import { expectAccessible } from '../support/accessibility.ts'
import { type ConsoleWorld, createConsoleWorld, expectCalm, IMAGES, NARROW, WIDE } from '../support/console-world.ts'

const HOSTILE = '<img src=x onerror=alert(1)> \u202eevil\u202c \u001b[31mred'

const receiver = createServer((_request, response) => response.end('<b>thanks</b>'))

let world: ConsoleWorld
let slug = ''
let webhookId = ''
let auditor = ''

describe.skipIf(!hasBrowser('screens of an account'))('the screens of an account', () => {
  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const address = receiver.address()
    const port = typeof address === 'object' ? address?.port : 0
    world = await createConsoleWorld({ settings: { BERTH_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1' } })
    const { accountId } = world
    slug = (await world.database.account.findUniqueOrThrow({ where: { id: accountId } })).slug
    const hook = await world.perform(createWebhook, {
      accountId,
      name: HOSTILE.slice(0, 40),
      url: `http://127.0.0.1:${port}/hook`,
    })
    webhookId = hook.webhookId
    const { appEnvId } = await world.appEnv({ app: { name: 'Shop' } })
    await world.perform(deployImage, { appEnvId, image: IMAGES.shop })
    const data = { accessKeyId: 'AKIA', secretAccessKey: 'secret', bucket: HOSTILE }
    await world.perform(createCredential, { accountId, name: 'Bucket', type: 'OBJECT_STORAGE', data })
    await world.perform(createGitHook, { accountId, name: 'Repositories', provider: 'GITHUB' })
    await world.perform(setBudget, { accountId, amount: '250.50' })
    await world.perform(createInvitation, { accountId, email: 'ada@example.com', roles: ['TECHNICAL'] })
    auditor = (await world.user({ roles: ['AUDIT'] })).token
  })
  afterAll(async () => {
    receiver.close()
    await world?.close()
  })

  const screens = [
    ['activity', () => `/accounts/${slug}/activity`, 'Create webhook'],
    ['past events', () => `/accounts/${slug}/activity?view=events`, 'Operation succeeded'],
    ['members', () => `/accounts/${slug}/members`, 'ada@example.com'],
    ['tokens', () => '/tokens', 'What the scopes allow'],
    ['credentials', () => `/accounts/${slug}/credentials`, 'Object storage'],
    ['webhooks', () => `/accounts/${slug}/webhooks`, 'Every type'],
    ['a webhook', () => `/accounts/${slug}/webhooks/${webhookId}`, 'Delivered'],
    ['git hooks', () => `/accounts/${slug}/git-hooks`, 'No git host has delivered anything yet'],
    ['usage', () => `/accounts/${slug}/usage`, '€250.50'],
    ['the account', () => `/accounts/${slug}/settings`, 'Plan:'],
    ['health', () => '/installation', 'Ask again'],
    ['machines', () => '/installation?view=machines', 'Regions'],
    ['accounts', () => '/installation?view=accounts', 'New account'],
    ['users', () => '/installation?view=users', 'Users: '],
    ['plans', () => '/installation?view=plans', 'New plan'],
  ] as const

  test.each(screens)('%s: no finding of axe, no sideways scrolling, in both themes', async (_name, path, text) => {
    for (const options of [WIDE, { ...NARROW, colorScheme: 'dark' }] as const) {
      const watched = await world.open(`/console${path()}`, options)
      const { page } = watched
      // Not the options of a filter, which have the same words.
      await page.getByText(text).filter({ visible: true }).first().waitFor()
      await page.waitForLoadState('networkidle')
      await expectAccessible(page)
      await expectCalm(watched, world.origin)
      await page.context().close()
    }
  })

  test('hostile names and values are shown as text, with signs for what cannot be seen', async () => {
    const watched = await world.open(`/console/accounts/${slug}/credentials`)
    await watched.page.getByText('⟨202E⟩evil').first().waitFor()
    await watched.page.goto(`${world.origin}/console/accounts/${slug}/webhooks`)
    await watched.page.getByText('<img src=x onerror').first().waitFor()
    expect(await watched.page.locator('img[src="x"]').count()).toBe(0)
    await expectCalm(watched, world.origin)
    await watched.page.context().close()
  })

  test('what roles forbid is disabled and says what is missing; what cannot be read says so in its place', async () => {
    const watched = await world.open(`/console/accounts/${slug}/members`, { token: auditor })
    const { page } = watched
    const invite = page.getByRole('button', { name: 'Invite' })
    await invite.waitFor()
    expect(await invite.getAttribute('aria-disabled')).toBe('true')
    expect(await invite.getAttribute('aria-description')).toBe('Needs the role ADMIN or MANAGE_MEMBERS')
    await page.goto(`${world.origin}/console/accounts/${slug}/webhooks`)
    await page.getByRole('alert').getByText('FORBIDDEN').waitFor()
    await expectAccessible(page)
    await page.goto(`${world.origin}/console/accounts/${slug}/activity`)
    await page.getByText('Create webhook').first().waitFor()
    await page.goto(`${world.origin}/console/installation`)
    await page.getByText('Only for admins of the installation').waitFor()
    await page.context().close()
  })

  test('an invitation’s link is shown once: it works, and is gone after a reload', async () => {
    const watched = await world.open(`/console/accounts/${slug}/members`)
    const { page } = watched
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('E-mail').fill('not an address')
    await page.getByRole('button', { name: 'Make the link' }).click()
    // The browser itself marks it: nothing was sent.
    expect(await page.locator('input[name=email]:invalid').count()).toBe(1)
    await page.getByLabel('E-mail').fill('grace@example.com')
    await page.getByRole('checkbox', { name: /^Audit/ }).check()
    await page.getByRole('button', { name: 'Make the link' }).click()
    const shown = page.getByRole('region', { name: 'Invitation of grace@example.com' })
    const link = await shown.locator('code').first().textContent()
    expect(link).toMatch(/\/invitation#berth_i_/)
    await page.getByRole('row', { name: /grace@example.com.*Pending/ }).waitFor()
    await shown.getByRole('button', { name: 'Hide' }).click()
    expect(await shown.textContent()).not.toContain('berth_i_')
    await page.reload()
    await page.getByRole('row', { name: /grace@example.com/ }).waitFor()
    expect(await page.content()).not.toContain('berth_i_')
    await world.perform(acceptInvitation, {}, { as: (link ?? '').split('#')[1] ?? '' })
    await page
      .getByRole('row', { name: /grace@example.com.*Technical, Audit|grace@example.com.*Audit, Technical/ })
      .first()
      .waitFor()
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('a token’s secret is shown once, and its revocation says what dies with it', async () => {
    const watched = await world.open('/console/tokens')
    const { page } = watched
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('CI of the shop')
    await page.getByRole('checkbox', { name: /^Read Read/ }).uncheck()
    await page.getByRole('button', { name: 'Create it' }).click()
    // The API refuses it at the field of its name.
    await page
      .getByText('scopes: is required for a SCOPED token')
      .or(page.getByText('is required for a SCOPED token'))
      .first()
      .waitFor()
    await page.getByRole('checkbox', { name: /^Read Read/ }).check()
    await page.getByRole('button', { name: 'Create it' }).click()
    const shown = page.getByRole('region', { name: /Secret of the token/ })
    const secret = await shown.locator('code').first().textContent()
    expect(secret).toMatch(/^berth_s_/)
    expect((await world.query('{ me { username } }', {}, secret)).data.me.username).toBeTruthy()
    await page.reload()
    await page.getByRole('row', { name: /CI of the shop/ }).waitFor()
    expect(await page.content()).not.toContain(secret)
    await page.getByRole('button', { name: 'Actions for the token CI of the shop' }).click()
    await page.getByRole('menuitem', { name: 'Revoke…' }).click()
    await page.getByRole('dialog').getByText('Token "CI of the shop" is revoked').waitFor()
    await page.getByRole('button', { name: 'Revoke it' }).click()
    await page.getByRole('row', { name: /CI of the shop.*Revoked/ }).waitFor()
    expect((await world.query('{ me { username } }', {}, secret)).status).toBe(401)
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('the activity says who changed what from what to what, by its address alone', async () => {
    const { id } = await world.database.account.findUniqueOrThrow({ where: { id: world.accountId } })
    const watched = await world.open(`/console/accounts/${slug}/activity?target=${id}&action=setBudget`)
    const { page } = watched
    const entries = page.getByRole('listitem').filter({ hasText: 'Set budget' })
    await entries.first().waitFor()
    expect(await page.getByText('Create webhook').count()).toBe(0)
    await entries.first().getByText('field').first().click()
    await page.getByRole('columnheader', { name: 'Before' }).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    expect((await download).suggestedFilename()).toBe(`${slug}-activity.csv`)
    await page.getByRole('button', { name: 'No filter' }).click()
    await page.getByText('Create webhook').first().waitFor()
    expect(new URL(page.url()).search).toBe('')
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('a delivery shows its attempts and is sent again', async () => {
    const watched = await world.open(`/console/accounts/${slug}/webhooks/${webhookId}?status=DELIVERED`)
    const { page } = watched
    await page.locator('details').first().locator('summary').click()
    await page.getByText('<b>thanks</b>').first().waitFor()
    await page.getByRole('rowheader', { name: '1', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Send it again' }).click()
    await page.getByText('The event is sent again').waitFor()
    await expectCalm(watched, world.origin)
    await page.context().close()
  })

  test('a budget that is none is an empty state; the API’s refusal stands at its field', async () => {
    const accountId = await world.account('Bakery')
    const bakery = await world.database.account.findUniqueOrThrow({ where: { id: accountId } })
    const watched = await world.open(`/console/accounts/${bakery.slug}/usage`)
    const { page } = watched
    await page.getByText('No budget is set').waitFor()
    await page.getByRole('button', { name: 'Set a budget' }).click()
    await page.getByLabel('Amount for each month').fill('much')
    await page.getByRole('button', { name: 'Set it' }).click()
    expect(await page.locator('#problem-amount').textContent()).not.toBe('')
    await page.getByLabel('Amount for each month').fill('10')
    await page.getByRole('button', { name: 'Set it' }).click()
    await page.getByText('€0.00 of €10.00 this month, 0 %').waitFor()
    await page.context().close()
  })
})
