import { afterAll, beforeAll, expect, test } from 'vitest'
import { startClients } from './clients.ts'
import { type Sample, startTestPlatform, type TestPlatform, UNDER_LOAD } from './platform.ts'

const wait = { prefer: 'wait=60' }
const REPLICAS = 2

let berth: TestPlatform
let sample: Sample

interface Run {
  jobRunId: string
  version: number
  status: string
  reason: string | null
  exitCode: number | null
  finishedAt: string
  attempts: { number: number; containerName: string }[]
}

interface Status {
  status: string
  currentVersion: number
  latestDeployment: { version: number; status: string; reason: string | null; message: string | null }
}

const command = (program: string) => ({ command: 'node', args: ['-e', program], shell: false })
const migration = command(`console.log('migrated for ' + process.env.COLOUR)`)

const lifecycle = (path: string, body = {}) =>
  berth.ok<{ appEnv: { status: string } }>('POST', `/app-env/${path}`, { appEnvId: sample.appEnvId, ...body }, wait)
const configure = (body: object) => berth.ok('PUT', '/app-env', { appEnvId: sample.appEnvId, ...body })
const status = () => berth.ok<Status>('GET', `/app-env/status?appEnvId=${sample.appEnvId}`)
const releases = async (): Promise<Run[]> =>
  (await berth.ok<{ jobRuns: Run[] }>('GET', `/app-env/job-runs?appEnvId=${sample.appEnvId}&trigger=RELEASE`)).jobRuns
const linesOf = async ({ jobRunId }: Run): Promise<string[]> => {
  const path = `/logs?appEnvId=${sample.appEnvId}&jobRunId=${jobRunId}`
  const { logs } = await berth.ok<{ logs: { message: string }[] }>('GET', path)
  return logs.map(({ message }) => message)
}

beforeAll(async () => {
  berth = await startTestPlatform({ ...UNDER_LOAD, BERTH_READY_TIMEOUT_SECONDS: '30' })
  sample = await berth.createSample('Migrating', REPLICAS)
  await configure({ releaseCommand: migration, envVars: [{ name: 'COLOUR', value: 'red' }] })
})

afterAll(() => berth?.stop())

test('a release command runs once for all containers, before any of them, and once for the next version', async () => {
  await lifecycle('deploy-image', { image: berth.image })
  const [first, ...others] = await releases()
  expect(others).toEqual([])
  expect(first).toMatchObject({ version: 1, status: 'SUCCEEDED', exitCode: 0, attempts: [{ number: 1 }] })
  expect(await linesOf(first as Run)).toEqual(['migrated for red'])
  const filters = { label: [`berth.env=${sample.appEnvId}`] }
  const containers = await berth.docker.listContainers({ filters })
  expect(containers).toHaveLength(REPLICAS)
  const seen = await Promise.all(containers.map(({ Id }) => berth.docker.getContainer(Id).inspect()))
  for (const { Created } of seen)
    expect(Date.parse(Created)).toBeGreaterThanOrEqual(Date.parse(first?.finishedAt ?? ''))

  await lifecycle('deploy-image', { image: berth.image })
  expect((await releases()).map(({ version }) => version).sort()).toEqual([1, 2])
})

test('runs for no version that repeats one which has passed it, and for one with other variables', async () => {
  await lifecycle('redeploy')
  await lifecycle('rollback', { targetContentId: (await history())[0] })
  await lifecycle('stop')
  await lifecycle('start')
  expect(await status()).toMatchObject({ status: 'RUNNING', currentVersion: 4 })
  expect(await releases()).toHaveLength(2)
  await configure({ envVars: [{ name: 'COLOUR', value: 'blue' }] })
  await lifecycle('apply-changes')
  const all = await releases()
  expect(all.map(({ version }) => version).sort()).toEqual([1, 2, 5])
  expect(await linesOf(all.find(({ version }) => version === 5) as Run)).toEqual(['migrated for blue'])
})

const history = async (): Promise<string[]> => {
  const path = `/app-env/history?appEnvId=${sample.appEnvId}`
  const { activities } = await berth.ok<{ activities: { contentId: string; version: number }[] }>('GET', path)
  return activities.sort((a, b) => a.version - b.version).map(({ contentId }) => contentId)
}

test('fails the deployment when it fails, says why, and the old version goes on without a failed request', async () => {
  await configure({ releaseCommand: command(`console.error('no such table'); process.exit(4)`) })
  const { pendingChanges } = await berth.ok<{ pendingChanges: { field: string }[] }>(
    'GET',
    `/app-env?appEnvId=${sample.appEnvId}`,
  )
  expect(pendingChanges.map(({ field }) => field)).toEqual(['releaseCommand'])
  const clients = startClients(berth.platform.ingressUrl ?? '', sample.host, 4, 25)
  expect((await lifecycle('apply-changes')).appEnv.status).toBe('RUNNING')
  const { byVersion, failures } = await clients.stop()
  expect(failures).toEqual([])
  expect([...byVersion.keys()]).toEqual(['5'])
  const { currentVersion, latestDeployment } = await status()
  expect(currentVersion).toBe(5)
  expect(latestDeployment).toMatchObject({ version: 6, status: 'FAILED', reason: 'RELEASE_FAILED' })
  expect(latestDeployment.message).toContain('exit code 4')
  expect(latestDeployment.message).toContain('no such table')
  const [failed] = (await releases()).filter(({ version }) => version === 6)
  expect(failed).toMatchObject({ status: 'FAILED', reason: 'EXIT_CODE', exitCode: 4 })
})

test('is ended with the deployment that waits for it, and never runs beside the next one', async () => {
  await configure({ releaseCommand: command('setInterval(() => {}, 1000)') })
  await berth.ok('POST', '/app-env/apply-changes', { appEnvId: sample.appEnvId })
  await expect
    .poll(async () => (await releases()).find(({ version }) => version === 7)?.attempts.length, { timeout: 60_000 })
    .toBe(1)
  await configure({ releaseCommand: migration })
  await lifecycle('apply-changes')
  const all = await releases()
  expect(all.find(({ version }) => version === 7)).toMatchObject({ status: 'CANCELLED', reason: 'DEPLOYMENT_ENDED' })
  expect(await status()).toMatchObject({ status: 'RUNNING', currentVersion: 8 })
})
