import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnyCommand } from '../../src/calls/command.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { redeployAppEnv } from '../../src/services/lifecycle/redeploy.ts'
import { rollbackAppEnv } from '../../src/services/lifecycle/rollback.ts'
import { startAppEnv } from '../../src/services/lifecycle/start.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { claim } from '../../src/worker/claim/lease-table.ts'
import { createScalingWorld, LEASE_SECONDS, type ScalingWorld } from './scaling-world.ts'

const DEPTHS = ['FROZEN', 'STOPPED', 'NONE'] as const
type Depth = (typeof DEPTHS)[number]

let world: ScalingWorld

beforeAll(async () => {
  world = await createScalingWorld((process) => {
    process.serve((_request, response) => response.end('here'))
    return Promise.resolve()
  })
})
afterAll(() => world?.close())

async function sleepAt(appEnvId: string, depth: Depth): Promise<void> {
  await world.putToSleep(appEnvId)
  for (const next of DEPTHS.slice(1, DEPTHS.indexOf(depth) + 1)) {
    await world.database.$executeRaw`
      UPDATE request_scaling SET depth_since = now() - interval '10 years' WHERE app_env_id = ${appEnvId}`
    await world.scale(appEnvId)
    expect((await world.row(appEnvId)).requestScaling?.depth).toBe(next)
  }
  expect((await world.row(appEnvId)).requestScaling?.depth).toBe(depth)
}

/** Begins an operation and carries it out, then the reconcile that removes what it left. */
async function operate(appEnvId: string, command: AnyCommand, input: object = {}): Promise<void> {
  const { operationId } = await world.perform(command, { appEnvId, ...input })
  await world.carryOut(await claim(world.database, 'operations', 'test', LEASE_SECONDS))
  const { status, message } = await world.database.operation.findUniqueOrThrow({ where: { id: operationId ?? '' } })
  expect({ status, message }).toMatchObject({ status: 'SUCCEEDED' })
  await world.reconcile(appEnvId)
}

const phasesOf = (appEnvId: string) => world.containersOf(appEnvId).map(({ phase }) => phase)

async function expectServed(appEnvId: string, version: number): Promise<void> {
  const row = await world.row(appEnvId)
  expect(row).toMatchObject({ status: 'RUNNING', health: 'HEALTHY', replicasReady: 1, requestScaling: { depth: null } })
  expect(row.replicas).toMatchObject([{ state: 'READY' }])
  expect(phasesOf(appEnvId)).toEqual(['running'])
  const content = await world.database.content.findUniqueOrThrow({ where: { id: row.currentContentId ?? '' } })
  expect(content.version).toBe(version)
}

async function wake(appEnvId: string): Promise<void> {
  await world.ask(appEnvId)
  await world.scale(appEnvId)
  await world.database.$executeRaw`DELETE FROM request_load`
}

describe.each(DEPTHS)('a function that sleeps at %s', (depth) => {
  test('serves its new version after a redeployment, and its former one after a rollback', async () => {
    const appEnvId = await world.functionEnv()
    const former = (await world.row(appEnvId)).currentContentId
    await sleepAt(appEnvId, depth)
    await operate(appEnvId, redeployAppEnv)
    await expectServed(appEnvId, 2)
    await sleepAt(appEnvId, depth)
    await operate(appEnvId, rollbackAppEnv, { targetContentId: former })
    const { version } = await world.database.content.findUniqueOrThrow({
      where: { id: (await world.row(appEnvId)).currentContentId ?? '' },
    })
    await expectServed(appEnvId, version)
  })

  test('is stopped, which is no sleep, and started', async () => {
    const appEnvId = await world.functionEnv()
    await sleepAt(appEnvId, depth)
    await operate(appEnvId, stopAppEnv)
    expect(await world.row(appEnvId)).toMatchObject({ status: 'STOPPED', requestScaling: null, replicas: [] })
    expect(phasesOf(appEnvId)).toEqual([])
    await operate(appEnvId, startAppEnv)
    await expectServed(appEnvId, 1)
    await sleepAt(appEnvId, depth)
    await wake(appEnvId)
    await expectServed(appEnvId, 1)
  })

  test('is deleted with its container', async () => {
    const appEnvId = await world.functionEnv()
    await sleepAt(appEnvId, depth)
    const { operationId } = await world.perform(deleteAppEnv, { appEnvId })
    await world.carryOut(await claim(world.database, 'operations', 'test', LEASE_SECONDS))
    expect(await world.database.operation.findUnique({ where: { id: operationId ?? '' } })).toMatchObject({
      status: 'SUCCEEDED',
    })
    expect(phasesOf(appEnvId)).toEqual([])
  })

  test('keeps the variables of its version when they are changed, and is woken with them', async () => {
    const appEnvId = await world.functionEnv({ envVars: [{ name: 'WORD', value: 'before' }] })
    await sleepAt(appEnvId, depth)
    await world.perform(updateAppEnv, { appEnvId, envVars: [{ name: 'WORD', value: 'after' }] })
    expect((await world.row(appEnvId)).requestScaling?.depth).toBe(depth)
    const wordOf = () => world.containersOf(appEnvId).map(({ options }) => options.rollout.environment.WORD)
    await wake(appEnvId)
    await expectServed(appEnvId, 1)
    expect(wordOf()).toEqual(['before'])
    await sleepAt(appEnvId, depth)
    await operate(appEnvId, redeployAppEnv)
    expect(wordOf()).toEqual(['after'])
  })
})
