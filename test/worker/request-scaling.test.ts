import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changeHealthcheck } from '../../src/services/app-env/setting-commands.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { cancelOperation } from '../../src/services/operation/cancel-operation.ts'
import { Preempted } from '../../src/worker/claim/abandoned.ts'
import { LeaseKeeper } from '../../src/worker/claim/lease-keeper.ts'
import { recordEngine } from '../../src/worker/engine/engine-record.ts'
import { readScalingFacts, stepFor } from '../../src/worker/request-scaling/scaling-facts.ts'
import { INSTALLATION_ENGINE } from '../../src/worker/scope/engine-scope.ts'
import type { Program } from '../support/memory-engine/program.ts'
import { eventually } from './fixtures.ts'
import { createScalingWorld, IMAGE, LEASE_SECONDS, type ScalingWorld } from './scaling-world.ts'

let world: ScalingWorld

/** How long its programs take until they listen, and what they wait for besides; or the exit code with which they end at once. */
let startMs = 0
let mayListen: Promise<void> | undefined
let exitCode: number | null = null

const program: Program = async (process) => {
  if (exitCode !== null) return exitCode
  await pause(startMs, undefined, { signal: process.signal })
  await mayListen
  process.serve((_request, response) => response.end('here'))
}

beforeAll(async () => {
  world = await createScalingWorld(program, { BERTH_FROZEN_MB: '1000' })
})
beforeEach(() => {
  startMs = 0
  mayListen = undefined
  exitCode = null
})
afterAll(() => world?.close())

function containerOf(appEnvId: string) {
  const [container] = world.containersOf(appEnvId)
  if (!container) throw new Error(`${appEnvId} has no container`)
  return container
}

const depthOf = async (appEnvId: string) => (await world.row(appEnvId)).requestScaling?.depth

async function putToDeepestSleep(appEnvId: string): Promise<void> {
  await world.putToSleep(appEnvId)
  for (const depth of ['STOPPED', 'NONE']) {
    await world.database.$executeRaw`
      UPDATE request_scaling SET depth_since = now() - interval '10 years' WHERE app_env_id = ${appEnvId}`
    await world.scale(appEnvId)
    expect(await depthOf(appEnvId)).toBe(depth)
  }
}

describe('a frozen container that a restarted engine brought up elsewhere', () => {
  async function restartElsewhere(appEnvId: string) {
    const container = containerOf(appEnvId)
    const formerPort = container.port
    await container.stop(0)
    container.port = null
    await container.start()
    expect(container.port).not.toBe(formerPort)
    return container
  }

  async function expectWokenAt(appEnvId: string, { id, port }: { id: string; port: number | null }) {
    await world.ask(appEnvId)
    await world.scale(appEnvId)
    const { replicas, requestScaling } = await world.row(appEnvId)
    expect(requestScaling).toMatchObject({ depth: null })
    expect(replicas).toMatchObject([{ state: 'READY', containerId: id, port }])
  }

  test.each([
    ['before', false],
    ['after', true],
  ])('takes requests at its new address when it is woken %s a reconcile', async (_when, isReconciled) => {
    const appEnvId = await world.functionEnv()
    await world.putToSleep(appEnvId)
    expect(containerOf(appEnvId).phase).toBe('paused')
    const container = await restartElsewhere(appEnvId)
    if (isReconciled) {
      await world.reconcile(appEnvId)
      expect(container.phase).toBe('paused')
      expect((await world.row(appEnvId)).requestScaling).toMatchObject({ depth: 'FROZEN' })
    }
    await expectWokenAt(appEnvId, container)
  })

  test('takes requests at its new address when it moved while it drained', async () => {
    const appEnvId = await world.functionEnv()
    await world.beginToRest(appEnvId)
    const container = await restartElsewhere(appEnvId)
    await world.scale(appEnvId)
    expect(container.phase).toBe('paused')
    await expectWokenAt(appEnvId, container)
  })

  test('is due as soon as the engine answers again', async () => {
    const appEnvId = await world.functionEnv()
    await world.putToSleep(appEnvId)
    const { database, context } = world
    await database.$executeRaw`UPDATE app_env SET due_at = now() + interval '1 day'`
    await recordEngine(database, context.engineHealth, true, () => {}, INSTALLATION_ENGINE)
    expect((await world.row(appEnvId)).dueAt.getTime()).toBeLessThanOrEqual(Date.now())
  })
})

test('a program that ends at once when it is woken is started once more, and its requests are told why', async () => {
  const appEnvId = await world.functionEnv()
  await putToDeepestSleep(appEnvId)
  exitCode = 3
  await world.ask(appEnvId)
  await world.scale(appEnvId)
  const { requestScaling, observedReason } = await world.row(appEnvId)
  expect(requestScaling).toMatchObject({
    depth: 'NONE',
    failures: 1,
    failure: 'its container exited with code 3, 2 times in a row',
  })
  expect(observedReason).toMatch(/^It did not start: its container exited with code 3, 2 times in a row/)
})

test('work for requests leaves a reconcile due that was due before, and one that is not where it was, or sooner', async () => {
  const appEnvId = await world.functionEnv()
  const { database } = world
  await database.$executeRaw`UPDATE app_env SET due_at = now() - interval '1 minute' WHERE id = ${appEnvId}`
  const { dueAt } = await world.row(appEnvId)
  const lease = await world.claimForScaling(appEnvId)
  expect((await world.row(appEnvId)).dueAt).toEqual(dueAt)
  await world.carryOut(lease)
  expect((await world.row(appEnvId)).dueAt).toEqual(dueAt)
  await database.$executeRaw`UPDATE app_env SET due_at = now() + interval '1 day' WHERE id = ${appEnvId}`
  const another = await world.claimForScaling(appEnvId)
  // Should this worker die, another looks after the environment when the lease has expired.
  const { dueAt: takenOverAt, leaseExpiresAt } = await world.row(appEnvId)
  expect(takenOverAt).toEqual(leaseExpiresAt)
  await world.carryOut(another)
  expect((await world.row(appEnvId)).dueAt.getTime()).toBeLessThanOrEqual(takenOverAt.getTime())
})

test('a wake gives way to an operation, and what it began is removed when the operation is cancelled', async () => {
  const appEnvId = await world.functionEnv()
  await putToDeepestSleep(appEnvId)
  startMs = 3_600_000
  await world.ask(appEnvId)
  const lease = await world.claimForScaling(appEnvId)
  if (!lease) throw new Error('It could not be claimed')
  const keeper = new LeaseKeeper(world.database, LEASE_SECONDS, world.log)
  keeper.add(lease)
  const waking = world.carryOut(lease)
  await eventually(
    async () => world.containersOf(appEnvId),
    ([container]) => container?.phase === 'running',
  )
  await keeper.checkNow(appEnvId)
  expect(lease.signal.aborted).toBe(false)
  const { operationId } = await world.perform(deployImage, { appEnvId, image: IMAGE })
  await keeper.checkNow(appEnvId)
  expect(lease.signal.reason).toBeInstanceOf(Preempted)
  await waking
  expect(await world.row(appEnvId)).toMatchObject({ leaseOwner: null, requestScaling: { depth: 'NONE', failures: 0 } })
  await world.perform(cancelOperation, { operationId: operationId ?? '' })
  await world.reconcile(appEnvId)
  expect(world.containersOf(appEnvId)).toEqual([])
  startMs = 0
  await world.scale(appEnvId)
  expect(await world.row(appEnvId)).toMatchObject({ replicasReady: 1, requestScaling: { depth: null } })
})

test('frozen containers beyond the limit for all are stopped, those first that were used least recently', async () => {
  const { database, config } = world
  await database.$executeRaw`UPDATE request_scaling SET depth = 'NONE' WHERE depth = 'FROZEN'`
  const [older, newer] = [await world.functionEnv(), await world.functionEnv()]
  const found = async () => {
    const all = await readScalingFacts(database, config, { mayChangeOn: INSTALLATION_ENGINE })
    const steps = all.map((facts) => ({ appEnvId: facts.appEnvId, step: stepFor(facts, config) }))
    return steps.filter(({ appEnvId, step }) => step && [older, newer].includes(appEnvId))
  }
  for (const appEnvId of [older, newer]) await world.putToSleep(appEnvId)
  await database.$executeRaw`UPDATE request_scaling SET memory_mb = 500 WHERE depth = 'FROZEN'`
  expect(await found()).toEqual([])
  await database.$executeRaw`UPDATE request_scaling SET memory_mb = 501 WHERE depth = 'FROZEN'`
  expect(await found()).toMatchObject([{ appEnvId: older, step: { kind: 'SLEEP_DEEPER', depth: 'STOPPED' } }])
  await world.scale(older)
  expect([await depthOf(older), await depthOf(newer)]).toEqual(['STOPPED', 'FROZEN'])
  expect(await found()).toEqual([])
})

test('containers that a crowd needs are started together, before the first of them is up', async () => {
  const appEnvId = await world.functionEnv({ functionConfig: { concurrency: 10, maxScale: 3 } })
  await putToDeepestSleep(appEnvId)
  const gate = Promise.withResolvers<void>()
  mayListen = gate.promise
  await world.ask(appEnvId, 45)
  const scaled = world.scale(appEnvId)
  await expect.poll(() => world.containersOf(appEnvId).length).toBe(3)
  expect(await depthOf(appEnvId)).toBe('NONE')
  gate.resolve()
  await scaled
  const { replicas, replicasDesired } = await world.row(appEnvId)
  expect([replicasDesired, replicas.map(({ state }) => state)]).toEqual([3, ['READY', 'READY', 'READY']])
})

test('a wake waits as long for a slow start as a deployment does', async () => {
  const appEnvId = await world.functionEnv()
  const startup = { path: null, initialDelaySeconds: 0, periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 12 }
  await world.perform(changeHealthcheck, { appEnvId, startup })
  await world.deploy(appEnvId)
  await putToDeepestSleep(appEnvId)
  startMs = 2_500
  await world.ask(appEnvId)
  await world.scale(appEnvId, { BERTH_READY_TIMEOUT_SECONDS: 1 })
  expect(await world.row(appEnvId)).toMatchObject({ replicasReady: 1, requestScaling: { depth: null, failure: null } })
})
