import { afterAll, beforeAll, expect, test } from 'vitest'
import { updatePlan } from '../../../src/services/plan/plan-commands.ts'
import { deleteBudget, setBudget } from '../../../src/services/usage/budget-commands.ts'
import type { EventType } from '../../../src/storage/events/event.ts'
import { noticeOf } from '../../../src/storage/events/notices.ts'
import { alertBudgets } from '../../../src/storage/usage/budgets.ts'
import { recordKeptBytes } from '../../../src/storage/usage/kept-bytes.ts'
import { recordPrices } from '../../../src/storage/usage/prices.ts'
import { readUsage } from '../../../src/storage/usage/usage-lines.ts'
import { recordSighting } from '../../../src/storage/usage/usage-log.ts'
import { createWorld, type World } from '../../support/world.ts'
import { time } from './scripted-day.ts'

let world: World
let place: { appId: string; appEnvId: string; contentId: string }

beforeAll(async () => {
  world = await createWorld()
  const { appId, appEnvId } = await world.appEnv()
  place = { appId, appEnvId, contentId: await world.deploy(appEnvId) }
  await world.perform(updatePlan, { plan: 'standard', zCloudHourPrice: 1_000_000, volumeGbMonthPrice: 1_000_000 })
  await recordPrices(world.database)
})
afterAll(() => world?.close())

/** A container of one zCloud, at 1 EUR for an hour. */
const run = (containerId: string, from: string, to: string) =>
  world.database.$transaction((tx) =>
    recordSighting(tx, {
      accountId: world.accountId,
      containerId,
      ...place,
      seen: {
        kind: 'COMPUTE',
        runAt: time(from),
        finishedAt: time(to),
        seenAt: null,
        formerEndAt: null,
        restartCount: 0,
      },
    }),
  )

/** Two workers look at once. */
const look = (now: string) =>
  Promise.all([1, 2].map(() => alertBudgets(world.database, time(now), 'EUR'))).then(() => told())

const told = async () => {
  const where = { eventSequenceId: world.accountId, type: 'budget.reached' }
  const events = await world.database.event.findMany({ where, orderBy: { sequence: 'asc' } })
  return events.map(({ payload }) => payload as Record<string, unknown>)
}

const percents = async (now: string) => (await look(now)).map(({ month, percent }) => `${month} ${percent}`)

test('a budget is told of at 50, 80 and 100 percent, of each once a month', async () => {
  const { accountId } = world
  await world.perform(setBudget, { accountId, amount: '2' })
  expect(await percents('2031-06-10T00:00:00')).toEqual([])
  await run('one', '2031-06-10T00:00:00', '2031-06-10T00:59:59.990')
  expect(await percents('2031-06-10T02:00:00')).toEqual([])
  await run('two', '2031-06-10T02:00:00', '2031-06-10T02:00:00.010')
  expect(await percents('2031-06-10T03:00:00')).toEqual(['2031-06 50'])
  // From 50 to more than 100 percent at once.
  await run('three', '2031-06-10T03:00:00', '2031-06-10T05:00:00')
  expect(await percents('2031-06-10T05:00:00')).toEqual(['2031-06 50', '2031-06 80', '2031-06 100'])
  // A budget that was raised, and reached again, is no news in the same month.
  await world.perform(setBudget, { accountId, amount: '3.50' })
  expect(await percents('2031-06-20T00:00:00')).toHaveLength(3)
  await run('four', '2031-07-01T00:00:00', '2031-07-01T02:00:00')
  expect(await percents('2031-07-02T00:00:00')).toEqual(['2031-06 50', '2031-06 80', '2031-06 100', '2031-07 50'])
  await world.perform(deleteBudget, { accountId })
  await run('five', '2031-07-03T00:00:00', '2031-07-04T00:00:00')
  expect(await percents('2031-07-05T00:00:00')).toHaveLength(4)
})

test('people are told in words', async () => {
  const [first] = await told()
  const event = { type: 'budget.reached' as EventType, payload: first ?? {} }
  expect(noticeOf(event, { envName: null, hasRecovered: false })).toEqual({
    title: '50 % of the budget of 2031-06 are spent',
    text: 'So far it is 1.00 of 2.00 EUR.',
  })
})

test('a volume counts with its disk, from its creation to its deletion, at every size', async () => {
  const { database, accountId } = world
  const { appEnvId } = await world.appEnv({ volume: { path: '/data', disk: 1000 } })
  const volume = await database.volume.findFirstOrThrow({ where: { appEnvId } })
  const hourAgo = new Date(Math.floor(Date.now() / 1000) * 1000 - 3_600_000)
  await database.volume.update({ where: { id: volume.id }, data: { createdAt: hourAgo } })
  await database.usageAccount.update({ where: { accountId }, data: { openSince: new Date(hourAgo.getTime() - 1) } })
  const used = async (minutes: number) => {
    const to = new Date(hourAgo.getTime() + minutes * 60_000)
    const lines = await readUsage(database, { accountId, from: hourAgo, to })
    return lines.filter(({ kind }) => kind === 'VOLUME').reduce((sum, { parts }) => sum + parts, 0n)
  }
  const intervals = () => database.usageInterval.findMany({ where: { sourceId: volume.id }, orderBy: { id: 'asc' } })
  await Promise.all([recordKeptBytes(database), recordKeptBytes(database)])
  expect(await used(30)).toBe(1000n * 1_800_000n)

  await database.volume.update({ where: { id: volume.id }, data: { diskMb: 3000 } })
  await recordKeptBytes(database)
  expect((await intervals()).map(({ amount, hasEnded }) => [amount, hasEnded])).toEqual([
    [1000n, true],
    [3000n, false],
  ])
  await database.volume.update({ where: { id: volume.id }, data: { deletedAt: new Date() } })
  await recordKeptBytes(database)
  await recordKeptBytes(database)
  const [before, after] = await intervals()
  expect([before?.hasEnded, after?.hasEnded, (await intervals()).length]).toEqual([true, true, 2])
  expect(Number(after?.startedAt)).toBeGreaterThanOrEqual(Number(before?.until))
})
