import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { flood } from './flood.ts'

let held: TestDatabase
beforeAll(async () => {
  held = await createTestDatabase()
})
afterAll(() => held.drop())

// `npm run prove -- tcp` opens 10,000.
test('a thousand connections at once to the port of a service harm neither it nor the API nor an app', async () => {
  const {
    flooded,
    flood: seen,
    reached,
    isKept,
    refusedInMetrics,
  } = await flood(held.url, { atOnce: 1_000, seconds: 2 })
  expect(seen.attempts).toBeGreaterThanOrEqual(1_000)
  expect(flooded.api).toMatchObject({ failed: 0 })
  expect(flooded.app).toMatchObject({ failed: 0 })
  expect(flooded.api.requests).toBeGreaterThan(0)
  // Its cap.
  expect(reached).toBeLessThanOrEqual(50)
  expect(isKept).toBe(true)
  expect(refusedInMetrics).toBeGreaterThan(900)
})
