import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startTestCluster, type TestCluster } from './harness/test-cluster.ts'
import { cutListeners, killDatabase } from './outages.ts'

const SEED = 20_261_123
let cluster: TestCluster

beforeAll(async () => {
  cluster = await startTestCluster({ postgresTemplate: inject('postgresTemplate') })
})

afterAll(() => cluster?.close())

test('nothing that was acknowledged is lost when PostgreSQL is killed', { timeout: 240_000 }, async () => {
  const outages = { seed: SEED, rounds: 2, environments: 3, calls: 30 }
  const { acknowledged, refused, requests } = await killDatabase(cluster, outages, console.log)
  expect(acknowledged + refused).toBe(60)
  expect(requests).toBeGreaterThan(0)
})

test('operations are found when every listening session is cut', { timeout: 240_000 }, async () => {
  expect(await cutListeners(cluster)).toBeGreaterThan(0)
})
