import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StartupConfig } from '../../src/domain/configuration.ts'
import type { OperationStep } from '../../src/domain/operation.ts'
import { replicaCounts } from '../../src/services/app-env/app-env-status-fields.ts'
import { cancelOperation } from '../../src/services/operation/cancel-operation.ts'
import type { Operation } from '../../src/storage/database/generated/prisma/client.ts'
import { emptyRegistry } from '../support/empty-registry.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'

let harbour: Harbour
/** With the machine's own engine. */
let real: Harbour

beforeAll(async () => {
  harbour = await createHarbour({}, await inMemory())
  real = await createHarbour()
  for (const one of [harbour, real]) one.startWorker()
})

afterAll(async () => {
  for (const one of [harbour, real]) await one?.close()
})

const answers = async (address: string | null, port: number | null) =>
  (await fetch(`http://${address}:${port}/`)).text()

describe('a deployment', () => {
  test('reaches RUNNING, with its steps, routes and events on record', async () => {
    const appEnvId = await real.sample({ containers: 2 })
    const operationId = await real.deployment(appEnvId)
    const operation = await real.ended(operationId)
    expect(operation).toMatchObject({ status: 'SUCCEEDED', reason: null, attempt: 0, isDeadLetter: false })
    const steps = operation.steps as unknown as { name: string; finishedAt: string | null; detail: string }[]
    expect(steps.map((step) => step.name)).toEqual(['pull', 'create', 'ready', 'route'])
    expect(steps.every((step) => step.finishedAt)).toBe(true)
    expect(steps[2]?.detail).toMatch(/^2 of 2 ready after \d+\.\d s$/)

    const appEnv = await real.appEnvRow(appEnvId)
    expect(appEnv).toMatchObject({
      status: 'RUNNING',
      rolloutId: operationId,
      health: 'HEALTHY',
      replicasDesired: 2,
      replicasReady: 2,
    })
    expect(appEnv.replicas.map((row) => row.state)).toEqual(['READY', 'READY'])
    for (const { address, port } of appEnv.replicas) expect(await answers(address, port)).toBe('1')
    const content = await real.database.content.findUniqueOrThrow({ where: { id: appEnv.currentContentId ?? '' } })
    expect(content).toMatchObject({ status: 'DEPLOYED', imageFromCache: true })
    expect(content.imageDigest).toMatch(/sha256:/)

    const types = (await real.eventsOf(appEnvId)).map((event) => event.type)
    expect(types.filter((type) => type !== 'operation.progressed')).toEqual([
      'appEnv.created',
      'operation.queued',
      'appEnv.statusChanged',
      'operation.started',
      'operation.succeeded',
      'appEnv.statusChanged',
      'appEnv.healthChanged',
    ])
  })

  test('replaces the version before it, which drains and is removed', async () => {
    const appEnvId = await harbour.sample()
    await harbour.ended(await harbour.deployment(appEnvId))
    const second = await harbour.deployment(appEnvId)
    await harbour.ended(second)
    const { replicas } = await harbour.appEnvRow(appEnvId)
    expect(replicas.map((row) => row.state).sort()).toEqual(['DRAINING', 'READY'])
    expect(await harbour.containersOf(appEnvId)).toHaveLength(2)
    const left = await eventually(
      () => harbour.containersOf(appEnvId),
      (seen) => seen.length === 1,
    )
    expect(left[0]?.Labels['berth.operation']).toBe(second)
    expect((await harbour.appEnvRow(appEnvId)).replicas).toHaveLength(1)
  })

  test('of an image that its registry does not know fails and leaves the old version alone', async () => {
    await using registry = await emptyRegistry()
    const image = `${registry.address}/team/nothing:1`
    await failsAlone(real, { image, reason: 'IMAGE_NOT_FOUND', message: /nothing/ })
  })

  test('of a program that is not there fails and leaves the old version alone', async () => {
    const program = { command: '/no/such/program', args: [], shell: false, workingDir: null }
    await failsAlone(real, { program, reason: 'CONTAINER_START_FAILED', message: /\/no\/such\/program/ })
  })

  test('of a program that exits fails and leaves the old version alone', () =>
    failsAlone(harbour, {
      variables: { BROKEN: 'exit' },
      reason: 'CONTAINER_EXITED',
      message: /exited with code 3.*\n.*cannot open the safe/s,
    }))

  test('of a program that ends by itself says what an app is, and leaves the old version alone', () =>
    failsAlone(harbour, {
      variables: { BROKEN: 'done' },
      reason: 'CONTAINER_EXITED',
      message: /exited with code 0, \d times in a row; the program of an app has to keep running$/,
    }))

  test('of a version that never becomes ready fails and leaves the old version alone', async () => {
    const impatient = await createHarbour({ BERTH_READY_TIMEOUT_SECONDS: '3' }, await inMemory())
    impatient.startWorker()
    await failsAlone(impatient, {
      variables: { BROKEN: 'never' },
      reason: 'READINESS_TIMEOUT',
      message: /Not ready within 3 s: GET \/healthz answered 503/,
    }).finally(() => impatient.close())
  })
})

test('a first deployment shows what it brings about; the time it has to become ready survives its worker', async () => {
  const patient = await createHarbour({ BERTH_READY_TIMEOUT_SECONDS: '6' }, await inMemory())
  try {
    patient.startWorker()
    const appEnvId = await patient.sample({ containers: 2 })
    await patient.configure(appEnvId, { BROKEN: 'never' })
    const operationId = await patient.deployment(appEnvId)
    const shown = async () => replicaCounts(await patient.database.appEnv.findUniqueOrThrow(withType(appEnvId)))
    expect(await eventually(shown, (seen) => seen.running === 2)).toEqual({ desired: 2, running: 2, ready: 0 })
    const begun = await eventually(
      async () => readyStep(await patient.operation(operationId)),
      (seen) => seen !== undefined,
    )
    await patient.stopWorkers()
    patient.startWorker()
    const ended = await patient.ended(operationId)
    expect(ended).toMatchObject({ status: 'FAILED', reason: 'READINESS_TIMEOUT' })
    expect(readyStep(ended)).toEqual(begun)
    expect(await eventually(shown, (seen) => seen.running === 0)).toEqual({ desired: 0, running: 0, ready: 0 })
  } finally {
    await patient.close()
  }
})

const withType = (id: string) => ({ where: { id }, include: { app: { select: { type: true } } } })

const readyStep = ({ steps }: Operation) =>
  (steps as unknown as OperationStep[]).find((step) => step.name === 'ready')?.startedAt

interface BadVersion {
  image?: string
  variables?: Record<string, string>
  program?: StartupConfig
  reason: string
  message: RegExp
}

async function failsAlone(port: Harbour, { image = port.image, variables = {}, program, reason, message }: BadVersion) {
  const appEnvId = await port.sample()
  await port.ended(await port.deployment(appEnvId))
  const before = await port.appEnvRow(appEnvId)
  await port.configure(appEnvId, variables, program)
  const operation = await port.ended(await port.deployment(appEnvId, image))
  expect(operation).toMatchObject({ status: 'FAILED', reason, isDeadLetter: false })
  expect(operation.message).toMatch(message)
  const content = await port.database.content.findUniqueOrThrow({ where: { id: operation.contentId ?? '' } })
  expect(content).toMatchObject({ status: 'FAILED', reason, version: 2 })
  const after = await port.appEnvRow(appEnvId)
  const { currentContentId, rolloutId } = before
  expect(after).toMatchObject({ status: 'RUNNING', currentContentId, rolloutId })
  expect(after.replicas).toEqual(before.replicas)
  const left = await eventually(
    () => port.containersOf(appEnvId),
    (seen) => seen.length === 1,
  )
  expect(left[0]?.Id).toBe(before.replicas[0]?.containerId)
}

describe('an operation in flight', () => {
  test('is superseded by a newer one, and what it began is cleared away', async () => {
    const appEnvId = await harbour.sample({ envVars: [{ name: 'BROKEN', value: 'never' }] })
    const first = await harbour.deployment(appEnvId)
    await eventually(
      () => harbour.containersOf(appEnvId),
      (seen) => seen.length === 1,
    )
    await harbour.configure(appEnvId, {})
    const second = await harbour.deployment(appEnvId)
    expect(await harbour.ended(second)).toMatchObject({ status: 'SUCCEEDED' })
    expect(await harbour.operation(first)).toMatchObject({ status: 'CANCELLED', reason: 'SUPERSEDED' })
    const left = await eventually(
      () => harbour.containersOf(appEnvId),
      (seen) => seen.length === 1,
    )
    expect(left[0]?.Labels['berth.operation']).toBe(second)
    expect(await harbour.appEnvRow(appEnvId)).toMatchObject({ status: 'RUNNING', rolloutId: second })
  })

  test('is cancelled at once, and nothing of it is left', async () => {
    const appEnvId = await harbour.sample({ envVars: [{ name: 'BROKEN', value: 'never' }] })
    const operationId = await harbour.deployment(appEnvId)
    await eventually(
      () => harbour.containersOf(appEnvId),
      (seen) => seen.length === 1,
    )
    await harbour.perform(cancelOperation, { operationId })
    // Before the deployment would have given up by itself.
    await eventually(
      () => harbour.containersOf(appEnvId),
      (seen) => seen.length === 0,
    )
    expect(await harbour.appEnvRow(appEnvId)).toMatchObject({ status: 'PENDING', currentContentId: null, replicas: [] })
    expect(await harbour.operation(operationId)).toMatchObject({ status: 'CANCELLED', reason: 'CANCELLED_BY_USER' })
  })
})
