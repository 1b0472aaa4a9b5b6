import { afterAll, beforeAll, expect, test } from 'vitest'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import type { WorkerContext } from '../../src/worker/context/worker-context.ts'
import { EngineHealth } from '../../src/worker/engine/engine-health.ts'
import { sweepPulledImages } from '../../src/worker/housekeeping/sweep-images.ts'
import { recordPull } from '../../src/worker/images/image-gate.ts'
import { INSTALLATION_ENGINE } from '../../src/worker/scope/engine-scope.ts'
import type { TestRegistry } from '../contracts/engine-harness.ts'
import { createMemoryHarness } from '../support/memory-engine/memory-harness.ts'
import { createWorld, type World } from '../support/world.ts'

const harness = createMemoryHarness()
const engine = harness.open({ installationId: 'ins_sweep' })
let world: World
let registry: TestRegistry

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_IMAGES_KEPT: '1', BERTH_BUILD_CACHE_HOURS: '1' } })
  const started = await harness.startRegistry()
  if (!started) throw new Error('The memory engine has a registry')
  registry = started
})

afterAll(() => world?.close())

const sweep = () => {
  const { database, config, log } = world
  const engineHealth = new EngineHealth(engine.runtime, log, async () => {})
  return sweepPulledImages(
    { ...engine, scope: INSTALLATION_ENGINE, database, config, log, engineHealth } as unknown as WorkerContext,
    AbortSignal.timeout(60_000),
  )
}

/** An image that an account pulled two hours ago, by a name of its own. */
async function pulled(repository: string, { hoursAgo = 2, isNew = true } = {}) {
  await registry.publish(`team/${repository}`, '1')
  const image = `${registry.address}/team/${repository}:1`
  const resolved = await engine.imageBuilder.resolveImage(image, registry.credential)
  await recordPull(world.database, world.accountId, '', { ...resolved, isNew })
  const where = { accountId: world.accountId, imageId: resolved.imageId }
  await world.database.pulledImage.updateMany({
    where,
    data: { pulledAt: new Date(Date.now() - hoursAgo * 3_600_000) },
  })
  return resolved
}

/** A version with the image, deployed or not. */
async function version(appEnvId: string, pinned: string, isDeployed = true): Promise<string> {
  const { operationId } = await world.perform(deployImage, { appEnvId, image: 'any:1' })
  const operation = await world.database.operation.findUniqueOrThrow({ where: { id: operationId ?? '' } })
  const id = operation.contentId ?? ''
  const deployedAt = isDeployed ? new Date() : null
  await world.database.content.update({ where: { id }, data: { imageDigest: pinned, deployedAt } })
  if (isDeployed) await world.database.operation.update({ where: { id: operation.id }, data: { status: 'SUCCEEDED' } })
  return id
}

const held = async () => new Set((await engine.imageBuilder.heldImages()).map(({ id }) => id))

test('pulled images go once nothing needs them, and no others do', async () => {
  const { appEnvId } = await world.appEnv()
  const images = {
    replaced: await pulled('replaced'),
    serving: await pulled('serving'),
    underWay: await pulled('under-way'),
    recent: await pulled('recent', { hoursAgo: 0 }),
    byHand: await pulled('by-hand', { isNew: false }),
    unused: await pulled('unused'),
  }
  await version(appEnvId, images.replaced.pinned)
  await version(appEnvId, images.serving.pinned)
  await version(appEnvId, images.underWay.pinned, false)
  await sweep()
  const left = await held()
  const kept = Object.entries(images).flatMap(([name, { imageId }]) => (left.has(imageId) ? [name] : []))
  expect(kept).toEqual(['serving', 'underWay', 'recent', 'byHand'])
  const records = await world.database.pulledImage.findMany()
  expect(records.map(({ imageId }) => imageId)).not.toContain(images.unused.imageId)
})

test('an image of a deleted environment goes, and one that two accounts pulled waits for both', async () => {
  const { appEnvId } = await world.appEnv()
  const [gone, shared] = [await pulled('gone'), await pulled('shared')]
  await version(appEnvId, gone.pinned)
  await version(appEnvId, shared.pinned)
  await world.database.appEnv.update({ where: { id: appEnvId }, data: { deletedAt: new Date() } })
  await recordPull(world.database, await world.account(), '', { ...shared, isNew: false })
  await sweep()
  expect((await held()).has(gone.imageId)).toBe(false)
  expect((await held()).has(shared.imageId)).toBe(true)
})
