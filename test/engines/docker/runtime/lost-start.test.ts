import { afterAll, beforeAll, expect, test } from 'vitest'
import { runOf } from '../../../contracts/container-runtime/runs.ts'
import { createWorld, type World } from '../../../contracts/engine-harness.ts'
import { dockerEngine } from '../../../support/docker-engine.ts'
import { ENGINE_SOCKET, dockerHarness as harness } from '../../../support/docker-harness.ts'
import { engineProxy } from '../../../support/engine-proxy.ts'

let world: World

beforeAll(async () => {
  world = createWorld(harness, await harness.ensureImage())
})
afterAll(() => harness.cleanUp(world.installationId))

/** What engines answer that were killed while they started the container. */
test.each([
  [409, 'AlreadyExists: task 9f3c already exists: unknown'],
  [500, 'runc create failed: container with given ID already exists: id already in use'],
])('of a run is told apart from a container that is gone: %i %s', async (status, message) => {
  const { containerId } = await world.runtime.createRun(runOf(world, harness.programs.fail))
  const start = /^POST \/containers\/[^/]+\/start/
  await using proxy = await engineProxy(ENGINE_SOCKET, { only: start, kind: 'refuse', status, message })
  const { runtime } = dockerEngine({ ...world, dockerHost: proxy.host })
  await expect(runtime.startRun(containerId)).rejects.toMatchObject({ reason: 'START_LOST' })
  expect(await world.runtime.observeRuns({ containerId })).toMatchObject([{ phase: 'created' }])
})
