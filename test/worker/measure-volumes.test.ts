import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ContainerRuntime } from '../../src/engines/runtime/container-runtime.ts'
import { getAppEnvStatus } from '../../src/services/app-env/app-env-reads.ts'
import type { WorkerContext } from '../../src/worker/context/worker-context.ts'
import { measureVolumes } from '../../src/worker/housekeeping/volumes.ts'
import { createWorld, type World } from '../support/world.ts'

const MB = 1024 * 1024
let world: World

beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

/** Two workers measure at once, as they do on one engine. */
async function measured(volumeId: string, usedMb: number): Promise<void> {
  const runtime = { volumeUse: async () => new Map([[volumeId, usedMb * MB]]) } as unknown as ContainerRuntime
  const { database, config, log } = world
  const context = {
    runtime,
    database,
    config,
    log,
    scope: null,
    engineHealth: { assertReachable() {} },
  } as unknown as WorkerContext
  await Promise.all([1, 2].map(() => measureVolumes(context, AbortSignal.timeout(60_000))))
}

test('tells once of each threshold that a volume reaches, and warns as long as it is full', async () => {
  const { appEnvId } = await world.appEnv({ volume: { path: '/data', disk: 1000 } })
  const { id, volume } = await world.database.appEnv.findUniqueOrThrow({
    where: { id: appEnvId },
    include: { volume: true },
  })
  const volumeId = volume?.id ?? ''
  const warnings = async () =>
    (
      await world.services.respond(
        getAppEnvStatus,
        { caller: await world.services.authenticate(world.adminToken), requestId: 'req_1' },
        { appEnvId: id },
      )
    ).warnings
  const told = async () =>
    (
      await world.database.event.findMany({ where: { type: 'volume.filling', appEnvId }, orderBy: { sequence: 'asc' } })
    ).map(({ payload }) => (payload as { percent: number }).percent)

  await measured(volumeId, 799)
  expect([await told(), await warnings()]).toEqual([[], []])
  await measured(volumeId, 800)
  expect(await told()).toEqual([80])
  expect(await warnings()).toEqual(['The volume is 80 % full: 800 of 1000 MB. Give it more disk, or remove data'])
  await measured(volumeId, 960)
  await measured(volumeId, 970)
  expect(await told()).toEqual([80, 95])
  await measured(volumeId, 10)
  expect(await warnings()).toEqual([])
  await measured(volumeId, 1200)
  expect(await told()).toEqual([80, 95, 100])
})
