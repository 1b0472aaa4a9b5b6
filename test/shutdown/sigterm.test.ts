import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFleet } from '../support/api-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { proveShutdown } from './shutdown.ts'

let held: TestDatabase
let fleet: ReturnType<typeof createFleet>

beforeAll(async () => {
  held = await createTestDatabase()
  fleet = createFleet({ databaseUrl: held.url, settings: { BERTH_RATE_LIMIT: '1000000' } })
})
afterAll(async () => {
  await fleet.stop()
  await held.drop()
})

test('SIGTERM under load loses no answer, says goodbye to every subscription and ends within 10 s', async () => {
  const running = await fleet.start()
  const report = await proveShutdown({ running, database: held.database, subscriptions: 100, answersFirst: 60 })
  expect(report.problems).toEqual([])
  // 0 means in time as well: after 10 s it would have given up and said 1.
  expect(report).toMatchObject({ code: 0, goodbyes: { codes: { 1001: 16 }, reasons: { STOPPING: 20 } } })
  expect(new Set(report.socketCodes)).toEqual(new Set([1001]))
})
