import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { updateApp } from '../../src/services/app/update-app.ts'
import { changeHealthcheck, changeScaling } from '../../src/services/app-env/setting-commands.ts'
import { applyChanges } from '../../src/services/lifecycle/apply-changes.ts'
import { rollbackAppEnv } from '../../src/services/lifecycle/rollback.ts'
import { startAppEnv } from '../../src/services/lifecycle/start.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'

let harbour: Harbour
/** With the machine's own engine. */
let real: Harbour

const SETTINGS = { BERTH_READY_AFTER_SECONDS: '1' }

beforeAll(async () => {
  harbour = await createHarbour(SETTINGS, await inMemory())
  real = await createHarbour(SETTINGS)
  for (const one of [harbour, real]) one.startWorker()
})

afterAll(async () => {
  for (const one of [harbour, real]) await one?.close()
})

/** Listens nowhere. Ends when the file /tmp/crash is there, and at once with BROKEN=exit. */
const WORKER = `
const fs = require('node:fs')
if (process.env.BROKEN === 'exit') { console.error('no queue'); process.exit(3) }
console.log('working')
setInterval(() => { if (fs.existsSync('/tmp/crash')) process.exit(4) }, 20)
process.on('SIGTERM', () => process.exit(0))`

const script = (program: string) => ({ command: 'node', args: ['-e', program], shell: false })
const NONE = { type: 'NONE' }

async function worker(there: Harbour, fields: Record<string, unknown> = {}): Promise<string> {
  const app = { port: 3000, healthCheck: NONE }
  const { appEnvId } = await there.appEnv({ app, startupConfig: script(WORKER), ...fields })
  expect(await there.ended(await there.deployment(appEnvId))).toMatchObject({ status: 'SUCCEEDED' })
  return appEnvId
}

const healthy = (there: Harbour, appEnvId: string) =>
  eventually(
    () => there.appEnvRow(appEnvId),
    ({ health }) => health === 'HEALTHY',
  )

const hostsOf = (there: Harbour, appEnvId: string) => there.database.host.findMany({ where: { appEnvId } })

/** Into the container that serves. */
async function write(there: Harbour, appEnvId: string, path: string): Promise<void> {
  const serving = (await there.appEnvRow(appEnvId)).replicas.find(({ state }) => state === 'READY')
  const script = `require('node:fs').writeFileSync('${path}', '')`
  await there.runtime.exec(serving?.name ?? '', ['node', '-e', script], { timeoutSeconds: 60 })
}

describe.each([
  ['in memory', () => harbour],
  ['on Docker', () => real],
])('an app that listens nowhere, %s,', (_engine, there) => {
  test('runs without a host or a route, and is started again when it ends', async () => {
    const appEnvId = await worker(there())
    const { status, health, replicas } = await there().appEnvRow(appEnvId)
    expect({ status, health }).toEqual({ status: 'RUNNING', health: 'HEALTHY' })
    expect(replicas).toMatchObject([{ state: 'READY', port: null }])
    expect(await hostsOf(there(), appEnvId)).toEqual([])
    await write(there(), appEnvId, '/tmp/crash')
    await eventually(
      () => there().appEnvRow(appEnvId),
      ({ restartCount }) => restartCount > 0,
    )
  })
})

describe('an app that listens nowhere', () => {
  test('is replaced, scaled, stopped, started and rolled back like any other', async () => {
    const appEnvId = await worker(harbour)
    const second = await harbour.ended(await harbour.deployment(appEnvId))
    expect(second).toMatchObject({ status: 'SUCCEEDED' })
    await harbour.perform(changeScaling, { appEnvId, containers: 3, applyImmediately: true })
    await eventually(
      () => harbour.appEnvRow(appEnvId),
      ({ replicasReady }) => replicasReady === 3,
    )
    await harbour.ended(await harbour.ask(stopAppEnv, appEnvId))
    await harbour.ended(await harbour.ask(startAppEnv, appEnvId))
    expect(await healthy(harbour, appEnvId)).toMatchObject({ status: 'RUNNING', replicasReady: 3 })
    expect(await harbour.ended(await harbour.ask(rollbackAppEnv, appEnvId))).toMatchObject({ status: 'SUCCEEDED' })
  })

  test('fails when it does not stay up, and says why', async () => {
    const { appEnvId } = await harbour.appEnv({
      app: { port: 3000, healthCheck: NONE },
      startupConfig: script(WORKER),
      envVars: [{ name: 'BROKEN', value: 'exit' }],
    })
    const operation = await harbour.ended(await harbour.deployment(appEnvId))
    expect(operation).toMatchObject({ status: 'FAILED', reason: 'CONTAINER_EXITED' })
    expect(operation.message).toMatch(/exited with code 3.*\nno queue/s)
  })

  test('is waited for as long as its own delay says', async () => {
    const appEnvId = await worker(harbour, { app: { port: 3000, healthCheck: { ...NONE, initialDelaySeconds: 2 } } })
    const operation = await harbour.database.operation.findFirstOrThrow({ where: { appEnvId } })
    const ready = (operation.steps as unknown as { name: string; detail: string }[]).find(
      ({ name }) => name === 'ready',
    )
    expect(Number(/after ([\d.]+) s/.exec(ready?.detail ?? '')?.[1])).toBeGreaterThanOrEqual(1.9)
  })

  test('gets a host when it listens, loses it when it does not, and a rollback brings it back', async () => {
    const appEnvId = await harbour.sample()
    await harbour.ended(await harbour.deployment(appEnvId))
    const [host] = await hostsOf(harbour, appEnvId)
    await harbour.perform(changeHealthcheck, { appEnvId, type: 'NONE' })
    expect(await hostsOf(harbour, appEnvId)).toHaveLength(1)
    await harbour.ended(await harbour.ask(applyChanges, appEnvId))
    expect(await hostsOf(harbour, appEnvId)).toEqual([])
    expect((await harbour.eventsOf(appEnvId)).filter(({ type }) => type === 'host.changed')).toMatchObject([
      { host: host?.host, what: 'removed' },
    ])
    await harbour.ended(await harbour.ask(rollbackAppEnv, appEnvId))
    expect(await hostsOf(harbour, appEnvId)).toMatchObject([{ host: host?.host, status: 'VALID' }])
  })

  test('and was to be asked over the network fails with what it needs', async () => {
    const impatient = await createHarbour({ BERTH_READY_TIMEOUT_SECONDS: '6' }, await inMemory())
    try {
      impatient.startWorker()
      const { appEnvId } = await impatient.appEnv({ app: { port: 3000 }, startupConfig: script(WORKER) })
      const operation = await impatient.ended(await impatient.deployment(appEnvId))
      expect(operation).toMatchObject({ status: 'FAILED', reason: 'READINESS_TIMEOUT' })
      expect(operation.message).toMatch(/listens on nothing yet\. .*healthCheck { "type": "NONE" }.*\nworking$/s)
    } finally {
      await impatient.close()
    }
  })
})

/** Succeeds until the file /tmp/unready is there. */
const CHECK = [
  'node',
  '-e',
  `console.log('looked'); process.exit(require('node:fs').existsSync('/tmp/unready') ? 1 : 0)`,
]

describe.each([
  ['in memory', () => harbour],
  ['on Docker', () => real],
])('a command that is run in the container, %s,', (_engine, there) => {
  test('decides whether it is ready, and its last line explains why not', async () => {
    // Node.js takes seconds to start in a container of a busy machine.
    const healthCheck = { type: 'COMMAND', command: CHECK, timeoutSeconds: 60, periodSeconds: 1, failureThreshold: 2 }
    const appEnvId = await there().sample({ app: { port: 3000, healthCheck } })
    expect(await there().ended(await there().deployment(appEnvId))).toMatchObject({ status: 'SUCCEEDED' })
    await write(there(), appEnvId, '/tmp/unready')
    const { observedReason } = await eventually(
      () => there().appEnvRow(appEnvId),
      // Lasts until the file is removed.
      ({ health }) => health === 'UNHEALTHY',
    )
    expect(observedReason).toBe('1 of 1 containers not ready: node ended with exit code 1: looked')
  })
})

describe('a command that is run in the container', () => {
  test('fails a version that it never finds ready, with its last line', async () => {
    const impatient = await createHarbour({ BERTH_READY_TIMEOUT_SECONDS: '3' }, await inMemory())
    try {
      impatient.startWorker()
      const command = ['node', '-e', `console.error('cannot reach the queue'); process.exit(2)`]
      const appEnvId = await impatient.sample({ app: { port: 3000, healthCheck: { type: 'COMMAND', command } } })
      const operation = await impatient.ended(await impatient.deployment(appEnvId))
      expect(operation).toMatchObject({ status: 'FAILED', reason: 'READINESS_TIMEOUT' })
      expect(operation.message).toContain('node ended with exit code 2: cannot reach the queue')
    } finally {
      await impatient.close()
    }
  })

  test('as a liveness probe has a worker replaced', async () => {
    const appEnvId = await worker(harbour)
    await harbour.perform(changeHealthcheck, {
      appEnvId,
      applyImmediately: true,
      liveness: { command: CHECK, initialDelaySeconds: 0, periodSeconds: 1, failureThreshold: 1 },
    })
    await eventually(
      () => harbour.appEnvRow(appEnvId),
      ({ status, health }) => status === 'RUNNING' && health === 'HEALTHY',
    )
    await write(harbour, appEnvId, '/tmp/unready')
    const { lastRestartReason } = await eventually(
      () => harbour.appEnvRow(appEnvId),
      ({ restartCount }) => restartCount > 0,
    )
    expect(lastRestartReason).toBe('container 0, liveness probe: node ended with exit code 1: looked')
  })

  test('that does not end is ended, and is no answer', async () => {
    const command = ['node', '-e', 'setInterval(() => {}, 1000)']
    const impatient = await createHarbour({ BERTH_READY_TIMEOUT_SECONDS: '3' }, await inMemory())
    try {
      impatient.startWorker()
      const healthCheck = { type: 'COMMAND', command, timeoutSeconds: 1 }
      const appEnvId = await impatient.sample({ app: { port: 3000, healthCheck } })
      const operation = await impatient.ended(await impatient.deployment(appEnvId))
      expect(operation.message).toContain('node did not end within 1 s')
    } finally {
      await impatient.close()
    }
  })
})

test('an app becomes a worker in all its environments', async () => {
  const appId = await harbour.app({ port: 3000 })
  const { appEnvId } = await harbour.appEnv({ appId, startupConfig: script(WORKER) })
  await harbour.perform(updateApp, { appId, healthCheck: NONE })
  expect(await harbour.ended(await harbour.deployment(appEnvId))).toMatchObject({ status: 'SUCCEEDED' })
  expect(await hostsOf(harbour, appEnvId)).toEqual([])
})
