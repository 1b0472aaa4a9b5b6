import { afterAll, beforeAll, expect, test } from 'vitest'
import { stopAppEnv } from '../../../src/services/lifecycle/stop.ts'
import { claim } from '../../../src/worker/claim/lease-table.ts'
import { meter } from '../../../src/worker/housekeeping/meter.ts'
import { createScalingWorld, LEASE_SECONDS, type ScalingWorld } from '../../worker/scaling-world.ts'

let world: ScalingWorld

beforeAll(async () => {
  world = await createScalingWorld((process) => process.serve((_request, response) => response.end('up')))
})
afterAll(() => world?.close())

const look = () => meter(world.context, new AbortController().signal)

const intervalsOf = (appEnvId: string) =>
  world.database.usageInterval.findMany({ where: { appEnvId }, orderBy: { id: 'asc' } })

const facts = async (appEnvId: string) =>
  (await intervalsOf(appEnvId)).map(({ kind, amount, hasEnded }) => [kind, Number(amount), hasEnded])

test('a function counts in full while it runs, with its memory while it is frozen, and not at all without a container', async () => {
  const appEnvId = await world.functionEnv({ zClouds: 2 })
  const [container] = world.containersOf(appEnvId)
  await look()
  expect(await facts(appEnvId)).toEqual([['COMPUTE', 2000, false]])

  await world.putToSleep(appEnvId)
  await look()
  expect(await facts(appEnvId)).toEqual([
    ['COMPUTE', 2000, true],
    ['FROZEN', 1024, false],
  ])
  await world.ask(appEnvId)
  await world.scale(appEnvId)
  await look()
  expect((await facts(appEnvId)).at(-1)).toEqual(['COMPUTE', 2000, false])

  await world.perform(stopAppEnv, { appEnvId })
  await world.carryOut(await claim(world.database, 'operations', 'test', LEASE_SECONDS))
  expect(world.containersOf(appEnvId)).toEqual([])
  const engine = container?.observe()
  const all = await intervalsOf(appEnvId)
  expect(all.map(({ hasEnded }) => hasEnded)).toEqual([true, true, true])
  // From the engine's start to the engine's end, without a gap.
  const times = all.flatMap(({ startedAt, until }) => [startedAt, until])
  expect(times).toEqual([engine?.startedAt, times[1], times[1], times[3], times[3], engine?.finishedAt])
  await look()
  expect(await intervalsOf(appEnvId)).toEqual(all)
})

test('a container whose usage cannot be recorded is not removed before it is', async () => {
  const appEnvId = await world.functionEnv()
  await world.database.$executeRaw`ALTER TABLE usage_interval RENAME TO usage_interval_away`
  await world.perform(stopAppEnv, { appEnvId })
  await world.carryOut(await claim(world.database, 'operations', 'test', LEASE_SECONDS))
  await world.database.$executeRaw`ALTER TABLE usage_interval_away RENAME TO usage_interval`
  expect(world.containersOf(appEnvId).map(({ phase }) => phase)).toEqual(['exited'])

  await world.database.$executeRaw`UPDATE operation SET not_before = now()`
  await world.database.$executeRaw`UPDATE app_env SET due_at = now()`
  await world.carryOut(await claim(world.database, 'operations', 'test', LEASE_SECONDS))
  expect(world.containersOf(appEnvId)).toEqual([])
  expect(await facts(appEnvId)).toEqual([['COMPUTE', 1000, true]])
})
