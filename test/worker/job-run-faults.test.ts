import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runtimeUnavailable } from '../../src/domain/errors.ts'
import { hasRunEnded } from '../../src/domain/job-run.ts'
import { type ContainerRuntime, RuntimeError } from '../../src/engines/runtime/container-runtime.ts'
import { createJobRun } from '../../src/services/job-run/create-job-run.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import type { EngineHealth } from '../../src/worker/engine/engine-health.ts'
import { recordEngine } from '../../src/worker/engine/engine-record.ts'
import { failuresInARow } from '../../src/worker/runs/supervise-run.ts'
import { INSTALLATION_ENGINE } from '../../src/worker/scope/engine-scope.ts'
import { createWorker, type Worker } from '../../src/worker/worker.ts'
import { createImage, EMPTY_CONFIG } from '../support/memory-engine/images.ts'
import { memoryEngine } from '../support/memory-engine/memory-engine.ts'
import { MemoryMachine } from '../support/memory-engine/memory-machine.ts'
import type { Program } from '../support/memory-engine/program.ts'
import { createWorld, type World } from '../support/world.ts'
import { eventually } from './fixtures.ts'

/** What the engine answers instead, if anything. */
type Fault = (method: keyof ContainerRuntime) => Error | null

const machine = new MemoryMachine()
let world: World
let worker: Worker
let fault: Fault = () => null
/** Containers of runs that ran when another one was created. */
let beside: string[] = []

const forever: Program = (process) => process.print('running')
const brief: Program = () => 0

beforeAll(async () => {
  machine.images.add(
    createImage({ programs: { forever, brief }, config: { ...EMPTY_CONFIG, command: ['forever'] } }),
    'job:1',
  )
  const settings = { BERTH_RECONCILE_SECONDS: '1', BERTH_STOP_GRACE_SECONDS: '1', BERTH_ENGINE_WAIT_SECONDS: '1' }
  world = await createWorld({ settings, poolSize: 20 })
})
beforeEach(async () => {
  ;[fault, beside] = [() => null, []]
  worker = await startedWorker()
})
afterEach(() => worker?.stop())
afterAll(async () => {
  for (const container of machine.containers.values()) await container.stop(0)
  await world?.close()
})

async function startedWorker(): Promise<Worker> {
  const { id: installationId } = await world.database.installation.findFirstOrThrow()
  const { database, url: databaseUrl, vault, config, log } = world
  const engine = memoryEngine(machine, { installationId })
  const started = createWorker({
    database,
    databaseUrl,
    vault,
    config,
    log,
    ...engine,
    runtime: failing(engine.runtime),
    recordScaling: async () => false,
    beginDueBackups: async () => {},
    beginDueJobRuns: async () => null,
    advanceInstallations: async () => {},
    deleteExpiredAppEnvs: async () => {},
  })
  started.start()
  return started
}

/** The same engine, which fails as the test says. */
const failing = (runtime: ContainerRuntime): ContainerRuntime =>
  new Proxy(runtime, {
    get(target, name: keyof ContainerRuntime) {
      const method = target[name] as (...given: unknown[]) => unknown
      return (...given: unknown[]) => {
        const error = name === 'watch' ? null : fault(name)
        if (error && name !== 'startRun') throw error
        if (name === 'createRun') beside.push(...runningRuns())
        const answer = method.apply(target, given)
        // It has started the container, and fails then.
        return error ? Promise.resolve(answer).then(() => Promise.reject(error)) : answer
      }
    },
  })

const runningRuns = (): string[] =>
  [...machine.containers.values()]
    .filter(({ options, phase }) => options.run !== null && phase === 'running')
    .map(({ name }) => name)

async function begin(jobConfig: Record<string, unknown> = {}): Promise<string> {
  const app = { port: undefined, dockerPreset: 'JOB', jobConfig: { command: 'forever', shell: false, ...jobConfig } }
  const { appEnvId } = await world.appEnv({ app })
  const { operationId } = await world.perform(deployImage, { appEnvId, image: 'job:1' })
  await eventually(
    () => world.database.operation.findUniqueOrThrow({ where: { id: operationId ?? '' } }),
    ({ status }) => status === 'SUCCEEDED',
  )
  return (await world.perform(createJobRun, { appEnvId })).jobRunId
}

const read = (id: string) =>
  world.database.jobRun.findUniqueOrThrow({ where: { id }, include: { attempts: { orderBy: { number: 'asc' } } } })
const ended = (id: string) =>
  eventually(
    () => read(id),
    ({ status }) => hasRunEnded(status),
  )
const running = (id: string) =>
  eventually(
    () => read(id),
    ({ attempts }) => attempts.some(({ startedAt }) => startedAt !== null),
  )

const refuses = () => new RuntimeError('CONTAINER_START_FAILED', 'The engine refuses')

describe('an attempt that Berth gives up', () => {
  test('has no container when it is recorded as ended, and none beside the next one', async () => {
    fault = (method) => (method === 'startRun' ? refuses() : null)
    const row = await ended(await begin({ backoffLimit: 1 }))
    expect(row).toMatchObject({ status: 'FAILED', reason: 'START_FAILED' })
    expect(row.attempts).toHaveLength(2)
    expect(beside).toEqual([])
    expect(runningRuns()).toEqual([])
  })

  test('is not recorded as ended before its container is removed', async () => {
    let removals = 0
    fault = (method) => {
      if (method === 'startRun') return refuses()
      if (method !== 'removeRuns' || removals > 0) return null
      removals += 1
      return new Error('The engine is busy')
    }
    const row = await ended(await begin())
    expect(row).toMatchObject({ status: 'FAILED', reason: 'START_FAILED' })
    expect([removals, row.attempts.length]).toEqual([1, 1])
    expect(runningRuns()).toEqual([])
  })

  test('tells of an engine that has forgotten the start, and is not run a second time', async () => {
    const message = 'The container engine was lost while it started the container'
    fault = (method) => (method === 'startRun' ? new RuntimeError('START_LOST', message) : null)
    const row = await ended(await begin())
    expect(row).toMatchObject({ status: 'FAILED', reason: 'ENGINE_LOST', message, exitCode: null })
    expect(row.attempts).toMatchObject([{ startedAt: null, reason: 'ENGINE_LOST' }])
    expect(runningRuns()).toEqual([])
  })

  test('is not run again when its container has ended and is pruned while its start is repeated', async () => {
    let starts = 0
    fault = (method) => {
      if (method !== 'startRun') return null
      starts += 1
      if (starts === 1) return new Error('The answer was lost')
      if (starts > 2) return null
      for (const container of [...machine.containers.values()]) if (container.options.run) machine.remove(container)
      return null
    }
    const row = await ended(await begin({ command: 'brief' }))
    expect(row).toMatchObject({ status: 'FAILED', reason: 'CONTAINER_REMOVED' })
    expect(row.attempts).toHaveLength(1)
  })

  test('keeps the reason for which it was being stopped', async () => {
    fault = (method) => (method === 'stopRun' ? refuses() : null)
    const row = await ended(await begin({ timeoutSeconds: 1, backoffLimit: 1 }))
    expect(row).toMatchObject({ status: 'TIMED_OUT', reason: 'TIMED_OUT' })
    expect(row.message).toMatch(/did not end within 1 s/)
    expect(row.attempts).toHaveLength(1)
    expect(runningRuns()).toEqual([])
  })

  test('tells that the engine was lost, also when only another worker saw that', async () => {
    const jobRunId = await begin()
    await running(jobRunId)
    await worker.stop()
    const away = { reachable: false, reason: 'The engine is away', info: null } as EngineHealth
    await recordEngine(world.database, away, true, () => {}, INSTALLATION_ENGINE)
    for (const container of machine.containers.values())
      if (container.options.run !== null && container.phase === 'running') await container.stop(0)
    worker = await startedWorker()
    const row = await ended(jobRunId)
    expect(row).toMatchObject({ status: 'FAILED', reason: 'ENGINE_LOST', exitCode: 137 })
  })

  test('because of an engine that was away too long loses its container as soon as that is back', async () => {
    const jobRunId = await begin({ timeoutSeconds: 2 })
    await running(jobRunId)
    await worker.stop()
    fault = () => runtimeUnavailable('The engine is away')
    worker = await startedWorker()
    const row = await ended(jobRunId)
    expect(row).toMatchObject({ status: 'FAILED', reason: 'ENGINE_LOST' })
    expect(runningRuns()).toHaveLength(1)
    const [attempt] = row.attempts
    expect(attempt?.removeAt?.getTime()).toBeLessThanOrEqual(row.finishedAt?.getTime() ?? 0)
    fault = () => null
    await eventually(
      async () => runningRuns(),
      (names) => names.length === 0,
    )
  })
})

test('failures count in a row: a watch that lasted ends the row, unless what failed was the stop', () => {
  const [brief, long] = [1_000, 3_600_000]
  expect(failuresInARow(0, { watchedMs: null, isBeingStopped: false })).toBe(1)
  expect(failuresInARow(6, { watchedMs: brief, isBeingStopped: false })).toBe(7)
  expect(failuresInARow(6, { watchedMs: long, isBeingStopped: false })).toBe(1)
  expect(failuresInARow(6, { watchedMs: long, isBeingStopped: true })).toBe(7)
})
