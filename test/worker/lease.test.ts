import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ContainerRuntime } from '../../src/engines/runtime/container-runtime.ts'
import { cancelOperation } from '../../src/services/operation/cancel-operation.ts'
import { LeaseLost, OperationEnded } from '../../src/worker/claim/abandoned.ts'
import type { AppEnvLease } from '../../src/worker/claim/app-env-lease.ts'
import { fenced } from '../../src/worker/claim/fenced.ts'
import { claim, release } from '../../src/worker/claim/lease-table.ts'
import { findLeaseAhead, renewLeases } from '../../src/worker/claim/leased-table.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'

let harbour: Harbour

beforeAll(async () => {
  harbour = await createHarbour({}, await inMemory())
})

afterAll(() => harbour?.close())

const expire = (appEnvId: string) =>
  harbour.database.$executeRaw`UPDATE app_env SET lease_expires_at = now() - interval '1 s' WHERE id = ${appEnvId}`

const rename = (lease: AppEnvLease, name: string) =>
  fenced(harbour.database, lease, (tx) => tx.appEnv.update({ where: { id: lease.appEnvId }, data: { name } }))

const claimAs = (owner: string, queue: 'operations' | 'reconciles' = 'reconciles', seconds = 5) =>
  claim(harbour.database, queue, owner, seconds)

const DONE = { requeueAfterSeconds: 3600, observed: false }

describe('a lease', () => {
  let appEnvId: string

  beforeEach(async () => {
    await harbour.database.$executeRaw`UPDATE app_env SET due_at = now() + interval '1 hour', lease_expires_at = NULL`
    await harbour.database.$executeRaw`UPDATE operation SET status = 'CANCELLED'`
    appEnvId = await harbour.sample()
  })

  test('that holds for longer than any shows that the clock was set back', async () => {
    await claimAs('first')
    expect(await findLeaseAhead(harbour.database, 300)).toBeNull()
    await harbour.database.$executeRaw`
      UPDATE app_env SET lease_expires_at = lease_expires_at + interval '1 hour' WHERE id = ${appEnvId}`
    expect(await findLeaseAhead(harbour.database, 300)).toBeGreaterThan(3_500)
  })

  test('is held by one worker at a time, and by the next once it has expired', async () => {
    const first = await claimAs('first')
    expect(first).toMatchObject({ appEnvId })
    expect(await claimAs('second')).toBeNull()
    await expire(appEnvId)
    await harbour.database.$executeRaw`UPDATE app_env SET due_at = now() WHERE id = ${appEnvId}`
    const second = await claimAs('second')
    expect(second?.claim.token).toBe((first?.claim.token ?? 0) + 1)
    await expect(rename(first as AppEnvLease, 'stale')).rejects.toThrow(LeaseLost)
    await rename(second as AppEnvLease, 'fresh')
    // Handing back what is not held any more changes nothing.
    await release(harbour.database, first as AppEnvLease, DONE)
    expect(await harbour.appEnvRow(appEnvId)).toMatchObject({ name: 'fresh', leaseOwner: 'second' })
  })

  test('ends by the monotonic clock when it is not renewed, and lives on when it is', async () => {
    const lease = (await claimAs('short', 'reconciles', 1)) as AppEnvLease
    await new Promise((resolve) => setTimeout(resolve, 700))
    await renewLeases(harbour.database, 'app_env', [lease], 1)
    await new Promise((resolve) => setTimeout(resolve, 700))
    lease.assertHeld()
    await eventually(
      async () => lease.signal.aborted,
      (aborted) => aborted,
    )
    expect(lease.signal.reason).toBeInstanceOf(LeaseLost)
    await expect(rename(lease, 'late')).rejects.toThrow(LeaseLost)
  })

  test('is renewed with the others even while a request has one of the rows locked', async () => {
    const other = await harbour.sample()
    const leases = [await claimAs('one'), await claimAs('one')] as AppEnvLease[]
    const before = leases.map((lease) => lease.renewedAt)
    await harbour.database.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM app_env WHERE id = ${other} FOR UPDATE`
      await renewLeases(harbour.database, 'app_env', leases, 5)
    })
    const isRenewed = new Map(leases.map((lease, index) => [lease.appEnvId, lease.renewedAt > (before[index] ?? 0)]))
    expect([isRenewed.get(appEnvId), isRenewed.get(other)]).toEqual([true, false])
  })

  test('gives way to a request that came meanwhile, which is not lost at the release', async () => {
    const lease = (await claimAs('worker')) as AppEnvLease
    await harbour.deployment(appEnvId)
    expect(await claimAs('other', 'operations')).toBeNull()
    await release(harbour.database, lease, DONE)
    expect((await harbour.appEnvRow(appEnvId)).dueAt.getTime()).toBeLessThanOrEqual(Date.now())
    expect(await claimAs('other', 'operations')).toMatchObject({ appEnvId })
  })

  test('is due again when it is released, at the next reconcile or the end of a drain', async () => {
    const lease = (await claimAs('worker')) as AppEnvLease
    await release(harbour.database, lease, DONE)
    const wait = (await harbour.appEnvRow(appEnvId)).dueAt.getTime() - Date.now()
    expect(wait).toBeGreaterThan(3_500_000)
    expect(wait).toBeLessThan(3_700_000)
  })

  test('is counted for its operation until it is handed back, and by then only by the worker that holds it', async () => {
    const operationId = await harbour.deployment(appEnvId)
    const claims = async () =>
      (await harbour.database.operation.findUniqueOrThrow({ where: { id: operationId } })).unfinishedClaims
    const lost = (await claimAs('first', 'operations')) as AppEnvLease
    expect(await claims()).toBe(1)
    await expire(appEnvId)
    const held = (await claimAs('second', 'operations')) as AppEnvLease
    expect(await claims()).toBe(2)
    await release(harbour.database, lost, DONE)
    expect(await claims()).toBe(2)
    await release(harbour.database, held, DONE)
    expect(await claims()).toBe(0)
  })

  test('is not to be had for an operation that lost its workers while another such operation runs', async () => {
    const other = await harbour.sample()
    await harbour.deployment(appEnvId)
    await harbour.deployment(other)
    await harbour.database.operation.updateMany({ where: { status: 'QUEUED' }, data: { runsAlone: true } })
    const held = (await claimAs('first', 'operations')) as AppEnvLease
    expect(held).toMatchObject({ appEnvId })
    expect(await claimAs('second', 'operations')).toBeNull()
    await harbour.database.operation.updateMany({ where: { appEnvId }, data: { status: 'CANCELLED' } })
    await release(harbour.database, held, DONE)
    expect(await claimAs('second', 'operations')).toMatchObject({ appEnvId: other })
  })

  test('of an operation that was cancelled writes nothing more', async () => {
    const operationId = await harbour.deployment(appEnvId)
    const lease = (await claimAs('worker', 'operations')) as AppEnvLease
    lease.operationId = operationId
    await rename(lease, 'while open')
    await harbour.perform(cancelOperation, { operationId })
    await expect(rename(lease, 'after the end')).rejects.toThrow(OperationEnded)
    expect((await harbour.appEnvRow(appEnvId)).name).toBe('while open')
  })
})

describe('a worker that loses its environment in the middle of a deployment', () => {
  test('leaves it to its successor: one container, one outcome, no stale write', async () => {
    const gate = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    // Stands still where a paused process would, and does not even hear that it should stop.
    const stuck: ContainerRuntime = {
      ...harbour.runtime,
      async apply(rollout) {
        arrived.resolve()
        await gate.promise
        await harbour.runtime.apply(rollout)
      },
    }
    const first = harbour.startWorker({ runtime: stuck, id: 'first' })
    const appEnvId = await harbour.sample()
    const operationId = await harbour.deployment(appEnvId)
    await arrived.promise
    await expire(appEnvId)
    harbour.startWorker({ id: 'second' })
    expect(await harbour.ended(operationId)).toMatchObject({ status: 'SUCCEEDED' })
    const after = await harbour.appEnvRow(appEnvId)
    gate.resolve()
    await first.stop()
    expect(await harbour.containersOf(appEnvId)).toHaveLength(1)
    const outcomes = (await harbour.eventsOf(appEnvId)).filter(({ type }) => type === 'operation.succeeded')
    expect(outcomes).toHaveLength(1)
    expect(await harbour.appEnvRow(appEnvId)).toMatchObject({
      status: 'RUNNING',
      version: after.version,
      health: 'HEALTHY',
    })
  })

  test('hands it back when it is stopped, so that nobody waits for the lease', async () => {
    const appEnvId = await harbour.sample({ envVars: [{ name: 'BROKEN', value: 'never' }] })
    const third = await soleWorker('third')
    const operationId = await harbour.deployment(appEnvId)
    await eventually(
      () => harbour.containersOf(appEnvId),
      (seen) => seen.length === 1,
    )
    await third.stop()
    expect(await harbour.appEnvRow(appEnvId)).toMatchObject({ leaseOwner: null })
    expect(await harbour.operation(operationId)).toMatchObject({ status: 'RUNNING' })
    expect(await harbour.containersOf(appEnvId)).toHaveLength(1)
  })
})

async function soleWorker(id: string) {
  await harbour.stopWorkers()
  return harbour.startWorker({ id })
}
