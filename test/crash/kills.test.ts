import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Failpoint } from '../../src/fault-injection/failpoint.ts'
import { BUILD } from './harness/build-scenario.ts'
import { awaitInvariants } from './harness/invariants.ts'
import type { Pass } from './harness/orders.ts'
import { SCENARIOS } from './harness/scenarios.ts'
import { createSubject, type Subject } from './harness/subject.ts'
import { startTestCluster, type TestCluster } from './harness/test-cluster.ts'
import { killAtEveryFailpoint, killAtRandom } from './kills.ts'
import { loseEveryAttempt } from './lost-attempts.ts'
import { cutListeners, killDatabase } from './outages.ts'
import { killSolutions, type SolutionKill } from './solution-kills.ts'

/** Whose random kills end the API process once, and the worker once. */
const SEED = 20_261_180
const log = (line: string) => console.log(line)
const at = (point: Failpoint, subject = 'env'): Pass => ({ point, subject, pass: 1 })

/** One for each operation, and together one of each kind and process; npm run prove:kills has them all. */
const POINTS: Readonly<Record<string, Pass>> = {
  'deploy-image': at('request.committed', 'deployImage'),
  redeploy: at('container.created'),
  rollback: at('engine.answered'),
  stop: at('container.removed', ''),
  start: at('container.started'),
  'apply-changes': at('fenced.locked'),
  release: at('engine.asked'),
  cancel: at('lease.claimed'),
  delete: at('routes.written', ''),
}
const BUILD_POINTS = [at('source.fetched'), at('image.recorded')]

let cluster: TestCluster
/** Whose site all builds of this file build. */
let built: Subject

beforeAll(async () => {
  cluster = await startTestCluster({ postgresTemplate: inject('postgresTemplate') })
  built = await createSubject(cluster, 'Building')
})

afterAll(() => cluster?.close())

test('every operation survives SIGKILL at a failpoint', { timeout: 240_000 }, async () => {
  // A build has a test of its own below.
  const scenarios = SCENARIOS.filter((scenario) => scenario !== BUILD)
  const passes = ({ name }: { name: string }) => [POINTS[name]].filter((pass) => pass !== undefined)
  const report = await killAtEveryFailpoint(cluster, { passesOfEach: 1, scenarios, passes }, log)
  expect(report).toMatchObject({ kills: scenarios.length, missed: 0 })
})

test('a build survives SIGKILL at failpoints of its own', { timeout: 240_000 }, async () => {
  const builds = { passesOfEach: 1, scenarios: [BUILD], subject: built, passes: () => BUILD_POINTS }
  const report = await killAtEveryFailpoint(cluster, builds, log)
  expect(report).toMatchObject({ kills: BUILD_POINTS.length, missed: 0 })
})

test('a build survives SIGKILL at a random moment', { timeout: 240_000 }, async () => {
  const builds = { seed: 20_261_121, kills: 1, environments: 1, scenarios: [BUILD], subject: built }
  expect((await killAtRandom(cluster, builds, log)).kills).toBe(1)
})

test('operations at random survive SIGKILL at random moments', { timeout: 240_000 }, async () => {
  const report = await killAtRandom(cluster, { seed: SEED, kills: 2 }, log)
  expect(report.kills).toBe(2)
})

test('work that ends its worker every time becomes a dead letter, and what runs beside it succeeds', {
  timeout: 240_000,
}, async () => {
  const { deaths, harmful, beside } = await loseEveryAttempt(cluster, built)
  expect(harmful).toMatchObject({ status: 'FAILED', reason: 'WORKER_LOST', isDeadLetter: true, attempt: 5 })
  expect(harmful.message).toMatch(/The worker ended.*attempt 5 of 5/)
  expect(deaths).toBe(5)
  expect(beside.status).toBe('SUCCEEDED')
  await awaitInvariants(cluster)
})

test('nothing that was acknowledged is lost when PostgreSQL is killed', { timeout: 240_000 }, async () => {
  const outages = { seed: 20_261_123, rounds: 1, environments: 3, calls: 30 }
  const { acknowledged, refused, requests } = await killDatabase(cluster, outages, console.log)
  expect(acknowledged + refused).toBe(30)
  expect(requests).toBeGreaterThan(0)
})

test('operations are found when every listening session is cut', { timeout: 240_000 }, async () => {
  expect(await cutListeners(cluster)).toBeGreaterThan(0)
})

test('an installation, and its removal, survive SIGKILL between two steps', { timeout: 240_000 }, async () => {
  // The worker that goes on with it, and the one that removes what it made. All points: npm run prove:solutions.
  const isChosen = ({ phase, of, point }: SolutionKill) =>
    phase === 'install'
      ? of === 'installation' && point === 'installation.written'
      : of === 'web' && point === 'fenced.written'
  const choose = (all: SolutionKill[]) =>
    (['install', 'remove'] as const).flatMap(
      (phase) => all.find((kill) => kill.phase === phase && isChosen(kill)) ?? [],
    )
  const report = await killSolutions(cluster, { passesOfEach: 1, choose }, log)
  expect(report).toEqual({ kills: 2, missed: 0 })
})
