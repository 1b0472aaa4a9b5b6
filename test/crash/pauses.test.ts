import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startTestCluster, type TestCluster } from './harness/test-cluster.ts'
import { pauseWorkers } from './pauses.ts'

const SEED = 20_261_122
let cluster: TestCluster

beforeAll(async () => {
  cluster = await startTestCluster({
    processes: { worker: 2 },
    settings: { BERTH_LEASE_SECONDS: '3' },
    postgresTemplate: inject('postgresTemplate'),
  })
})

afterAll(() => cluster?.close())

test('a worker that was paused past its lease changes nothing any more', { timeout: 240_000 }, async () => {
  const report = await pauseWorkers(cluster, { seed: SEED, pauses: 2 }, console.log)
  expect(report.pauses).toBe(2)
})
