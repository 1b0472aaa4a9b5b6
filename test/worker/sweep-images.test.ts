import { afterAll, beforeAll, expect, test } from 'vitest'
import { DOCKERFILE_NAME, packContext } from '../../src/builder/context/build-context.ts'
import { labelStages } from '../../src/builder/dockerfile/dockerfile-labels.ts'
import { newId } from '../../src/domain/ids.ts'
import { resourcesOf } from '../../src/domain/resources.ts'
import { readAppEnvHistory } from '../../src/services/app-env/app-env-history.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { promoteDeployment } from '../../src/services/lifecycle/promote.ts'
import { rollbackAppEnv } from '../../src/services/lifecycle/rollback.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import type { WorkerContext } from '../../src/worker/context/worker-context.ts'
import { EngineHealth } from '../../src/worker/engine/engine-health.ts'
import { sweepBuildSteps } from '../../src/worker/housekeeping/sweep-containers.ts'
import { sweepImages } from '../../src/worker/housekeeping/sweep-images.ts'
import { createHarbour, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'

let harbour: Harbour
/** With the machine's own engine. */
let real: Harbour

beforeAll(async () => {
  harbour = await createHarbour({ BERTH_IMAGES_KEPT: '2' }, await inMemory())
  real = await createHarbour()
})

afterAll(async () => {
  for (const one of [harbour, real]) await one?.close()
})

const tools = (there = harbour): WorkerContext => {
  const { runtime, imageBuilder, database, config, log } = there
  return {
    runtime,
    imageBuilder,
    database,
    config,
    engineHealth: new EngineHealth(runtime, log, async () => {}),
  } as WorkerContext
}
const sweep = () => sweepImages(tools(), AbortSignal.timeout(60_000))

/** An image of a version, or what a build that failed has left. */
async function build(appEnvId: string, contentId: string, ...instructions: string[]): Promise<string | null> {
  const { stageLabels, namespace } = await harbour.imageBuilder.traits()
  const dockerfile = [`FROM ${harbour.image}`, `ENV CONTENT=${contentId}`, ...instructions].join('\n')
  const image = {
    accountId: harbour.accountId,
    appId: newId('app'),
    appEnvId,
    contentId,
    operationId: newId('op'),
    name: `berth-${namespace}/swept:${contentId.slice(-8)}`,
    context: packContext(null, labelStages(dockerfile, stageLabels(appEnvId))),
    dockerfile: DOCKERFILE_NAME,
    buildArgs: {},
    credentials: {},
    resources: resourcesOf({ zClouds: 1 }),
    processes: 1000,
    diskMb: 1000,
    onLine: () => {},
  }
  return harbour.imageBuilder.build(image, { timeoutSeconds: 30 }).then(
    ({ imageId }) => imageId,
    () => null,
  )
}

/** A deployed version that was built. */
async function builtVersion(appEnvId: string, share?: string): Promise<{ id: string; imageDigest: string }> {
  const id = await harbour.deploy(appEnvId)
  const imageDigest = share ?? (await build(appEnvId, id)) ?? ''
  await harbour.database.content.update({ where: { id }, data: { type: 'BUILD', imageDigest } })
  return { id, imageDigest }
}

const onTheEngine = async (appEnvId: string) =>
  (await harbour.imageBuilder.builtImages({ appEnvId })).map(({ id }) => id).sort()

test('versions beyond those kept are refused a rollback first, and lose their image a sweep later', async () => {
  const appEnvId = await harbour.sample()
  const { appId } = await harbour.appEnvRow(appEnvId)
  const sibling = await harbour.sample({ appId, name: 'staging' })
  const aside = await builtVersion(sibling)
  const first = await builtVersion(appEnvId)
  const second = await builtVersion(appEnvId)
  const third = await builtVersion(appEnvId)
  const fourth = await builtVersion(appEnvId, first.imageDigest)
  const all = [first, second, third].map(({ imageDigest }) => imageDigest)
  const caller = await harbour.services.authenticate(harbour.adminToken)
  const wanted = async () => {
    const page = { limit: 20, offset: 0 }
    const { activities } = await readAppEnvHistory(harbour.database, caller, { appEnvId }, page)
    return Object.fromEntries(activities.map((one) => [one.contentId, one.canRollback]))
  }
  expect(await wanted()).toEqual({ [first.id]: true, [second.id]: true, [third.id]: true, [fourth.id]: false })

  await sweep()
  expect(await onTheEngine(appEnvId)).toEqual(all.sort())
  expect(await wanted()).toEqual({ [first.id]: false, [second.id]: false, [third.id]: true, [fourth.id]: false })
  const rollback = harbour.perform(rollbackAppEnv, { appEnvId, targetContentId: second.id })
  await expect(rollback).rejects.toMatchObject({ reason: 'IMAGE_REMOVED' })

  await sweep()
  // The first version's image is the fourth's too, which is promised.
  expect(await onTheEngine(appEnvId)).toEqual([first.imageDigest, third.imageDigest].sort())
  expect(await onTheEngine(sibling)).toEqual([aside.imageDigest])
})

test('a rollback that was chosen before its target was given up finds the image', async () => {
  const appEnvId = await harbour.sample()
  const target = await builtVersion(appEnvId)
  for (let version = 2; version <= 4; version += 1) await builtVersion(appEnvId)
  const { operationId } = await harbour.perform(rollbackAppEnv, { appEnvId, targetContentId: target.id })
  await sweep()
  expect(await harbour.database.content.findUnique({ where: { id: target.id } })).toMatchObject({ imageDigest: null })
  await sweep()
  await sweep()
  expect(await onTheEngine(appEnvId)).toContain(target.imageDigest)
  harbour.startWorker()
  expect(await harbour.ended(operationId ?? '')).toMatchObject({ status: 'SUCCEEDED' })
  await harbour.stopWorkers()
})

test('images of versions that were never deployed are kept as long as layers, and no longer', async () => {
  const appEnvId = await harbour.sample()
  const failed = await builtVersion(appEnvId)
  const { imageDigest } = await builtVersion(appEnvId)
  const { database } = harbour
  await database.content.update({ where: { id: failed.id }, data: { status: 'FAILED', deployedAt: null } })
  for (let round = 0; round < 2; round += 1) await sweep()
  expect(await onTheEngine(appEnvId)).toHaveLength(2)
  await database.$executeRaw`UPDATE content SET updated_at = now() - interval '8 days' WHERE id = ${failed.id}`
  for (let round = 0; round < 2; round += 1) await sweep()
  expect(await onTheEngine(appEnvId)).toEqual([imageDigest])
})

test('layers of a build that came to nothing go, and those of others stay for the next one', async () => {
  const [futile, useful] = [await harbour.sample(), await harbour.sample()]
  for (const appEnvId of [futile, useful]) {
    const id = await harbour.deploy(appEnvId)
    await harbour.database.content.update({ where: { id }, data: { type: 'BUILD', imageDigest: null } })
    const startedAt = new Date()
    expect(await build(appEnvId, id, 'WORKDIR /made', 'COPY nothing /')).toBeNull()
    const status = appEnvId === futile ? 'FAILED' : 'SUCCEEDED'
    const data = { status, startedAt, finishedAt: new Date() } as const
    await harbour.database.operation.updateMany({ where: { appEnvId }, data })
    expect(await onTheEngine(appEnvId)).toHaveLength(1)
  }
  await sweep()
  expect([await onTheEngine(futile), await onTheEngine(useful)]).toEqual([[], [expect.any(String)]])
})

test('containers of builds end where no operation is open, and are left alone where one is', async () => {
  const [idle, busy] = [await real.sample(), await real.sample()]
  await real.deployment(busy)
  const { stageLabels } = await real.imageBuilder.traits()
  for (const appEnvId of [idle, busy]) {
    const command = { Image: real.image, Entrypoint: ['node'], Cmd: ['-e', 'setTimeout(() => {}, 60000)'] }
    const container = await real.docker.createContainer({ ...command, Labels: stageLabels(appEnvId) })
    await container.start()
  }
  await sweepBuildSteps(tools(real), AbortSignal.timeout(60_000))
  const left = await real.imageBuilder.buildSteps()
  expect(left.map(({ appEnvId }) => appEnvId)).toEqual([busy])
})

test('a promoted image outlives the environment that built it, until no version needs it', async () => {
  const staging = await harbour.sample({ name: 'staging' })
  const { appId } = await harbour.appEnvRow(staging)
  const production = await harbour.sample({ appId, name: 'production' })
  const { imageDigest } = await builtVersion(staging)
  const { imageDigest: own } = await builtVersion(staging)
  const [{ id: contentId } = { id: '' }] = await harbour.database.content.findMany({ where: { imageDigest } })
  const promotion = await harbour.ask(promoteDeployment, production, { fromAppEnvId: staging, contentId })
  const worker = harbour.startWorker()
  expect(await harbour.ended(promotion)).toMatchObject({ status: 'SUCCEEDED' })
  // The engine keeps what a container uses.
  await harbour.ended(await harbour.ask(stopAppEnv, production))
  await harbour.ended(await harbour.ask(deleteAppEnv, staging))
  expect([imageDigest, own]).toEqual([expect.anything(), expect.anything()])
  expect(await onTheEngine(staging)).toEqual([imageDigest])
  await sweep()
  expect(await onTheEngine(staging)).toEqual([imageDigest])
  await harbour.ended(await harbour.ask(deleteAppEnv, production))
  await worker.stop()
  await sweep()
  expect(await onTheEngine(staging)).toEqual([])
})
