import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWorld, eventually, onlyReplica, type World } from '../../contracts/engine-harness.ts'
import { dockerHarness as harness } from '../../support/docker-harness.ts'

const MB = 1024 * 1024
const WRITER = `require('node:fs').writeFileSync('/written', Buffer.alloc(${20 * MB})); setInterval(() => {}, 1000)`
let world: World

beforeAll(async () => {
  world = createWorld(harness, await harness.ensureImage())
})
afterAll(() => harness.cleanUp(world.installationId))

test('measures what a container has written outside of its volumes', async () => {
  const rollout = world.rollout({ command: { entrypoint: ['node'], args: ['-e', WRITER] } })
  await world.runtime.apply(rollout)
  const { containerId } = await onlyReplica(world.runtime, rollout.appEnvId)
  const [use] = await eventually(
    () => world.runtime.diskUse(),
    (found) => (found[0]?.bytes ?? 0) >= 20 * MB,
  )
  expect(use).toMatchObject({ containerId, appEnvId: rollout.appEnvId })
  expect(use?.bytes).toBeLessThan(21 * MB)
})
