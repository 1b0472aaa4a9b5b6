import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Laboratory, openLaboratory } from './harness/laboratory.ts'
import { pauseWorkers } from './pauses.ts'

const SEED = 20_261_122
let lab: Laboratory

beforeAll(async () => {
  lab = await openLaboratory({ processes: { worker: 2 }, settings: { BERTH_LEASE_SECONDS: '3' } })
})

afterAll(() => lab?.close())

test('a worker that was paused past its lease changes nothing any more', { timeout: 240_000 }, async () => {
  const report = await pauseWorkers(lab, { seed: SEED, pauses: 2 }, console.log)
  expect(report.pauses).toBe(2)
})
