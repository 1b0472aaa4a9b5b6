import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Failpoint } from '../../src/fault-injection/failpoint.ts'
import { FIRST_BUILD } from './harness/build-scenario.ts'
import { awaitInvariants } from './harness/invariants.ts'
import type { Pass } from './harness/orders.ts'
import { SCENARIOS } from './harness/scenarios.ts'
import { createSubject, type Subject } from './harness/subject.ts'
import { startTestCluster, type TestCluster } from './harness/test-cluster.ts'
import { killAtEveryFailpoint, killAtRandom } from './kills.ts'
import { loseEveryAttempt } from './lost-attempts.ts'
import { cutListeners, killDatabase } from './outages.ts'
import { killInstallation, type SolutionKill } from './solution-kills.ts'

/** Whose first kill ends the worker, at operations that have no point below. */
const SEED = 20_261_199
const ATTEMPTS = 3
const log = (line: string) => console.log(line)
const at = (point: Failpoint, subject = 'env'): Pass => ({ point, subject, pass: 1 })

/** Together one of each kind of point and process; npm run prove -- kills has every point of every operation. */
const POINTS: Readonly<Record<string, Pass>> = {
  'deploy-image': at('request.committed', 'deployImage'),
  stop: at('container.removed', ''),
  start: at('fenced.locked'),
  restart: at('container.started'),
  release: at('engine.asked'),
  cancel: at('lease.claimed'),
  delete: at('routes.written', ''),
}
/** The worker that goes on with an installation, and the one that removes what it made; all: npm run prove -- solutions. */
const INSTALLATION_POINTS: readonly SolutionKill[] = [
  { phase: 'install', of: 'installation', point: 'installation.written', pass: 1 },
  { phase: 'remove', of: 'web', point: 'fenced.written', pass: 1 },
]

let cluster: TestCluster
/** Whose site all builds of this file build. */
let built: Subject

beforeAll(async () => {
  cluster = await startTestCluster({
    settings: { BERTH_OPERATION_ATTEMPTS: String(ATTEMPTS) },
    postgresTemplate: inject('postgresTemplate'),
  })
  built = await createSubject(cluster, 'Building')
})

afterAll(() => cluster?.close())

test('operations survive SIGKILL at a failpoint', { timeout: 240_000 }, async () => {
  const scenarios = SCENARIOS.filter(({ name }) => name in POINTS)
  const passes = ({ name }: { name: string }) => [POINTS[name]].filter((pass) => pass !== undefined)
  const subject = await createSubject(cluster, 'Killed')
  const report = await killAtEveryFailpoint(cluster, { passesOfEach: 1, scenarios, passes, subject }, log)
  expect(report).toMatchObject({ kills: Object.keys(POINTS).length, missed: 0 })
})

test('a build survives SIGKILL at a failpoint of its own', { timeout: 240_000 }, async () => {
  const passes = () => [at('image.recorded')]
  const builds = { passesOfEach: 1, scenarios: [FIRST_BUILD], subject: built, passes }
  const report = await killAtEveryFailpoint(cluster, builds, log)
  expect(report).toMatchObject({ kills: 1, missed: 0 })
})

test('operations at random survive SIGKILL at random moments', { timeout: 240_000 }, async () => {
  const report = await killAtRandom(cluster, { seed: SEED, kills: 1, environments: 2 }, log)
  expect(report.kills).toBe(1)
})

test('work that ends its worker every time becomes a dead letter, and what runs beside it succeeds', {
  timeout: 240_000,
}, async () => {
  const { deaths, harmful, beside } = await loseEveryAttempt(cluster, built)
  expect(harmful).toMatchObject({ status: 'FAILED', reason: 'WORKER_LOST', isDeadLetter: true, attempt: ATTEMPTS })
  expect(harmful.message).toMatch(/The worker ended.*attempt 3 of 3/)
  expect(deaths).toBe(ATTEMPTS)
  expect(beside.status).toBe('SUCCEEDED')
  await awaitInvariants(cluster)
})

test('nothing that was acknowledged is lost when PostgreSQL is killed', { timeout: 240_000 }, async () => {
  const outages = { seed: 20_261_123, rounds: 1, environments: 2, calls: 20 }
  const { acknowledged, refused, requests } = await killDatabase(cluster, outages, console.log)
  expect(acknowledged + refused).toBe(20)
  expect(requests).toBeGreaterThan(0)
})

test('operations are found when every listening session is cut', { timeout: 240_000 }, async () => {
  expect(await cutListeners(cluster)).toBeGreaterThan(0)
})

test('an installation, and its removal, survive SIGKILL between two steps', { timeout: 240_000 }, async () => {
  expect(await killInstallation(cluster, INSTALLATION_POINTS)).toBe(INSTALLATION_POINTS.length)
})
