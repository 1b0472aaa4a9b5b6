import { afterAll, beforeAll, beforeEach, describe, inject, test } from 'vitest'
import { findEngine } from '../../../src/app-types/engines/engines.ts'
import { startTestCluster, type TestCluster } from '../../crash/harness/test-cluster.ts'
import { ensureEngineImages } from '../../support/engines/ensure-image.ts'
import { freePorts } from '../../support/free-ports.ts'
import { ServiceMatrix } from './matrix.ts'
import { STEPS } from './steps.ts'

/** The cheaper one first: it takes more of the steps. All engines and steps: `npm run prove:services`. */
const ENGINES = ['REDIS', 'POSTGRESQL'].flatMap((name) => findEngine(name) ?? [])
const CYCLES = 1

let cluster: TestCluster
let matrix: ServiceMatrix
const available = new Set<string>()

beforeAll(async () => {
  cluster = await startTestCluster({
    postgresTemplate: inject('postgresTemplate'),
    // Nothing here waits for a routine reconcile, and each asks every service by a program in its container.
    settings: { BERTH_TCP_PORTS: String(await freePorts(4)), BERTH_RECONCILE_SECONDS: '5' },
  })
  for (const engine of ENGINES) if (await ensureEngineImages(cluster.docker, engine)) available.add(engine.name)
  if (available.has('REDIS')) matrix = await ServiceMatrix.open(cluster, { cycles: CYCLES })
})

afterAll(async () => {
  await matrix?.[Symbol.asyncDispose]()
  await cluster?.close()
})

describe.each(ENGINES.map((engine) => [engine.title, engine] as const))('%s', (_title, engine) => {
  beforeEach(({ skip }) => skip(!available.has(engine.name) || !matrix))

  const steps = STEPS.filter(({ tested }) => tested === 'EACH' || (tested === 'FIRST' && engine === ENGINES[0]))

  test.for(steps.map((step) => [step.name, step] as const))('%s', async ([, step], { skip }) => {
    const reason = step.isSkipped?.(await matrix.storyOf(engine)) ?? null
    if (reason !== null) console.info(`Skipped: ${step.name}: ${reason}`)
    skip(reason !== null)
    await matrix.run(engine, step)
  })
})
