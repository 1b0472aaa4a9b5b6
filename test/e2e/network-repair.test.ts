import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { timesUnhealthy } from '../support/times-unhealthy.ts'
import { eventually } from '../worker/fixtures.ts'
import { ask } from './clients.ts'
import { type NetworkSite, startNetworkSite } from './network-site.ts'
import type { Sample } from './platform.ts'

const REPAIR_SECONDS = 30

const DAMAGES = [
  ['one container disconnected', 'disconnectOne'],
  ['every container disconnected', 'disconnectAll'],
  ['the network removed', 'removeNetwork'],
] as const
const DEPLOYMENT = 'removed during a deployment'
/** Of an environment each. */
const CONTAINERS = [1, 2]

// With events, an hour passes between routine reconciles: only an event can be in time.
const PLATFORMS = [
  ['on', { BERTH_ENGINE_EVENTS: 'true', BERTH_RECONCILE_SECONDS: '3600' }],
  ['off', { BERTH_ENGINE_EVENTS: 'false', BERTH_RECONCILE_SECONDS: '2' }],
] as const

const figures: Record<string, string>[] = []
const sites: NetworkSite[] = []
/** By platform, case and environment. Environments are harmed beside each other, each by one case after the other. */
const outcomes = new Map<string, PromiseWithResolvers<void>>()

const nameOf = (events: string, name: string, count: number) => `${events} ${name} ${count}`

function outcomeOf(name: string): PromiseWithResolvers<void> {
  const found = outcomes.get(name) ?? Promise.withResolvers<void>()
  outcomes.set(name, found)
  return found
}

beforeAll(() => {
  for (const [events, settings] of PLATFORMS) void runPlatform(events, settings)
})

afterAll(async () => {
  await Promise.allSettled([...outcomes.values()].map(({ promise }) => promise))
  for (const site of sites) await site.berth.stop()
  console.table(figures)
})

async function runPlatform(events: string, settings: Record<string, string>): Promise<void> {
  const names = [...DAMAGES.map(([name]) => name), DEPLOYMENT]
  const all = CONTAINERS.flatMap((count) => names.map((name) => outcomeOf(nameOf(events, name, count))))
  // Told by the test of the case, if it is asked at all.
  for (const { promise } of all) promise.catch(() => {})
  try {
    const site = await startNetworkSite(settings, CONTAINERS)
    sites.push(site)
    const at = (index: number) => ({ events, count: CONTAINERS[index] ?? 0 })
    await Promise.all(site.samples.map((sample, index) => runCases(site, sample, at(index))))
  } catch (error) {
    for (const { reject } of all) reject(error)
  }
}

async function runCases(site: NetworkSite, sample: Sample, at: { events: string; count: number }): Promise<void> {
  for (const [name, harm] of DAMAGES) {
    await settle(nameOf(at.events, name, at.count), () => repairs(site, sample, { ...at, name, harm: site[harm] }))
  }
  await settle(nameOf(at.events, DEPLOYMENT, at.count), () => outlives(site, sample, at))
}

const settle = (name: string, run: () => Promise<void>): Promise<void> =>
  run().then(outcomeOf(name).resolve, outcomeOf(name).reject)

interface Damage {
  events: string
  name: string
  harm: (sample: Sample) => Promise<unknown>
}

async function repairs(site: NetworkSite, sample: Sample, { events, name, harm }: Damage): Promise<void> {
  const before = await site.containersOf(sample)
  const times = () => timesUnhealthy(site.berth.database, sample.appEnvId)
  const earlier = await times()
  await harm(sample)
  const since = performance.now()
  // Until the damage is seen, so that a repair which has not begun is not taken for one that has ended.
  await eventually(times, (seen) => seen > earlier, REPAIR_SECONDS)
  const seconds = await site.repaired(sample, since)
  figures.push({ case: name, containers: `${before.length}`, events, seconds: seconds.toFixed(1) })
  expect((await site.containersOf(sample)).sort()).toEqual(before.sort())
}

async function outlives(site: NetworkSite, sample: Sample, { events }: { events: string }): Promise<void> {
  const { length } = await site.containersOf(sample)
  await site.deploy(sample, [{ name: 'BROKEN', value: 'late' }])
  const begun = await eventually(
    () => site.containersOf(sample, 2),
    (seen) => seen.length === length,
    REPAIR_SECONDS,
  )
  await site.removeNetwork(sample)
  const since = performance.now()
  await eventually(
    // What was sent to a container as it lost its network gets no answer.
    () => ask(site.berth.platform.ingressUrl ?? '', sample.host, undefined, '/', 2).catch(() => null),
    (answer) => answer?.body.includes('"version":"2"') ?? false,
    REPAIR_SECONDS,
  )
  const seconds = await site.repaired(sample, since)
  figures.push({ case: DEPLOYMENT, containers: `${length}`, events, seconds: seconds.toFixed(1) })
  expect((await site.containersOf(sample, 2)).sort()).toEqual(begun.sort())
}

describe.each(PLATFORMS)('with engine events %s', (events) => {
  describe.each(DAMAGES)('%s', (name) => {
    test.each(CONTAINERS)(
      'is repaired, and nothing is replaced: %i containers',
      (count) => outcomeOf(nameOf(events, name, count)).promise,
    )
  })

  test.each(CONTAINERS)(
    'a deployment outlives its network: %i containers',
    (count) => outcomeOf(nameOf(events, DEPLOYMENT, count)).promise,
  )
})
