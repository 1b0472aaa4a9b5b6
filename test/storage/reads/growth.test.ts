import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWorld, type World } from '../../support/world.ts'
import { createGrowing, type Growing } from './growth.ts'

let world: World
let growing: Growing

beforeAll(async () => {
  world = await createWorld()
  growing = await createGrowing(world)
})
afterAll(async () => {
  await growing?.close()
  await world?.close()
})

test('no read of an account with 10,000 apps scans a table that tenants fill, or sorts more than a page', async () => {
  await growing.grow(10_000)
  const costs = await growing.measure()
  expect(costs.flatMap(({ read, violations }) => violations.map((what) => `${read}: ${what}`))).toEqual([])
  // Nothing would be found in reads that ask nothing.
  expect(costs.filter(({ statements }) => statements > 0).length).toBeGreaterThan(60)
})
