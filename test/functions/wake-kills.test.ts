import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Subject } from '../crash/harness/subject.ts'
import { startTestCluster, type TestCluster } from '../crash/harness/test-cluster.ts'
import { createFunction } from './function-cluster.ts'
import { killDuringWake, type Victim } from './wake-kills.ts'

const REQUESTS = 20
let cluster: TestCluster
let subject: Subject

beforeAll(async () => {
  cluster = await startTestCluster({
    postgresTemplate: inject('postgresTemplate'),
    processes: { worker: 2, ingress: 2 },
    settings: { BERTH_LEASE_SECONDS: '10' },
  })
  subject = await createFunction(cluster, 'killed', { idleSeconds: 1, concurrency: 1000 })
})

afterAll(() => cluster?.close())

test.each<[Victim, 'FROZEN' | 'STOPPED']>([
  ['worker', 'FROZEN'],
  ['ingress', 'STOPPED'],
  ['container', 'FROZEN'],
])('no further request fails when the %s is killed while a %s function wakes', async (victim, depth) => {
  const report = await killDuringWake(cluster, subject, { victim, depth, requests: REQUESTS })
  const lost = victim === 'ingress' ? REQUESTS / 2 : 0
  expect(report).toMatchObject({ failures: [], lost, answered: REQUESTS - lost, containers: 1 })
})
