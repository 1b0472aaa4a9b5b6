import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { networkName } from '../../src/engine/docker/networks.ts'
import { ask } from './clients.ts'
import { type Sample, startTestPlatform, type TestPlatform } from './platform.ts'

const REPAIR_SECONDS = 30

interface Status {
  health: string
  replicas: { desired: number; running: number; ready: number }
}

let berth: TestPlatform
let samples: Sample[]

const status = ({ appEnvId }: Sample) => berth.ok<Status>('GET', `/app-env/status?appEnvId=${appEnvId}`)

const containersOf = async ({ appEnvId }: Sample, version = 1) => {
  const filters = { label: [`berth.env=${appEnvId}`] }
  const found = await berth.docker.listContainers({ filters })
  return found.filter(({ Names }) => Names[0]?.includes(`-v${version}-`)).map(({ Id }) => Id)
}

const network = ({ accountId }: Sample) =>
  berth.docker.getNetwork(networkName(berth.platform.installationId ?? '', accountId))

const disconnect = (sample: Sample, Container: string) => network(sample).disconnect({ Container, Force: true })

async function disconnectAll(sample: Sample): Promise<void> {
  const { Containers = {} } = await network(sample).inspect()
  await Promise.all(Object.keys(Containers).map((id) => disconnect(sample, id)))
}

/** A deployment may connect another container between the two calls, and then the engine refuses the second. */
const removeNetwork = (sample: Sample) =>
  vi.waitFor(
    async () => {
      await disconnectAll(sample)
      await network(sample).remove()
    },
    { timeout: 10_000 },
  )

/** What status and the ingress say, 10 times a second, until both are well again. Returns the seconds that took. */
async function repaired(sample: Sample, since: number): Promise<number> {
  const { host, appEnvId } = sample
  const { containers } = await berth.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  for (;;) {
    const [seen, answer] = await Promise.all([status(sample), ask(berth.platform.ingressUrl ?? '', host)])
    const seconds = (performance.now() - since) / 1000
    if (seen.health === 'HEALTHY' && seen.replicas.ready === containers && answer.status === 200) return seconds
    if (seconds > REPAIR_SECONDS) throw new Error(`${answer.status} and ${JSON.stringify(seen)} after ${seconds} s`)
    await sleep(100)
  }
}

/** Until the damage is seen, so that a repair which has not begun is not taken for one that has ended. */
const noticed = (sample: Sample) => expect.poll(() => status(sample)).not.toMatchObject({ health: 'HEALTHY' })

const deploy = (sample: Sample, wait: string, envVars: { name: string; value: string }[] = []) =>
  berth
    .ok('PUT', '/app-env', { appEnvId: sample.appEnvId, envVars })
    .then(() =>
      berth.ok<{ version: number }>(
        'POST',
        '/app-env/deploy-image',
        { appEnvId: sample.appEnvId, image: berth.image },
        wait ? { prefer: wait } : {},
      ),
    )

async function sampleOf(containers: number): Promise<Sample> {
  const name = `Networked ${containers}`
  const { accountId } = await berth.ok<{ accountId: string }>('POST', '/account', { name })
  const sample = await berth.createSample(name, containers, accountId)
  await deploy(sample, 'wait=60')
  return sample
}

const figures: Record<string, string>[] = []

afterAll(() => console.table(figures))

// With events, an hour passes between routine reconciles: only an event can be in time.
describe.each([
  ['on', { BERTH_ENGINE_EVENTS: 'true', BERTH_RECONCILE_SECONDS: '3600' }],
  ['off', { BERTH_ENGINE_EVENTS: 'false', BERTH_RECONCILE_SECONDS: '5' }],
])('with engine events %s', (events, settings) => {
  beforeAll(async () => {
    berth = await startTestPlatform(settings)
    samples = await Promise.all([sampleOf(1), sampleOf(2)])
  })
  afterAll(() => berth?.stop())

  describe.each<[string, (sample: Sample) => Promise<void>]>([
    ['one container disconnected', async (sample) => disconnect(sample, (await containersOf(sample))[0] ?? '')],
    ['every container disconnected', disconnectAll],
    ['the network removed', removeNetwork],
  ])('%s', (name, harm) => {
    test.each([0, 1])('is repaired, and nothing is replaced: sample %i', async (position) => {
      const sample = samples[position] as Sample
      const before = await containersOf(sample)
      await harm(sample)
      const since = performance.now()
      await noticed(sample)
      const seconds = await repaired(sample, since)
      figures.push({ case: name, containers: `${before.length}`, events, seconds: seconds.toFixed(1) })
      expect((await containersOf(sample)).sort()).toEqual(before.sort())
    })
  })

  test.each([0, 1])('a deployment outlives its network: sample %i', async (position) => {
    const sample = samples[position] as Sample
    const { length } = await containersOf(sample)
    await deploy(sample, '', [{ name: 'BROKEN', value: 'late' }])
    await expect.poll(() => containersOf(sample, 2), { timeout: REPAIR_SECONDS * 1000 }).toHaveLength(length)
    const begun = await containersOf(sample, 2)
    await removeNetwork(sample)
    const since = performance.now()
    await expect
      .poll(async () => (await ask(berth.platform.ingressUrl ?? '', sample.host)).body, {
        timeout: REPAIR_SECONDS * 1000,
      })
      .toContain('"version":"2"')
    const seconds = await repaired(sample, since)
    figures.push({ case: 'removed during a deployment', containers: `${length}`, events, seconds: seconds.toFixed(1) })
    expect((await containersOf(sample, 2)).sort()).toEqual(begun.sort())
  })
})
