import { afterAll, beforeAll, expect, test } from 'vitest'
import { repetitions } from '../support/repetitions.ts'
import { startClients } from './clients.ts'
import { type Sample, startTestPlatform, type TestPlatform, UNDER_LOAD } from './platform.ts'

/** By turns a redeployment and a rollback. */
const REPLACEMENTS = repetitions(2, 20)
const RESTARTS = repetitions(2, 20)
/** By turns one that never becomes ready and one that exits. */
const BAD_VERSIONS = repetitions(2, 5)
/** Eight clients that each pause this long send some 300 requests per second, and leave the processors to the rest. */
const PAUSE_MS = 25
/** While nothing is to change, some 80 requests per second are enough to notice that something did. */
const QUIET_PAUSE_MS = 100
/** A bound on a hang, not a measure. */
const TIMEOUT_MS = 240_000

let berth: TestPlatform
let sample: Sample

interface Lifecycle {
  message: string
  appEnv: { status: string }
}

interface Status {
  status: string
  currentVersion: number
  latestDeployment: { version: number; status: string; reason: string; message: string }
}

const wait = { prefer: 'wait=60' }
const status = () => berth.ok<Status>('GET', `/app-env/status?appEnvId=${sample.appEnvId}`)
const lifecycle = (path: string, body = {}) =>
  berth.ok<Lifecycle>('POST', `/app-env/${path}`, { appEnvId: sample.appEnvId, ...body }, wait)

beforeAll(async () => {
  berth = await startTestPlatform({ ...UNDER_LOAD, BERTH_READY_TIMEOUT_SECONDS: '10' })
  sample = await berth.createSample('Busy', 2)
  const deployed = await lifecycle('deploy-image', { image: berth.image })
  expect(deployed.appEnv.status).toBe('RUNNING')
})

afterAll(() => berth?.stop())

test('replaces a 2-replica app again and again under load without a failed request', {
  timeout: TIMEOUT_MS,
}, async () => {
  const clients = startClients(berth.platform.ingressUrl ?? '', sample.host, 8, PAUSE_MS)
  for (let round = 0; round < REPLACEMENTS; round += 1) {
    const answer = await lifecycle(round % 2 === 0 ? 'redeploy' : 'rollback')
    expect(answer.appEnv.status).toBe('RUNNING')
  }
  const requests = await clients.stop()
  console.info(
    `${REPLACEMENTS} replacements: ${total(requests.byVersion)} requests, ${requests.failures.length} failed`,
  )
  expect(requests.failures).toEqual([])
  expect(requests.byVersion.size).toBeGreaterThan(REPLACEMENTS / 2)
  expect((await status()).currentVersion).toBe(REPLACEMENTS + 1)
})

test('restarts a 2-replica app again and again under load without a failed request, and applies nothing', {
  timeout: TIMEOUT_MS,
}, async () => {
  const version = String((await status()).currentVersion)
  await berth.ok('PUT', '/app-env', { appEnvId: sample.appEnvId, envVars: [{ name: 'BROKEN', value: 'exit' }] })
  const clients = startClients(berth.platform.ingressUrl ?? '', sample.host, 8, PAUSE_MS)
  for (let round = 0; round < RESTARTS; round += 1) {
    const { message } = await lifecycle('restart')
    expect(message).toBe(`Version ${version} is restarted`)
  }
  const requests = await clients.stop()
  console.info(`${RESTARTS} restarts: ${total(requests.byVersion)} requests, ${requests.failures.length} failed`)
  expect(requests.failures).toEqual([])
  expect([...requests.byVersion.keys()]).toEqual([version])
  await berth.ok('PUT', '/app-env', { appEnvId: sample.appEnvId, envVars: [] })
})

test('gives versions that never become ready no traffic, and says why they failed', {
  timeout: TIMEOUT_MS,
}, async () => {
  const good = String((await status()).currentVersion)
  const clients = startClients(berth.platform.ingressUrl ?? '', sample.host, 8, QUIET_PAUSE_MS)
  for (let round = 0; round < BAD_VERSIONS; round += 1) {
    const broken = round % 2 === 0 ? 'never' : 'exit'
    await berth.ok('PUT', '/app-env', { appEnvId: sample.appEnvId, envVars: [{ name: 'BROKEN', value: broken }] })
    const answer = await lifecycle('redeploy')
    expect(answer.appEnv.status).toBe('RUNNING')
    const { latestDeployment, currentVersion } = await status()
    expect(String(currentVersion)).toBe(good)
    expect(latestDeployment).toMatchObject({ version: Number(good) + round + 1, status: 'FAILED' })
    expect(latestDeployment.reason).toBe(broken === 'never' ? 'READINESS_TIMEOUT' : 'CONTAINER_EXITED')
    expect(latestDeployment.message).toContain(broken === 'never' ? '503' : 'cannot open the safe')
  }
  const requests = await clients.stop()
  console.info(
    `${BAD_VERSIONS} bad versions: ${total(requests.byVersion)} requests, ${requests.failures.length} failed`,
  )
  expect(requests.failures).toEqual([])
  expect([...requests.byVersion.keys()]).toEqual([good])
})

const total = (byVersion: Map<string, number>) => [...byVersion.values()].reduce((sum, count) => sum + count, 0)
