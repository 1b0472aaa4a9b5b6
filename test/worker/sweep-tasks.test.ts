import { afterAll, beforeAll, expect, test } from 'vitest'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import type { WorkerContext } from '../../src/worker/context/worker-context.ts'
import { EngineHealth } from '../../src/worker/engine/engine-health.ts'
import { sweepTasks } from '../../src/worker/housekeeping/sweep-containers.ts'
import { createWorld as createEngineWorld, type World as EngineWorld } from '../contracts/engine-harness.ts'
import { createMemoryHarness } from '../support/memory-engine/memory-harness.ts'
import { createWorld, type World } from '../support/world.ts'

const harness = createMemoryHarness()
let engine: EngineWorld
let world: World

beforeAll(async () => {
  world = await createWorld()
  engine = createEngineWorld(harness, await harness.ensureImage())
})
afterAll(() => world?.close())

const sweep = () => {
  const { database, config, log } = world
  const engineHealth = new EngineHealth(engine.runtime, log, async () => {})
  return sweepTasks(
    { runtime: engine.runtime, database, config, log, engineHealth } as WorkerContext,
    AbortSignal.timeout(60_000),
  )
}

const startTask = (appEnvId: string, operationId: string) =>
  engine.runtime.startTask(engine.task({ ...harness.programs.wait, appEnvId, operationId }))

const running = async () => (await engine.runtime.observeTasks()).map(({ name }) => name).sort()

test('removes tasks of operations that are over or unknown, and no others', async () => {
  const { appEnvId } = await world.appEnv()
  const { operationId = '' } = await world.perform(deployImage, { appEnvId, image: 'any:1' })
  const wanted = await startTask(appEnvId, operationId ?? '')
  await startTask(appEnvId, 'op_unknown')
  await startTask('env_unknown', 'op_other')
  await sweep()
  expect(await running()).toEqual([wanted])

  await world.database.operation.update({ where: { id: operationId ?? '' }, data: { status: 'SUCCEEDED' } })
  await lease(appEnvId, 60)
  await sweep()
  expect(await running()).toEqual([wanted])

  await lease(appEnvId, -1)
  await sweep()
  expect(await running()).toEqual([])
})

async function lease(appEnvId: string, seconds: number): Promise<void> {
  await world.database.$executeRaw`
    UPDATE app_env SET lease_expires_at = now() + make_interval(secs => ${seconds}) WHERE id = ${appEnvId}`
}
