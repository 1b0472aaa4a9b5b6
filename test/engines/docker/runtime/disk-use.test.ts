import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWorld, uniqueId, type World } from '../../../contracts/engine-harness.ts'
import { buildImage } from '../../../contracts/image-builder/build-image.ts'
import { dockerHarness } from '../../../support/docker-harness.ts'

let world: World
beforeAll(async () => {
  world = createWorld(dockerHarness, await dockerHarness.ensureImage())
})
afterAll(() => dockerHarness.cleanUp(world.installationId))

const MB = 1024 * 1024

test('what a container has written counts where its image declares a volume, too', async () => {
  const { runtime } = world
  const { id, appEnvId } = await buildImage(world, ['VOLUME /data'])
  const rolloutId = uniqueId('op')
  await runtime.apply(world.rollout({ appEnvId, rolloutId, pinnedImage: id }))
  const [replica] = await runtime.observe({ appEnvId })
  const write = "require('fs').writeFileSync('/data/written', Buffer.alloc(20 << 20, 1))"
  await runtime.exec(replica?.name ?? '', ['node', '-e', write], { timeoutSeconds: 30 })
  const [use] = (await runtime.diskUse()).filter((one) => one.appEnvId === appEnvId)
  expect(use?.bytes).toBeGreaterThanOrEqual(20 * MB)
  expect(use?.bytes).toBeLessThan(25 * MB)
  const touch = "for (let at = 0; at < 500; at += 1) require('fs').writeFileSync('/tmp/' + at, '')"
  await runtime.exec(replica?.name ?? '', ['node', '-e', touch], { timeoutSeconds: 30 })
  const count = (await runtime.fileCounts()).get(replica?.containerId ?? '')
  if (process.getuid?.() === 0) expect(count).toBeGreaterThanOrEqual(500)
})
