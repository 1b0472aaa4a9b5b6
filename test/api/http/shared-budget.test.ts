import { afterAll, beforeAll, expect, test } from 'vitest'
import { SharedBudget, type SharedCounts } from '../../../src/api/http/shared-budget.ts'
import { sharedCounts } from '../../../src/services/system/rate-counts.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

const LIMIT = 1_000
/** Of the limit: what all processes together may allow too much or too little. */
const TOLERANCE = 0.05

let held: TestDatabase
beforeAll(async () => {
  held = await createTestDatabase({ poolSize: 10 })
})
afterAll(() => held?.drop())

const budgets = (processes: number, counts: SharedCounts = sharedCounts(held.database)) =>
  Array.from({ length: processes }, () => new SharedBudget(LIMIT, counts))

/** How many of the attempts are allowed when processes are asked in turns, so many at a time. */
async function allowed(
  processes: readonly SharedBudget[],
  key: string,
  attempts: number,
  atOnce = 20,
): Promise<number> {
  let count = 0
  for (let done = 0; done < attempts; done += atOnce) {
    const turns = Array.from({ length: atOnce }, (_, turn) => processes[turn % processes.length])
    const answers = await Promise.all(turns.map((budget) => budget?.consume(key, 1)))
    count += answers.filter((answer) => answer && !answer.isExceeded).length
  }
  return count
}

test.each([1, 2, 4])('five times the limit over %i processes is allowed once', async (processes) => {
  const count = await allowed(budgets(processes), `account ${processes}`, 5 * LIMIT)
  expect(Math.abs(count - LIMIT)).toBeLessThanOrEqual(TOLERANCE * LIMIT)
})

test('a process that begins when others have used the budget up refuses after its first share', async () => {
  const [first, late] = budgets(2)
  if (!first || !late) throw new Error('There are two')
  await allowed([first], 'late', 2 * LIMIT)
  expect(await allowed([late], 'late', LIMIT)).toBeLessThanOrEqual(LIMIT / 50)
  expect(await late.consume('late', 1)).toMatchObject({ isExceeded: true, remaining: 0 })
})

test('keys have budgets of their own, and a few requests of each ask nobody', async () => {
  let asked = 0
  const counts = { add: async () => Promise.reject(new Error(`asked ${++asked} times`)) }
  const [budget] = budgets(1, counts)
  for (let key = 0; key < 1_000; key += 1)
    for (let request = 0; request < 20; request += 1)
      expect((await budget?.consume(`address ${key}`, 1))?.isExceeded).toBe(false)
  expect(asked).toBe(0)
})

test('refused requests ask nobody', async () => {
  let asked = 0
  const shared = sharedCounts(held.database)
  const [budget] = budgets(1, {
    add(key, points) {
      asked += 1
      return shared.add(key, points)
    },
  })
  if (!budget) throw new Error('There is one')
  await allowed([budget], 'refused', LIMIT + 20)
  const before = asked
  expect(before).toBeLessThanOrEqual(50)
  expect(await allowed([budget], 'refused', 2 * LIMIT)).toBe(0)
  expect(asked).toBe(before)
})

test('without an answer, each process has the whole budget, and waits once', async () => {
  const silent = { add: () => new Promise<never>(() => {}) }
  const processes = budgets(2, silent)
  for (const budget of processes) expect(await allowed([budget], 'silent', 2 * LIMIT)).toBe(LIMIT)
})

test('the minute is the database’s: when it is over, the budget is there again', async () => {
  let now = 0
  const budget = new SharedBudget(LIMIT, sharedCounts(held.database), () => now)
  expect(await allowed([budget], 'minute', 2 * LIMIT)).toBe(LIMIT)
  await held.database.$executeRaw`UPDATE rate_count SET ends_at = now() WHERE key = 'minute'`
  const { secondsLeft } = await budget.consume('minute', 1)
  expect(secondsLeft).toBeGreaterThan(50)
  now += secondsLeft * 1000
  expect(await allowed([budget], 'minute', 2 * LIMIT)).toBe(LIMIT)
})

test('what is given back can be spent, and a request may cost several points', async () => {
  const budget = new SharedBudget(100, sharedCounts(held.database))
  expect((await budget.consume('points', 90)).remaining).toBe(10)
  expect((await budget.consume('points', 20)).isExceeded).toBe(true)
  expect((await budget.consume('points', 10)).isExceeded).toBe(false)
  expect((await budget.consume('points', 1)).isExceeded).toBe(true)
  budget.giveBack('points', 5)
  expect((await budget.consume('points', 5)).isExceeded).toBe(false)
})
