import { afterAll, beforeAll, expect, test } from 'vitest'
import { getAppEnvStatus } from '../../src/services/app-env/app-env-reads.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { changeHealthcheck, changeResources, changeScaling } from '../../src/services/app-env/setting-commands.ts'
import { changeVariables, setVariables } from '../../src/services/app-env/variable-commands.ts'
import { applyChanges } from '../../src/services/lifecycle/apply-changes.ts'
import { rollbackAppEnv } from '../../src/services/lifecycle/rollback.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'

let harbour: Harbour
/** With the machine's own engine. */
let real: Harbour

/** Answers with what its environment holds; /live answers 500 once /die was asked. */
const PROGRAM = `
let isAlive = true
require('node:http').createServer((request, response) => {
  if (request.url === '/die') isAlive = false
  response.writeHead(request.url === '/live' && !isAlive ? 500 : 200)
  response.end(JSON.stringify({ ...process.env }))
}).listen(Number(process.env.PORT))
process.on('SIGTERM', () => process.exit(0))
`
const startupConfig = { command: 'node', args: ['-e', PROGRAM], shell: false }

beforeAll(async () => {
  harbour = await createHarbour({}, await inMemory())
  real = await createHarbour()
  for (const one of [harbour, real]) one.startWorker()
})

afterAll(async () => {
  for (const one of [harbour, real]) await one?.close()
})

async function running(fields: Record<string, unknown> = {}, there = harbour): Promise<string> {
  const { appEnvId } = await there.appEnv({ app: { port: 3000 }, startupConfig, ...fields })
  expect(await there.ended(await there.deployment(appEnvId))).toMatchObject({ status: 'SUCCEEDED' })
  return appEnvId
}

async function ask(appEnvId: string, path = '/', there = harbour): Promise<Record<string, string>> {
  const { replicas } = await there.appEnvRow(appEnvId)
  const { address, port } = replicas.find((row) => row.state === 'READY') ?? {}
  return (await (await fetch(`http://${address}:${port}${path}`)).json()) as Record<string, string>
}

async function statusOf(appEnvId: string) {
  const caller = await harbour.services.authenticate(harbour.adminToken)
  return harbour.services.respond(getAppEnvStatus, { caller, requestId: 'req_1' }, { appEnvId })
}

const serving = async (appEnvId: string, there = harbour) => {
  const { rolloutId, replicas } = await there.appEnvRow(appEnvId)
  return replicas.filter((row) => row.rolloutId === rolloutId).map((row) => row.containerId)
}

test('a variable that is changed on three environments and applied on one restarts that one only', async () => {
  const appId = await harbour.app({ port: 3000 })
  const envVars = [{ name: 'COLOUR', value: 'red' }]
  const appEnvIds = await Promise.all(['a', 'b', 'c'].map((name) => running({ appId, name, envVars })))
  const before = await Promise.all(appEnvIds.map((id) => serving(id)))
  const variables = [
    { name: 'COLOUR', value: 'blue' },
    { name: 'KEY', value: 'hush', isSecret: true },
  ]
  for (const appEnvId of appEnvIds) await harbour.perform(setVariables, { appEnvId, variables })
  const [applied = '', ...others] = appEnvIds
  const answer = await harbour.perform(applyChanges, { appEnvId: applied })
  expect(answer.message).toBe('Deploying the changes: envVars.COLOUR, envVars.KEY')
  expect(await harbour.ended(answer.operationId ?? '')).toMatchObject({ status: 'SUCCEEDED' })

  const after = await Promise.all(appEnvIds.map((id) => serving(id)))
  expect(after[0]).not.toEqual(before[0])
  expect(after.slice(1)).toEqual(before.slice(1))
  expect(await ask(applied)).toMatchObject({ COLOUR: 'blue', KEY: 'hush' })
  expect((await statusOf(applied)).pendingChanges.changes).toEqual([])
  for (const appEnvId of others) {
    expect(await ask(appEnvId)).toMatchObject({ COLOUR: 'red' })
    expect((await statusOf(appEnvId)).pendingChanges).toEqual({
      hasBuildChanges: false,
      hasDeployChanges: true,
      hasScaleChanges: false,
      changes: [
        { kind: 'DEPLOY', field: 'envVars.COLOUR', from: 'red', to: 'blue' },
        { kind: 'DEPLOY', field: 'envVars.KEY', from: null, to: '***SECRET***' },
      ],
    })
  }

  const rollback = await harbour.perform(rollbackAppEnv, { appEnvId: applied })
  expect(rollback.rollbackInfo).toMatchObject({ fromVersion: 2, toVersion: 1 })
  expect(await harbour.ended(rollback.operationId ?? '')).toMatchObject({ status: 'SUCCEEDED' })
  const restored = await ask(applied)
  expect(restored).toMatchObject({ COLOUR: 'red', BERTH_VERSION: '3' })
  expect(restored).not.toHaveProperty('KEY')
})

test('size and number of containers are pending, then deployed or scaled, and references are resolved', async () => {
  const other = await running({ name: 'other' }, real)
  const { cliEnvName } = await real.appEnvRow(other)
  const appEnvId = await running({}, real)
  await real.perform(changeScaling, { appEnvId, containers: 2 })
  const scaling = await real.perform(applyChanges, { appEnvId })
  expect(scaling.message).toBe('Scaling: containers')
  await real.ended(scaling.operationId ?? '')
  expect((await real.containersOf(appEnvId)).length).toBe(2)

  await real.perform(changeResources, { appEnvId, cpu: 0.5, memory: 256 })
  const references = [
    { name: 'HOSTNAME_OF_DB', value: 'db.test' },
    { name: 'DATABASE', value: `postgres://\${HOSTNAME_OF_DB}/v\${BERTH_VERSION} $\${HOME}` },
    { name: 'OTHER', value: `\${${cliEnvName}.internalUrl}` },
  ]
  const changed = await real.perform(changeVariables, { appEnvId, variables: references, applyImmediately: true })
  expect(changed.appliedImmediately).toBe(true)
  await real.ended(changed.operationId ?? '')
  expect(await ask(appEnvId, '/', real)).toMatchObject({
    DATABASE: `postgres://db.test/v2 \${HOME}`,
    OTHER: `http://${cliEnvName}:3000`,
  })
  const [container] = await serving(appEnvId, real)
  const { HostConfig } = await real.docker.getContainer(container ?? '').inspect()
  expect(HostConfig).toMatchObject({ Memory: 256 * 1024 * 1024, NanoCpus: 5e8 })
})

test('a version that refers to an environment which is gone is repaired, and a new one says what is missing', async () => {
  const other = await running({ name: 'gone' })
  const { cliEnvName } = await harbour.appEnvRow(other)
  const appEnvId = await running({ envVars: [{ name: 'OTHER', value: `\${${cliEnvName}.internalUrl}` }] })
  await harbour.ended(await harbour.ask(deleteAppEnv, other))
  const [before] = await serving(appEnvId)
  await harbour.byHand.remove(before ?? '')
  await eventually(
    () => harbour.appEnvRow(appEnvId),
    ({ replicas }) => replicas.some((row) => row.state === 'READY' && row.containerId !== before),
  )
  expect(await ask(appEnvId)).toMatchObject({ OTHER: `http://${cliEnvName}:3000` })

  const redeployed = await harbour.ended(await harbour.deployment(appEnvId))
  expect(redeployed).toMatchObject({ status: 'FAILED', reason: 'REFERENCE_UNRESOLVED' })
})

test('a container whose liveness probe fails is started anew, and the status says so', async () => {
  const appEnvId = await running()
  const probe = { path: '/live', initialDelaySeconds: 0, periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 2 }
  const answer = await harbour.perform(changeHealthcheck, {
    appEnvId,
    liveness: probe,
    startup: { ...probe, path: '/' },
    applyImmediately: true,
  })
  await harbour.ended(answer.operationId ?? '')
  const before = await serving(appEnvId)
  await ask(appEnvId, '/die')
  const restarted = await eventually(
    () => statusOf(appEnvId),
    ({ restarts, health }) => restarts.count > 0 && health === 'HEALTHY',
  )
  expect(restarted.restarts).toMatchObject({
    count: 1,
    lastReason: 'container 0, liveness probe: GET /live answered 500',
  })
  expect(await serving(appEnvId)).not.toEqual(before)
  const types = (await harbour.eventsOf(appEnvId)).map((event) => event.type)
  expect(types).toContain('appEnv.containersRestarted')
})

test('a version whose startup probe is never answered fails, and the version before serves on', async () => {
  const appEnvId = await running()
  const before = await serving(appEnvId)
  const startup = { port: 3999, initialDelaySeconds: 0, periodSeconds: 1, failureThreshold: 2 }
  const answer = await harbour.perform(changeHealthcheck, { appEnvId, startup, applyImmediately: true })
  expect(await harbour.ended(answer.operationId ?? '')).toMatchObject({ status: 'FAILED', reason: 'STARTUP_FAILED' })
  expect(await serving(appEnvId)).toEqual(before)
})
