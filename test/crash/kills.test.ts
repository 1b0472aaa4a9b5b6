import { afterAll, beforeAll, expect, test } from 'vitest'
import { killAtEveryFailpoint, killAtRandom } from './kills.ts'
import { type Laboratory, openLaboratory } from './lab/laboratory.ts'
import { pick, randomFrom } from './lab/random.ts'

const SEED = 20_261_121
const tell = (line: string) => console.log(line)
let lab: Laboratory

beforeAll(async () => {
  lab = await openLaboratory()
})

afterAll(() => lab?.close())

test('every operation survives SIGKILL at a failpoint', { timeout: 180_000 }, async () => {
  const random = randomFrom(SEED)
  const report = await killAtEveryFailpoint(lab, { passesOfEach: 1, choose: (passes) => [pick(random, passes)] }, tell)
  expect(report.kills + report.missed).toBe(8)
})

test('operations at random survive SIGKILL at random moments', { timeout: 120_000 }, async () => {
  const report = await killAtRandom(lab, { seed: SEED, kills: 4 }, tell)
  expect(report.kills).toBe(4)
})
