import { afterAll, beforeAll, expect, test } from 'vitest'
import { monthOf } from '../../../src/domain/month.ts'
import { buildAppEnv } from '../../../src/services/lifecycle/build.ts'
import { retryOperation } from '../../../src/services/operation/retry-operation.ts'
import { updatePlan } from '../../../src/services/plan/plan-commands.ts'
import { databaseTime } from '../../../src/storage/database/time.ts'
import { endLostBuilds } from '../../../src/storage/usage/usage-log.ts'
import { sourceEnv } from '../../logs/started-build.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

type Place = Awaited<ReturnType<typeof sourceEnv>>

/** A build of the past, or one that a worker was seen at until then. */
const ran = ({ accountId, appId, appEnvId }: Place, from: Date, seconds: number, hasEnded = true) =>
  world.database.usageInterval.create({
    data: {
      accountId,
      appId,
      appEnvId,
      envName: 'shop',
      kind: 'BUILD',
      sourceId: `op_${Math.random()}`,
      amount: 1n,
      runAt: from,
      startedAt: from,
      until: new Date(from.getTime() + seconds * 1000),
      hasEnded,
    },
  })

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    ({ code, reason, message }) => ({ code, reason, message }),
  )

const BEYOND = {
  code: 'FORBIDDEN',
  reason: 'PLAN_LIMIT',
  message: 'The plan Standard allows 2 minutes of builds in a month (maxBuildMinutes), and this would be 3',
}

test('builds are refused once those of the month have used up what the plan allows, and name the limit', async () => {
  const place = await sourceEnv(world)
  const { appEnvId } = place
  await world.perform(updatePlan, { plan: 'standard', maxBuildMinutes: 2 })
  const { from } = monthOf(await databaseTime(world.database))
  await ran(place, new Date(from.getTime() - 3_600_000), 3_600)
  await ran(place, from, 119)
  const { operationId } = await world.perform(buildAppEnv, { appEnvId })
  await world.endOperation(operationId, 'FAILED')
  await ran(place, from, 1)
  expect(await refusal(world.perform(buildAppEnv, { appEnvId }))).toEqual(BEYOND)
  expect(await refusal(world.perform(retryOperation, { operationId }))).toEqual(BEYOND)
  await world.perform(updatePlan, { plan: 'standard', maxBuildMinutes: 3 })
  await world.perform(buildAppEnv, { appEnvId })
})

test('a build whose worker is gone counts until it was last seen; one that is seen goes on', async () => {
  const place = await sourceEnv(world)
  const now = await databaseTime(world.database)
  const lost = await ran(place, new Date(now.getTime() - 60_000), 30, false)
  const seen = await ran(place, new Date(now.getTime() - 60_000), 60, false)
  await endLostBuilds(world.database, 5)
  const found = await world.database.usageInterval.findMany({ where: { id: { in: [lost.id, seen.id] } } })
  expect(new Map(found.map(({ id, hasEnded, until }) => [id, [hasEnded, until]]))).toEqual(
    new Map([
      [lost.id, [true, lost.until]],
      [seen.id, [false, seen.until]],
    ]),
  )
})
