import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseTime } from '../../../src/storage/database/time.ts'
import { endUnseen, recordUsage } from '../../../src/storage/usage/usage-log.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const isWaiting = async () => {
  const [found] = await world.database.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  return found?.count
}

test('a container that is seen while somebody takes it for gone counts on from then', async () => {
  const { appEnvId, appId, accountId } = await world.appEnv()
  await world.deploy(appEnvId)
  const { currentContentId } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  const containerId = 'container'
  const runAt = await databaseTime(world.database)
  const see = async () => {
    const seen = { kind: 'COMPUTE' as const, runAt, restartCount: 0, formerEndAt: null, finishedAt: null }
    const seenAt = await databaseTime(world.database)
    const of = { accountId, appId, appEnvId, contentId: currentContentId ?? '', containerId }
    await recordUsage(world.database, [{ ...of, seen: { ...seen, seenAt } }])
  }
  await see()
  let seeing: Promise<void> | undefined
  await world.database.$transaction(async (tx) => {
    await endUnseen(tx, containerId)
    seeing = see()
    await expect.poll(isWaiting).toBe(1)
  })
  await seeing
  const intervals = await world.database.usageInterval.findMany({
    where: { sourceId: containerId },
    orderBy: { id: 'asc' },
  })
  expect(intervals.map(({ hasEnded }) => hasEnded)).toEqual([true, false])
})
