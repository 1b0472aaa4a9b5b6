import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createJobRun } from '../../../src/services/job-run/create-job-run.ts'
import { setJobSchedule } from '../../../src/services/job-schedule/schedule-commands.ts'
import { hasBrowser } from '../../support/browser.ts'
import { expectAccessible } from '../support/accessibility.ts'
import { expectCalm, NARROW, WIDE } from '../support/console-world.ts'
import { backedUpBetween, runningService } from '../support/database-service.ts'
import { createIdleConsoleWorld, type IdleConsoleWorld } from '../support/idle-console-world.ts'

const HOUR_MS = 3_600_000
const HOSTILE = '<img src=x onerror=alert(1)>\u202e\u001b[31m'

let world: IdleConsoleWorld
let service: { appEnvId: string; env: string }
let unused: { appEnvId: string; env: string }
let job: { appEnvId: string; env: string; runId: string }
let called: { appEnvId: string; env: string }

const envOf = async (appEnvId: string) =>
  (await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })).cliEnvName

/** A job whose run has failed, as a worker would have left it. */
async function failedJob(): Promise<typeof job> {
  const { appEnvId } = await world.appEnv({ app: { name: 'Nightly', dockerPreset: 'JOB' } })
  await world.deploy(appEnvId)
  await world.perform(setJobSchedule, { appEnvId, cron: '0 3 * * *', timeZone: 'Asia/Tokyo' })
  const { jobRunId } = await world.perform(createJobRun, { appEnvId, command: 'import --all', shell: false })
  const runId = String(jobRunId)
  const [startedAt, finishedAt] = [new Date(Date.now() - 4_200), new Date()]
  const end = { startedAt, finishedAt, exitCode: 3, reason: 'EXIT_CODE', message: `It ended: ${HOSTILE}` }
  await world.database.jobAttempt.create({ data: { ...end, runId, number: 1, containerName: 'berth-run-1' } })
  await world.database.jobRun.update({ where: { id: runId }, data: { ...end, status: 'FAILED' } })
  return { appEnvId, env: await envOf(appEnvId), runId }
}

async function aFunction(): Promise<typeof called> {
  const { appEnvId } = await world.appEnv({ app: { name: 'Resize', dockerPreset: 'FUNCTION' } })
  await world.deploy(appEnvId)
  return { appEnvId, env: await envOf(appEnvId) }
}

describe.skipIf(!hasBrowser('screens of services, jobs and functions'))(
  'screens of services, jobs and functions',
  () => {
    beforeAll(async () => {
      world = await createIdleConsoleWorld()
      service = await runningService(world, 'Orders')
      unused = await runningService(world, 'Unused')
      await backedUpBetween(world, service.appEnvId, new Date(Date.now() - 2 * HOUR_MS), new Date(Date.now() - 60_000))
      job = await failedJob()
      called = await aFunction()
    })
    afterAll(() => world?.close())

    const screens = (): readonly (readonly [path: string, shown: string | RegExp])[] => [
      [`${service.env}/connect`, `DATABASE_URL=\${${service.env}.internalUrl}`],
      [`${service.env}/backups`, 'Restored and read'],
      [`${unused.env}/backups`, 'Nothing was backed up yet'],
      [`${service.env}/restore`, /^All that was written after/],
      [`${unused.env}/restore`, /What is lost|There is nothing to restore yet/],
      [`${job.env}/runs`, 'import --all'],
      [`${job.env}/runs/${job.runId}`, 'What it ran'],
      [`${called.env}/invocations`, 'No request came in this time'],
    ]

    test.each([
      ['wide, light', { ...WIDE, colorScheme: 'light' }],
      ['wide, dark', { ...WIDE, colorScheme: 'dark' }],
      ['narrow, light', { ...NARROW, colorScheme: 'light' }],
      ['narrow, dark', { ...NARROW, colorScheme: 'dark' }],
    ] as const)('are calm and accessible: %s', async (_name, look) => {
      const watched = await world.open('/console', look)
      const { page } = watched
      for (const [path, shown] of screens()) {
        await page.goto(`${world.origin}/console/envs/${path}`)
        await page.getByText(shown).first().waitFor()
        await expectCalm(watched, world.origin)
        await expectAccessible(page)
      }
      await page.context().close()
    })

    test('credentials are shown when they are asked for, leave an entry, and go with the tab', async () => {
      const { page } = await world.open(`/console/envs/${service.env}/connect`)
      const password = page.locator('dt', { hasText: /^Password$/ }).locator('~ dd')
      await page.getByRole('button', { name: 'Show them' }).click()
      const secret = ((await password.textContent()) ?? '').trim()
      expect(secret.length).toBeGreaterThan(16)
      expect(await page.locator('pre', { hasText: /^psql postgresql:/ }).textContent()).toContain(secret)
      const entries = await world.auditOf(service.appEnvId)
      expect(entries.map(({ action }) => action).join(' ')).toMatch(/credentials/i)
      await page.evaluate(() => {
        Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      })
      await page.getByRole('button', { name: 'Show them' }).waitFor()
      expect(await page.content()).not.toContain(secret)
      const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
      expect(kept).not.toContain(secret)
      await page.context().close()
    })

    test('what roles forbid is disabled, and says which role it takes', async () => {
      const { token } = await world.user({ roles: ['TECHNICAL'] })
      const { page } = await world.open(`/console/envs/${service.env}/connect`, { token })
      for (const name of ['Show them', 'New password…']) {
        const button = page.getByRole('button', { name })
        expect(await button.getAttribute('aria-disabled'), name).toBe('true')
        expect(await button.getAttribute('title'), name).toBe('Needs the role ADMIN')
      }
      await page.context().close()
    })

    test('a run is reached by keyboard; its exit code and its hostile words stay text', async () => {
      const { page } = await world.open(`/console/envs/${job.env}/runs`)
      await page.getByRole('link', { name: /\d\d:\d\d/ }).waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/runs/${job.runId}`)
      await page.getByText('exit code').first().waitFor()
      await page.getByText('It ended: <img src=x onerror=alert(1)>⟨202E⟩␛[31m').first().waitFor()
      await page.context().close()
    })

    test('a run that is asked for with changes is made with them alone', async () => {
      const { page } = await world.open(`/console/envs/${job.env}/runs`)
      await page.getByRole('button', { name: 'Run…' }).first().click()
      await page.getByLabel('With changes for this run alone').check()
      await page.getByLabel('Command').fill('import')
      await page.getByLabel('Arguments').fill('--since\n2026-11-01 00:00')
      await page.getByRole('button', { name: 'Add a variable' }).click()
      await page.getByLabel('Name').fill('not=valid')
      await page.getByRole('button', { name: 'Run it' }).click()
      await page.locator('#problem-envVars\\.0\\.name').waitFor()
      await page.getByLabel('Name').fill('MODE')
      await page.getByLabel('Value').fill('full')
      await page.getByRole('button', { name: 'Run it' }).click()
      await page.waitForURL(/runs\/run_/)
      await page.getByText('Queued').first().waitFor()
      const run = await world.database.jobRun.findFirstOrThrow({
        where: { appEnvId: job.appEnvId, id: { not: job.runId } },
      })
      expect(run.snapshot).toMatchObject({ command: 'import', args: ['--since', '2026-11-01 00:00'] })
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByText('Cancelled').first().waitFor()
      await page.context().close()
    })
  },
)
