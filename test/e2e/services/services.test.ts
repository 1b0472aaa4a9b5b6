import { afterAll, beforeAll, beforeEach, describe, inject, test } from 'vitest'
import { findEngine } from '../../../src/app-types/engines/engines.ts'
import { startTestCluster, type TestCluster } from '../../crash/harness/test-cluster.ts'
import { ensureEngineImages } from '../../support/engines/ensure-image.ts'
import { freePorts } from '../../support/free-ports.ts'
import { ServiceMatrix } from './matrix.ts'
import { STEPS } from './steps.ts'

/** The smallest. All engines and steps: `npm run prove -- services`. */
const ENGINE = findEngine('REDIS')
const CYCLES = 1

let cluster: TestCluster
let matrix: ServiceMatrix
let isAvailable = false

beforeAll(async () => {
  cluster = await startTestCluster({
    postgresTemplate: inject('postgresTemplate'),
    // Nothing here waits for a routine reconcile, and each asks every service by a program in its container.
    settings: { BERTH_TCP_PORTS: String(await freePorts(4)), BERTH_RECONCILE_SECONDS: '5' },
  })
  isAvailable = ENGINE !== null && (await ensureEngineImages(cluster.docker, ENGINE))
  if (isAvailable) matrix = await ServiceMatrix.open(cluster, { cycles: CYCLES })
})

afterAll(async () => {
  await matrix?.[Symbol.asyncDispose]()
  await cluster?.close()
})

describe.each(ENGINE ? [[ENGINE.title, ENGINE] as const] : [])('%s', (_title, engine) => {
  beforeEach(({ skip }) => skip(!isAvailable))

  const steps = STEPS.filter(({ isTested }) => isTested)

  test.for(steps.map((step) => [step.name, step] as const))('%s', async ([, step], { skip }) => {
    const reason = step.isSkipped?.(await matrix.storyOf(engine)) ?? null
    if (reason !== null) console.info(`Skipped: ${step.name}: ${reason}`)
    skip(reason !== null)
    await matrix.run(engine, step)
  })
})
