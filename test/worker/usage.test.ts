import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'

let harbour: Harbour

beforeAll(async () => {
  harbour = await createHarbour({ BERTH_USAGE_SECONDS: '1' })
})
afterAll(() => harbour?.close())

test('a real container counts from the engine’s start to the engine’s end, though it ended while no worker ran', async () => {
  const { database } = harbour
  const appEnvId = await harbour.sample()
  harbour.startWorker()
  expect(await harbour.ended(await harbour.deployment(appEnvId))).toMatchObject({ status: 'SUCCEEDED' })
  const intervals = () => database.usageInterval.findMany({ where: { appEnvId }, orderBy: { id: 'asc' } })
  const [seen] = await eventually(intervals, ([first]) => first !== undefined && first.until > first.startedAt)
  expect(seen).toMatchObject({ kind: 'COMPUTE', amount: 1000n, hasEnded: false })

  await harbour.stopWorkers()
  const [container] = await harbour.containersOf(appEnvId)
  await harbour.byHand.stop(container?.Id ?? '')
  const { State } = await harbour.docker.getContainer(container?.Id ?? '').inspect()
  harbour.startWorker()
  const [ended] = await eventually(intervals, ([first]) => first?.hasEnded === true)
  expect(ended).toMatchObject({
    startedAt: new Date(State.StartedAt),
    until: new Date(State.FinishedAt),
    sourceId: container?.Id,
  })

  // It was started again, and counts anew until it is removed with its environment.
  await eventually(intervals, (all) => all.length === 2)
  await harbour.perform(deleteAppEnv, { appEnvId })
  const all = await eventually(intervals, (found) => found.every(({ hasEnded }) => hasEnded))
  expect(all).toHaveLength(2)
  expect(Number(all[1]?.startedAt)).toBeGreaterThanOrEqual(Number(all[0]?.until))
  expect(Number(all[1]?.until)).toBeGreaterThan(Number(all[1]?.startedAt))
})
