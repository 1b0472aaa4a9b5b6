import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repetitions } from '../support/repetitions.ts'
import { timesUnhealthy } from '../support/times-unhealthy.ts'
import { ask } from './clients.ts'
import { type Sample, startTestPlatform, type TestPlatform } from './platform.ts'

const REPAIR_SECONDS = 30
/** A bound on a hang, not a measure. */
const TIMEOUT_MS = 120_000

let berth: TestPlatform
let sample: Sample

interface Status {
  status: string
  health: string
  replicas: { desired: number; running: number; ready: number }
}

const status = () => berth.ok<Status>('GET', `/app-env/status?appEnvId=${sample.appEnvId}`)

const containers = () =>
  berth.docker.listContainers({ all: true, filters: { label: [`berth.env=${sample.appEnvId}`] } })

/** Reads until the condition holds; fails with the last value. */
async function eventually<T>(
  read: () => Promise<T>,
  holds: (seen: T) => boolean,
  seconds = REPAIR_SECONDS,
): Promise<T> {
  const until = Date.now() + seconds * 1000
  for (;;) {
    const seen = await read()
    if (holds(seen)) return seen
    if (Date.now() > until) throw new Error(`Not within ${seconds} s; last seen: ${JSON.stringify(seen)}`)
    await sleep(100)
  }
}

beforeAll(async () => {
  // Without engine events, only a routine reconcile can find out.
  berth = await startTestPlatform({ BERTH_ENGINE_EVENTS: 'false' })
  sample = await berth.createSample('Drifting', 2)
  await berth.ok(
    'POST',
    '/app-env/deploy-image',
    { appEnvId: sample.appEnvId, image: berth.image },
    { prefer: 'wait=60' },
  )
})

afterAll(() => berth?.stop())

type Harm = [how: string, harm: (id: string) => Promise<unknown>]
const REMOVED: Harm = ['removed', (id) => berth.docker.getContainer(id).remove({ force: true })]
const STOPPED: Harm = ['stopped', (id) => berth.docker.getContainer(id).stop({ t: 1 })]
const KILLED: Harm = ['killed', (id) => berth.docker.getContainer(id).kill()]

describe.each(repetitions([REMOVED, KILLED], [REMOVED, STOPPED, KILLED]))(
  'containers %s by hand, with engine events switched off,',
  (_how, harm) => {
    test('are repaired, and status says so meanwhile', { timeout: TIMEOUT_MS }, async () => {
      const before = await containers()
      expect(before).toHaveLength(2)
      const times = () => timesUnhealthy(berth.database, sample.appEnvId)
      const earlier = await times()
      await Promise.all(before.map(({ Id }) => harm(Id)))
      await eventually(times, (seen) => seen > earlier)
      const repaired = await eventually(status, (seen) => seen.health === 'HEALTHY')
      expect(repaired).toMatchObject({ status: 'RUNNING', replicas: { desired: 2, running: 2, ready: 2 } })
      await expect.poll(async () => (await ask(berth.platform.ingressUrl ?? '', sample.host)).status).toBe(200)
      expect(await containers()).toHaveLength(2)
    })
  },
)

test('a container of a stopped environment that is started by hand is removed', { timeout: TIMEOUT_MS }, async () => {
  const [kept] = await containers()
  await berth.ok('POST', '/app-env/stop', { appEnvId: sample.appEnvId }, { prefer: 'wait=60' })
  expect((await status()).status).toBe('STOPPED')
  expect(await containers()).toHaveLength(0)
  const labels = kept?.Labels ?? {}
  const stray = await berth.docker.createContainer({
    Image: berth.image,
    Cmd: ['node', '-e', 'setInterval(() => {}, 1000)'],
    Labels: labels,
  })
  await stray.start()
  await eventually(containers, (seen) => seen.length === 0, 90)
  expect((await status()).status).toBe('STOPPED')
})
