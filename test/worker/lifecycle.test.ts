import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { applyChanges } from '../../src/services/lifecycle/apply-changes.ts'
import { restartAppEnv } from '../../src/services/lifecycle/restart.ts'
import { startAppEnv } from '../../src/services/lifecycle/start.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'
import { heldRuntime } from './held-runtime.ts'

let harbour: Harbour
/** With the machine's own engine. */
let real: Harbour
/** Removals of containers, for the states before them. */
let removals: ReturnType<typeof heldRuntime>
let realRemovals: ReturnType<typeof heldRuntime>

beforeAll(async () => {
  harbour = await createHarbour({}, await inMemory())
  real = await createHarbour()
  removals = heldRuntime(harbour.runtime, 'remove')
  realRemovals = heldRuntime(real.runtime, 'remove')
  harbour.startWorker({ runtime: removals.runtime })
  real.startWorker({ runtime: realRemovals.runtime })
})

afterAll(async () => {
  for (const one of [harbour, real]) await one?.close()
})

async function running(fields: Record<string, unknown> = {}, there = harbour): Promise<string> {
  const appEnvId = await there.sample(fields)
  expect(await there.ended(await there.deployment(appEnvId))).toMatchObject({ status: 'SUCCEEDED' })
  return appEnvId
}

/** The image has no `touch` and no shell, so that Node does it. */
async function spoil(containerId: string): Promise<void> {
  await harbour.runtime.exec(containerId, ['node', '-e', 'require("node:fs").writeFileSync("/tmp/unready", "")'])
}

test('stops, with its routes gone before its containers, and starts again where it was', async () => {
  const appEnvId = await running()
  const { currentContentId } = await harbour.appEnvRow(appEnvId)
  const stopping = await removals.hold(async () => {
    const operationId = await harbour.ask(stopAppEnv, appEnvId)
    const { replicas } = await eventually(
      () => harbour.appEnvRow(appEnvId),
      (seen) => seen.replicas.some((row) => row.state === 'DRAINING'),
    )
    expect(replicas).toHaveLength(1)
    expect(await harbour.containersOf(appEnvId)).toHaveLength(1)
    return operationId
  })
  expect(await harbour.ended(stopping)).toMatchObject({ status: 'SUCCEEDED' })
  expect(await harbour.containersOf(appEnvId)).toEqual([])
  const stopped = {
    status: 'STOPPED',
    currentContentId,
    rolloutId: null,
    replicasDesired: 0,
    health: 'UNKNOWN',
    replicas: [],
  }
  expect(await harbour.appEnvRow(appEnvId)).toMatchObject(stopped)

  const starting = await harbour.ask(startAppEnv, appEnvId)
  expect(await harbour.ended(starting)).toMatchObject({ status: 'SUCCEEDED' })
  const started = await harbour.appEnvRow(appEnvId)
  expect(started).toMatchObject({ status: 'RUNNING', currentContentId, rolloutId: starting, health: 'HEALTHY' })
  expect(started.replicas.map((row) => row.state)).toEqual(['READY'])
})

test('restarts the serving version as it is: new containers, no new version, and what is pending stays pending', async () => {
  const appEnvId = await running()
  const before = await harbour.appEnvRow(appEnvId)
  await harbour.configure(appEnvId, { COLOUR: 'blue' })
  await harbour.database.appEnv.update({ where: { id: appEnvId }, data: { containers: 3 } })
  const restarting = await removals.hold(async () => {
    const operationId = await harbour.ask(restartAppEnv, appEnvId)
    expect(await harbour.ended(operationId)).toMatchObject({ status: 'SUCCEEDED', kind: 'RESTART' })
    const { replicas } = await harbour.appEnvRow(appEnvId)
    expect(replicas.map(({ rolloutId, state }) => [rolloutId === operationId, state]).sort()).toEqual([
      [false, 'DRAINING'],
      [true, 'READY'],
    ])
    return operationId
  })
  const { currentContentId, lastVersion } = before
  const after = await harbour.appEnvRow(appEnvId)
  const same = { status: 'RUNNING', currentContentId, lastVersion, replicasDesired: 1, containers: 3 }
  expect(after).toMatchObject({ rolloutId: restarting, ...same })
  const [left] = await eventually(
    () => harbour.containersOf(appEnvId),
    (seen) => seen.length === 1,
  )
  expect(left?.Id).not.toBe(before.replicas[0]?.containerId)
  const content = await harbour.database.content.findUniqueOrThrow({ where: { id: currentContentId ?? '' } })
  expect(content).toMatchObject({ status: 'DEPLOYED', version: 1 })
  await expect(harbour.ask(applyChanges, appEnvId)).resolves.toMatch(/^op_/)
})

test('a restart whose containers never become ready leaves the old ones serving', async () => {
  const appEnvId = await running()
  const { replicas, currentContentId } = await harbour.appEnvRow(appEnvId)
  const { imageDigest } = await harbour.database.content.findUniqueOrThrow({ where: { id: currentContentId ?? '' } })
  const restore = await harbour.database.content.update({
    where: { id: currentContentId ?? '' },
    data: { imageDigest: 'shop@sha256:gone' },
  })
  expect(restore.imageDigest).not.toBe(imageDigest)
  const ended = await harbour.ended(await harbour.ask(restartAppEnv, appEnvId))
  expect(ended).toMatchObject({ status: 'FAILED' })
  const after = await harbour.appEnvRow(appEnvId)
  expect(after).toMatchObject({ status: 'RUNNING', currentContentId })
  expect(after.replicas.map(({ containerId, state }) => [containerId, state])).toEqual(
    replicas.map(({ containerId }) => [containerId, 'READY']),
  )
  const content = await harbour.database.content.findUniqueOrThrow({ where: { id: currentContentId ?? '' } })
  expect(content.status).toBe('DEPLOYED')
})

test('scales up and down without starting the other replicas anew', async () => {
  const appEnvId = await running()
  const [first] = (await harbour.appEnvRow(appEnvId)).replicas
  await harbour.database.appEnv.update({ where: { id: appEnvId }, data: { containers: 3 } })
  expect(await harbour.ended(await harbour.ask(applyChanges, appEnvId))).toMatchObject({ status: 'SUCCEEDED' })
  const grown = await harbour.appEnvRow(appEnvId)
  expect(grown).toMatchObject({ status: 'RUNNING', replicasDesired: 3, rolloutId: first?.rolloutId })
  expect(grown.replicas.map((row) => row.state)).toEqual(['READY', 'READY', 'READY'])
  expect(grown.replicas[0]?.containerId).toBe(first?.containerId)

  await harbour.database.appEnv.update({ where: { id: appEnvId }, data: { containers: 1 } })
  await removals.hold(async () => {
    expect(await harbour.ended(await harbour.ask(applyChanges, appEnvId))).toMatchObject({ status: 'SUCCEEDED' })
    const shrunk = await harbour.appEnvRow(appEnvId)
    expect(shrunk.replicas.map((row) => row.state)).toEqual(['READY', 'DRAINING', 'DRAINING'])
  })
  const left = await eventually(
    () => harbour.containersOf(appEnvId),
    (seen) => seen.length === 1,
  )
  expect(left[0]?.Id).toBe(first?.containerId)
  await eventually(
    () => harbour.appEnvRow(appEnvId),
    (seen) => seen.replicas.length === 1 && seen.health === 'HEALTHY',
  )
})

test('a deletion removes containers, routes, hosts, variables and the network, even while a version drains', async () => {
  const accountId = await real.account()
  const appEnvId = await running({ accountId, envVars: [{ name: 'COLOUR', value: 'blue', isSecret: true }] }, real)
  const deletion = await realRemovals.hold(async () => {
    await real.ended(await real.deployment(appEnvId))
    expect(await real.containersOf(appEnvId)).toHaveLength(2)
    return real.ask(deleteAppEnv, appEnvId)
  })
  expect(await real.ended(deletion)).toMatchObject({ status: 'SUCCEEDED' })
  expect(await real.containersOf(appEnvId)).toEqual([])
  expect((await real.appEnvRow(appEnvId)).status).toBe('STOPPED')
  for (const table of [real.database.replica, real.database.host, real.database.variable]) {
    expect(await (table as typeof real.database.replica).count({ where: { appEnvId } })).toBe(0)
  }
  expect(await real.docker.listNetworks({ filters: { label: [`berth.account=${accountId}`] } })).toEqual([])
})

test('a job is pinned, and runs nothing by itself', async () => {
  const { appEnvId } = await harbour.appEnv({ app: { appType: 'job', port: undefined } })
  const operation = await harbour.ended(await harbour.deployment(appEnvId))
  expect(operation).toMatchObject({ status: 'SUCCEEDED' })
  const content = await harbour.database.content.findUniqueOrThrow({ where: { id: operation.contentId ?? '' } })
  expect(content).toMatchObject({ status: 'JOB_READY' })
  expect(await harbour.appEnvRow(appEnvId)).toMatchObject({
    status: 'RUNNING',
    currentContentId: content.id,
    replicasDesired: 0,
  })
  expect(await harbour.containersOf(appEnvId)).toEqual([])
})

describe('a replica that fails its probes', () => {
  test('loses its traffic to the others, but keeps it when all of them do', async () => {
    const appEnvId = await running({ containers: 2 })
    const [first, second] = (await harbour.appEnvRow(appEnvId)).replicas
    await spoil(first?.containerId ?? '')
    // Lasts, as the next one does: what spoils a container stays in it.
    const degraded = await eventually(
      () => harbour.appEnvRow(appEnvId),
      (seen) => seen.health === 'DEGRADED',
    )
    expect(degraded.replicas.map((row) => row.state)).toEqual(['UNREADY', 'READY'])
    expect(degraded.observedReason).toBe('1 of 2 containers not ready: GET /healthz answered 503')
    await spoil(second?.containerId ?? '')
    const unhealthy = await eventually(
      () => harbour.appEnvRow(appEnvId),
      (seen) => seen.health === 'UNHEALTHY',
    )
    expect(unhealthy.replicas.map((row) => row.state)).toEqual(['READY', 'READY'])
    expect(unhealthy).toMatchObject({ replicasRunning: 2, replicasReady: 0 })
  })
})
