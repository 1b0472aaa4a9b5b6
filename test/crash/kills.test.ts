import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { BUILD, BUILD_POINTS } from './harness/build-scenario.ts'
import type { Pass } from './harness/orders.ts'
import { pick, randomFrom } from './harness/random.ts'
import { SCENARIOS } from './harness/scenarios.ts'
import { startTestCluster, type TestCluster } from './harness/test-cluster.ts'
import { killAtEveryFailpoint, killAtRandom } from './kills.ts'
import { killSolutions, type SolutionKill } from './solution-kills.ts'

const SEED = 20_261_121
const log = (line: string) => console.log(line)
let cluster: TestCluster

beforeAll(async () => {
  cluster = await startTestCluster({ postgresTemplate: inject('postgresTemplate') })
})

afterAll(() => cluster?.close())

test('every operation survives SIGKILL at a failpoint', { timeout: 240_000 }, async () => {
  const random = randomFrom(SEED)
  // A build has a test of its own below.
  const scenarios = SCENARIOS.filter((scenario) => scenario !== BUILD)
  const choose = (passes: Pass[]) => [pick(random, passes)]
  const report = await killAtEveryFailpoint(cluster, { passesOfEach: 1, scenarios, choose }, log)
  expect(report.kills + report.missed).toBe(scenarios.length)
})

test('a build survives SIGKILL at failpoints of its own', { timeout: 240_000 }, async () => {
  const random = randomFrom(SEED)
  const points = [BUILD_POINTS.slice(0, 3), BUILD_POINTS.slice(3)].map((some) => pick(random, some))
  const choose = (passes: Pass[]) => passes.filter(({ point }) => points.includes(point))
  const report = await killAtEveryFailpoint(cluster, { passesOfEach: 1, scenarios: [BUILD], choose }, log)
  expect(report).toMatchObject({ kills: points.length, missed: 0 })
})

test('a build survives SIGKILL at a random moment', { timeout: 240_000 }, async () => {
  const report = await killAtRandom(cluster, { seed: SEED, kills: 1, environments: 1, scenarios: [BUILD] }, log)
  expect(report.kills).toBe(1)
})

test('operations at random survive SIGKILL at random moments', { timeout: 240_000 }, async () => {
  const report = await killAtRandom(cluster, { seed: SEED, kills: 3 }, log)
  expect(report.kills).toBe(3)
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
