import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ImageBuilder } from '../../src/engines/images/image-builder.ts'
import type { ContainerRuntime } from '../../src/engines/runtime/container-runtime.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'
import { heldRuntime } from './held-runtime.ts'

/** For one operation: long enough for a busy machine to see that there is no engine. */
const ENGINE_WAIT_MS = 4_000

let harbour: Harbour
let folder: string

beforeEach(async () => {
  harbour = await createHarbour({ BERTH_OPERATION_ATTEMPTS: '2' })
  folder = await mkdtemp(join(tmpdir(), 'berth-outage-'))
})

afterEach(async () => {
  await harbour.close()
  await rm(folder, { recursive: true })
})

/** The engine's socket, which can be taken away and given back. */
function engineSocket(path: string) {
  const sockets = new Set<Socket>()
  let server: Server | null = null
  return {
    async open() {
      server = createServer((client) => {
        const engine = createConnection('/var/run/docker.sock')
        for (const socket of [client, engine]) {
          sockets.add(socket)
          socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
        }
        client.pipe(engine).pipe(client)
      })
      await new Promise<void>((resolve) => server?.listen(path, resolve))
    },
    async close() {
      const closed = new Promise((resolve) => server?.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

describe('while the engine does not answer', () => {
  test('operations wait, say so, and end when it is back; what ran is not believed to be healthy', async () => {
    const socket = engineSocket(join(folder, 'engine.sock'))
    await socket.open()
    harbour.startWorker({ ...harbour.engineAt(`unix://${folder}/engine.sock`) })
    const appEnvId = await harbour.sample()
    await harbour.ended(await harbour.deployment(appEnvId))

    await socket.close()
    // Lasts until the socket is open again.
    await eventually(
      () => harbour.appEnvRow(appEnvId),
      (seen) => seen.health === 'UNKNOWN',
    )
    expect((await harbour.appEnvRow(appEnvId)).replicas.map((row) => row.state)).toEqual(['READY'])
    const operationId = await harbour.deployment(appEnvId)
    const waiting = await eventually(
      () => harbour.operation(operationId),
      (seen) => seen.reason !== null,
    )
    expect(waiting).toMatchObject({
      status: 'QUEUED',
      reason: 'ENGINE_UNREACHABLE',
      message: expect.stringMatching(/^Waiting for the container engine: it does not answer/),
      attempt: 0,
    })

    await socket.open()
    expect(await harbour.ended(operationId)).toMatchObject({ status: 'SUCCEEDED', attempt: 0, reason: null })
    await eventually(
      () => harbour.appEnvRow(appEnvId),
      (seen) => seen.health === 'HEALTHY' && seen.rolloutId === operationId,
    )
  })

  test('they fail once they have waited long enough', async () => {
    harbour.startWorker({ ...harbour.engineAt(`unix://${folder}/nobody.sock`) })
    const appEnvId = await harbour.sample()
    const operationId = await harbour.deployment(appEnvId)
    const deadlineAt = new Date(Date.now() + ENGINE_WAIT_MS)
    await harbour.database.operation.update({ where: { id: operationId }, data: { deadlineAt } })
    expect(await harbour.ended(operationId)).toMatchObject({
      status: 'FAILED',
      reason: 'RUNTIME_UNAVAILABLE',
      isDeadLetter: false,
      startedAt: null,
    })
    expect(await harbour.appEnvRow(appEnvId)).toMatchObject({ status: 'PENDING' })
    const types = (await harbour.eventsOf(appEnvId)).map((event) => event.type)
    expect(types.filter((type) => type.startsWith('operation'))).toEqual([
      'operation.queued',
      'operation.retrying',
      'operation.failed',
    ])
  })
})

test('an operation whose attempts are used up becomes a dead letter', async () => {
  const broken: ContainerRuntime = {
    ...harbour.runtime,
    apply: () => Promise.reject(new Error('The container engine answered 500: no space left on device')),
  }
  harbour.startWorker({ runtime: broken })
  const appEnvId = await harbour.sample()
  const operation = await harbour.ended(await harbour.deployment(appEnvId))
  expect(operation).toMatchObject({
    status: 'FAILED',
    reason: 'INTERNAL',
    isDeadLetter: true,
    attempt: 2,
    maxAttempts: 2,
  })
  expect(operation.message).toBe('The container engine answered 500: no space left on device (attempt 2 of 2)')
  const events = (await harbour.eventsOf(appEnvId)).filter((event) => /retrying|failed/.test(event.type))
  expect(events).toMatchObject([
    { type: 'operation.retrying', attempt: 1 },
    { type: 'operation.failed', isDeadLetter: true },
  ])
  expect(await harbour.appEnvRow(appEnvId)).toMatchObject({ status: 'PENDING' })
})

describe('while a registry does not answer', () => {
  /** Nothing listens there, and nothing may: the port is privileged. */
  const image = '127.0.0.1:1/team/app:1'

  test('a deployment is tried again, and succeeds once the image can be had', async () => {
    harbour.startWorker({ config: { ...harbour.config, BERTH_OPERATION_ATTEMPTS: 5 } })
    const appEnvId = await harbour.sample()
    const operationId = await harbour.deployment(appEnvId, image)
    await harbour.database.operation.update({ where: { id: operationId }, data: { maxAttempts: 5 } })
    const waiting = await eventually(
      () => harbour.operation(operationId),
      (seen) => seen.reason !== null,
    )
    expect(waiting).toMatchObject({
      reason: 'REGISTRY_UNREACHABLE',
      message: `The image ${image} cannot be had: the registry 127.0.0.1:1 cannot be reached: it refuses connections`,
    })
    await harbour.docker.getImage(harbour.image).tag({ repo: '127.0.0.1:1/team/app', tag: '1' })
    try {
      expect(await harbour.ended(operationId)).toMatchObject({ status: 'SUCCEEDED', reason: null })
    } finally {
      await harbour.docker.getImage(image).remove()
    }
  })

  test('a deployment becomes a dead letter once its attempts are used up', async () => {
    harbour.startWorker()
    const appEnvId = await harbour.sample()
    const operation = await harbour.ended(await harbour.deployment(appEnvId, '127.0.0.1:1/team/other:1'))
    expect(operation).toMatchObject({ status: 'FAILED', reason: 'REGISTRY_UNREACHABLE', isDeadLetter: true })
  })
})

test('an operation that takes too long fails at its deadline', async () => {
  const slow: ImageBuilder = {
    ...harbour.imageBuilder,
    resolveImage: (_image, _credential, bounds) => abortedBy(bounds?.signal),
  }
  harbour.startWorker({ imageBuilder: slow, config: { ...harbour.config, BERTH_OPERATION_TIMEOUT_SECONDS: 1 } })
  const appEnvId = await harbour.sample()
  const operation = await harbour.ended(await harbour.deployment(appEnvId))
  expect(operation).toMatchObject({ status: 'FAILED', reason: 'DEADLINE_EXCEEDED' })
  expect(operation.finishedAt?.getTime()).toBeLessThan((operation.deadlineAt?.getTime() ?? 0) + 1_000)
})

test('a database that cuts every connection, again and again, delays a deployment and loses nothing', async () => {
  harbour.startWorker()
  const appEnvId = await harbour.sample({ containers: 2 })
  const operationId = await harbour.deployment(appEnvId)
  for (let cut = 0; cut < 4; cut += 1) {
    await cutConnections()
    await new Promise((resolve) => setTimeout(resolve, 150))
  }
  const { status, reason, message, isDeadLetter } = await harbour.ended(operationId)
  expect({ status, reason, message, isDeadLetter }).toEqual({
    status: 'SUCCEEDED',
    reason: null,
    message: null,
    isDeadLetter: false,
  })
  await eventually(
    () => harbour.appEnvRow(appEnvId),
    (seen) => seen.health === 'HEALTHY' && seen.replicas.length === 2,
  )
  expect(await harbour.containersOf(appEnvId)).toHaveLength(2)
  const recorded = (await harbour.eventsOf(appEnvId)).filter(({ type }) => type === 'operation.succeeded')
  expect(recorded).toHaveLength(1)
})

async function cutConnections(): Promise<void> {
  const client = new pg.Client({ connectionString: harbour.url })
  await client.connect()
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
  await client.end()
}

test('a stop that an engine outage interrupts is finished when the engine is back', async () => {
  const socket = engineSocket(join(folder, 'engine.sock'))
  await socket.open()
  const engine = harbour.engineAt(`unix://${folder}/engine.sock`)
  const removals = heldRuntime(engine.runtime, 'remove')
  harbour.startWorker({ ...engine, runtime: removals.runtime })
  const appEnvId = await harbour.sample()
  await harbour.ended(await harbour.deployment(appEnvId))
  const operationId = await removals.hold(async () => {
    const stopping = await harbour.ask(stopAppEnv, appEnvId)
    await eventually(
      () => harbour.appEnvRow(appEnvId),
      ({ replicas }) => replicas.some((row) => row.state === 'DRAINING'),
    )
    await socket.close()
    return stopping
  })
  // Lasts until the socket is open again.
  await eventually(
    () => harbour.operation(operationId),
    (seen) => seen.reason === 'ENGINE_UNREACHABLE',
  )
  await socket.open()
  expect(await harbour.ended(operationId)).toMatchObject({ status: 'SUCCEEDED' })
  expect(await harbour.containersOf(appEnvId)).toEqual([])
})

const abortedBy = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }))
