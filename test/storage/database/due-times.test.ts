import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWorld, type World } from '../../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

// Columns of whole milliseconds round half of all times up: what is due now would be due in a moment, and whoever is woken
// for it at once would find nothing and sleep.
test('what is due now can be claimed at once', async () => {
  const { appEnvId } = await world.appEnv()
  const { database } = world
  const notYet: number[] = []
  for (let round = 0; round < 40; round += 1) {
    await database.$executeRaw`UPDATE app_env SET due_at = now() WHERE id = ${appEnvId}`
    const [due] = await database.$queryRaw<unknown[]>`SELECT id FROM app_env WHERE id = ${appEnvId} AND due_at <= now()`
    if (!due) notYet.push(round)
  }
  expect(notYet).toEqual([])
})

test('every column that says when work is due, or a lease ends, has the precision of now()', async () => {
  const rounded = await world.database.$queryRaw<{ name: string }[]>`
    SELECT table_name || '.' || column_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND column_name IN ('due_at', 'not_before', 'drain_until', 'lease_expires_at')
      AND datetime_precision < 6`
  expect(rounded).toEqual([])
})
