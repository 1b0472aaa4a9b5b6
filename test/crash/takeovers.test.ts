import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { proveInShort } from '../calls/idempotency/everything.ts'
import { createFunction } from '../functions/function-cluster.ts'
import { killDuringWake, type Victim } from '../functions/wake-kills.ts'
import { keepLogs } from '../logs/kept-logs.ts'
import { killBuild } from '../logs/killed-build.ts'
import { type GitServer, startGitServer } from '../support/git-server.ts'
import type { Subject } from './harness/subject.ts'
import { startTestCluster, type TestCluster } from './harness/test-cluster.ts'
import { pauseWorkers } from './pauses.ts'

/** What two processes of a role do when one of them is killed or paused: one cluster for all of it. */
let cluster: TestCluster
let git: GitServer

beforeAll(async () => {
  cluster = await startTestCluster({
    processes: { api: 2, worker: 2, ingress: 2 },
    settings: { BERTH_LEASE_SECONDS: '5', BERTH_GIT_PRIVATE_HOSTS: 'true' },
    postgresTemplate: inject('postgresTemplate'),
  })
  git = await startGitServer()
})

afterAll(async () => {
  await cluster?.close()
  await git?.close()
})

test('a worker that was paused past its lease changes nothing any more', { timeout: 240_000 }, async () => {
  const points = { 'deploy-image': { point: 'container.created', subject: 'env', pass: 2 } } as const
  const report = await pauseWorkers(cluster, { seed: 1, pauses: 1, points }, console.log)
  expect(report.pauses).toBe(1)
})

test('keys and versions hold across processes and their deaths', { timeout: 240_000 }, async () => {
  await proveInShort(cluster, (line) => console.info(line))
})

test('the log of a build whose worker is killed goes on with the next attempt', { timeout: 240_000 }, async () => {
  await killBuild(cluster, git)
})

test('logs outlive a collector that is killed, and the container', { timeout: 240_000 }, async () => {
  const kept = await keepLogs(cluster, 10_000, 1)
  expect(kept).toMatchObject({ lost: 0, doubled: 0, hasLastWords: true, kills: 1, found: 5 })
})

const REQUESTS = 20
let sleeping: Promise<Subject> | undefined

// A container is killed by test/e2e/functions.test.ts; npm run prove -- functions kills all three again and again.
test.each<[Victim, 'FROZEN' | 'STOPPED']>([
  ['worker', 'FROZEN'],
  ['ingress', 'STOPPED'],
])('no further request fails when the %s is killed while a %s function wakes', async (victim, depth) => {
  sleeping ??= createFunction(cluster, 'killed', { idleSeconds: 1, concurrency: 1000 })
  const report = await killDuringWake(cluster, await sleeping, { victim, depth, requests: REQUESTS })
  const lost = victim === 'ingress' ? REQUESTS / 2 : 0
  expect(report).toMatchObject({ failures: [], lost, answered: REQUESTS - lost, containers: 1 })
})
