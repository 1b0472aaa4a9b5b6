import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RecordScaling } from '../../src/domain/autoscaling.ts'
import { isOpen } from '../../src/domain/operation.ts'
import { createJobRun } from '../../src/services/job-run/create-job-run.ts'
import { beginDueJobRuns } from '../../src/services/job-schedule/due-job-runs.ts'
import { autoscaleAppEnv } from '../../src/services/lifecycle/autoscale-app-env.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { createWorker, type Worker } from '../../src/worker/worker.ts'
import { createImage, EMPTY_CONFIG } from '../support/memory-engine/images.ts'
import { memoryEngine } from '../support/memory-engine/memory-engine.ts'
import { MemoryMachine } from '../support/memory-engine/memory-machine.ts'
import type { Program } from '../support/memory-engine/program.ts'
import { createWorld, type World } from '../support/world.ts'
import { eventually } from './fixtures.ts'

const IMAGE = 'import:1'
const RUNS = 50
const AT_ONCE = 10
const MAX_CONCURRENCY = 3
const WORKERS = 4
/** The first ones wait this long until as many run as may; later ones only a moment, in which one too many would be seen. */
const FIRST_TURNS = 1_500
const TURNS = 10

const going = new Set<string>()
const begun: string[] = []
let mostAtOnce = 0

const importer: Program = async (process) => {
  const id = process.environment.BERTH_JOB_RUN_ID ?? ''
  begun.push(id)
  going.add(id)
  mostAtOnce = Math.max(mostAtOnce, going.size)
  process.print('imported')
  // The last ones have nobody beside them.
  const turns = () => (mostAtOnce < MAX_CONCURRENCY ? FIRST_TURNS : TURNS)
  for (let turn = 0; turn < turns() && going.size < MAX_CONCURRENCY; turn += 1) await pause(20)
  going.delete(id)
  return 0
}

const machine = new MemoryMachine()
const workers: Worker[] = []
let world: World

beforeAll(async () => {
  machine.images.add(createImage({ programs: { importer }, config: { ...EMPTY_CONFIG, command: ['importer'] } }), IMAGE)
  world = await createWorld({ poolSize: 20 })
  const { id: installationId } = await world.database.installation.findFirstOrThrow()
  const { database, url: databaseUrl, vault, config, log } = world
  const tools = { database, config, vault, log }
  const recordScaling: RecordScaling = (change) => autoscaleAppEnv(tools, change)
  for (let number = 0; number < WORKERS; number += 1) {
    const due = {
      beginDueBackups: async () => {},
      advanceInstallations: async () => {},
      deleteExpiredAppEnvs: async () => {},
      beginDueJobRuns: () => beginDueJobRuns(tools),
    }
    const engine = memoryEngine(machine, { installationId })
    workers.push(createWorker({ ...tools, databaseUrl, recordScaling, ...due, ...engine }))
  }
  for (const worker of workers) worker.start()
})

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  for (const container of machine.containers.values()) await container.stop(0)
  await world?.close()
})

test('fifty runs and four workers: never more than three at once, in the order of the queue', async () => {
  const jobConfig = { command: 'importer', shell: false, maxConcurrency: MAX_CONCURRENCY }
  const app = { name: 'Import', port: undefined, dockerPreset: 'JOB', jobConfig }
  const { appEnvId } = await world.appEnv({ app })
  const { operationId } = await world.perform(deployImage, { appEnvId, image: IMAGE })
  await eventually(
    () => world.database.operation.findUniqueOrThrow({ where: { id: operationId ?? '' } }),
    ({ status }) => !isOpen(status),
  )
  const asked: (string | null)[] = []
  // As many at once as have connections: on a busy machine the others would be told to come back later.
  while (asked.length < RUNS) {
    const requests = Array.from({ length: AT_ONCE }, () => world.perform(createJobRun, { appEnvId }))
    for (const { jobRunId } of await Promise.all(requests)) asked.push(jobRunId)
  }
  const rows = await eventually(
    () => world.database.jobRun.findMany({ where: { appEnvId }, orderBy: { queueNumber: 'asc' } }),
    (all) => all.every(({ status }) => status !== 'QUEUED' && status !== 'RUNNING'),
  )
  expect(rows).toHaveLength(RUNS)
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']))
  const left = rows.map(({ startedAt }) => startedAt?.getTime() ?? 0)
  expect(left).toEqual(left.toSorted((a, b) => a - b))
  expect(begun.toSorted()).toEqual(asked.toSorted())
  expect(mostAtOnce).toBe(MAX_CONCURRENCY)
})
