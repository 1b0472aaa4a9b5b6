import { afterAll, beforeAll, beforeEach, describe, inject, test } from 'vitest'
import { findEngine } from '../../../src/app-types/engines/engines.ts'
import { startTestCluster, type TestCluster } from '../../crash/harness/test-cluster.ts'
import { ensureEngineImages } from '../../support/engines/ensure-image.ts'
import { ServiceMatrix } from './matrix.ts'
import { STEPS } from './steps.ts'

/** All engines: `npm run prove:services`. */
const ENGINES = ['POSTGRESQL', 'REDIS'].flatMap((name) => findEngine(name) ?? [])
const CYCLES = 3

let cluster: TestCluster
let matrix: ServiceMatrix
const available = new Set<string>()

beforeAll(async () => {
  cluster = await startTestCluster({ postgresTemplate: inject('postgresTemplate') })
  for (const engine of ENGINES) if (await ensureEngineImages(cluster.docker, engine)) available.add(engine.name)
  if (available.has('REDIS')) matrix = await ServiceMatrix.open(cluster, { cycles: CYCLES })
})

afterAll(async () => {
  await matrix?.[Symbol.asyncDispose]()
  await cluster?.close()
})

describe.each(ENGINES.map((engine) => [engine.title, engine] as const))('%s', (_title, engine) => {
  beforeEach(({ skip }) => skip(!available.has(engine.name) || !matrix))

  test.each(STEPS.map((step) => [step.name, step] as const))('%s', async (_name, step) => {
    const skipped = step.isSkipped?.(await matrix.storyOf(engine)) ?? null
    if (skipped === null) await matrix.run(engine, step)
    else console.info(`Skipped: ${step.name}: ${skipped}`)
  })
})
