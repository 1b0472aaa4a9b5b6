import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { awaitInvariants } from './harness/invariants.ts'
import { startTestCluster, type TestCluster } from './harness/test-cluster.ts'
import { loseEveryAttempt } from './lost-attempts.ts'

let cluster: TestCluster

beforeAll(async () => {
  cluster = await startTestCluster({ postgresTemplate: inject('postgresTemplate') })
})

afterAll(() => cluster?.close())

test('work that ends its worker every time becomes a dead letter, and what runs beside it succeeds', {
  timeout: 240_000,
}, async () => {
  const { deaths, harmful, beside } = await loseEveryAttempt(cluster)
  expect(harmful).toMatchObject({ status: 'FAILED', reason: 'WORKER_LOST', isDeadLetter: true, attempt: 5 })
  expect(harmful.message).toMatch(/The worker ended.*attempt 5 of 5/)
  expect(deaths).toBe(5)
  expect(beside.status).toBe('SUCCEEDED')
  await awaitInvariants(cluster)
})
