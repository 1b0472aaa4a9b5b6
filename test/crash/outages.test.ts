import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Laboratory, openLaboratory } from './harness/laboratory.ts'
import { cutListeners, killDatabase } from './outages.ts'

const SEED = 20_261_123
let lab: Laboratory

beforeAll(async () => {
  lab = await openLaboratory()
})

afterAll(() => lab?.close())

test('nothing that was acknowledged is lost when PostgreSQL is killed', { timeout: 240_000 }, async () => {
  const outages = { seed: SEED, rounds: 2, environments: 3, calls: 30 }
  const { acknowledged, refused, visits } = await killDatabase(lab, outages, console.log)
  expect(acknowledged + refused).toBe(60)
  expect(visits).toBeGreaterThan(0)
})

test('operations are found when every listening session is cut', { timeout: 240_000 }, async () => {
  expect(await cutListeners(lab)).toBeGreaterThan(0)
})
