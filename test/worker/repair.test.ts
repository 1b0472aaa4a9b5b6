import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'
import { heldRuntime } from './held-runtime.ts'

let harbour: Harbour
let appEnvId: string
let repairs: ReturnType<typeof heldRuntime>

beforeAll(async () => {
  // Without engine events, only reconciles find out.
  // The same on the machine's own engine: test/e2e/drift.test.ts.
  harbour = await createHarbour({ BERTH_ENGINE_EVENTS: 'false' }, await inMemory())
  repairs = heldRuntime(harbour.runtime, 'apply')
  harbour.startWorker({ runtime: repairs.runtime })
  appEnvId = await harbour.sample({ containers: 2 })
  await harbour.ended(await harbour.deployment(appEnvId))
})

afterAll(() => harbour?.close())

const healthy = () =>
  eventually(
    () => harbour.appEnvRow(appEnvId),
    (seen) => seen.health === 'HEALTHY' && seen.replicasReady === 2,
  )

describe.each([
  ['removed', 'remove', /missing|exited with code 137/],
  ['stopped', 'stop', /exited with code 0/],
  ['killed', 'kill', /exited with code 137/],
  ['paused', 'pause', /paused/],
] as const)('a container that is %s by hand', (_how, harm, reason) => {
  test('is brought back, takes traffic again, and the status says so meanwhile', async () => {
    const before = await healthy()
    const eventsBefore = (await harbour.eventsOf(appEnvId)).length
    const broken = await repairs.hold(async () => {
      await harbour.byHand[harm](before.replicas[0]?.containerId ?? '')
      return eventually(
        () => harbour.appEnvRow(appEnvId),
        (seen) => seen.health !== 'HEALTHY',
      )
    })
    expect(broken).toMatchObject({ status: 'RUNNING', health: 'DEGRADED', replicasReady: 1, version: before.version })
    expect(broken.observedReason).toMatch(new RegExp(`^1 of 2 containers (${reason.source})$`))
    expect(broken.replicas[0]?.state).toBe('STARTING')
    const { replicas } = await healthy()
    for (const { address, port, state } of replicas) {
      expect(state).toBe('READY')
      expect((await fetch(`http://${address}:${port}/`)).status).toBe(200)
    }
    expect(await harbour.containersOf(appEnvId)).toHaveLength(2)
    const recorded = (await harbour.eventsOf(appEnvId)).slice(eventsBefore)
    expect(recorded.map((event) => [event.type, (event as Record<string, unknown>).health])).toEqual([
      ['appEnv.healthChanged', 'DEGRADED'],
      ['appEnv.healthChanged', 'HEALTHY'],
    ])
  })
})

test('a container of another rollout is removed', async () => {
  const { currentContentId } = await harbour.appEnvRow(appEnvId)
  await harbour.runtime.apply(await stray({ rolloutId: 'op_gone', contentId: currentContentId ?? '' }))
  expect(await harbour.containersOf(appEnvId)).toHaveLength(3)
  await eventually(
    () => harbour.containersOf(appEnvId),
    (seen) => seen.length === 2,
  )
  await healthy()
})

test('a container of a stopped environment that is started by hand is removed', async () => {
  const before = await harbour.appEnvRow(appEnvId)
  await harbour.ended(await harbour.ask(stopAppEnv, appEnvId))
  await harbour.runtime.apply(
    await stray({ rolloutId: before.rolloutId ?? '', contentId: before.currentContentId ?? '' }),
  )
  expect(await harbour.containersOf(appEnvId)).toHaveLength(1)
  await eventually(
    () => harbour.containersOf(appEnvId),
    (seen) => seen.length === 0,
  )
  expect(await harbour.appEnvRow(appEnvId)).toMatchObject({ status: 'STOPPED', health: 'UNKNOWN', replicas: [] })
})

test('containers of an environment that the database does not know are removed', async () => {
  await harbour.runtime.apply(await stray({ appEnvId: 'env_unknown', rolloutId: 'op_unknown' }))
  expect(await harbour.containersOf('env_unknown')).toHaveLength(1)
  await eventually(
    () => harbour.containersOf('env_unknown'),
    (seen) => seen.length === 0,
  )
})

async function stray(fields: { appEnvId?: string; rolloutId: string; contentId?: string }) {
  const { accountId, appId, cliEnvName } = await harbour.appEnvRow(appEnvId)
  const command = { entrypoint: ['node'], args: ['-e', 'setInterval(() => {}, 1000)'] }
  const image = await harbour.imageBuilder.resolveImage(harbour.image, null, { mayUseCopy: async () => true })
  return {
    accountId,
    appId,
    appEnvId,
    contentId: 'con_none',
    generation: 0,
    requestId: 'req_stray',
    version: 9,
    cliEnvName,
    pinnedImage: image.pinned,
    command,
    workingDir: null,
    environment: {},
    volume: null,
    port: 3000,
    replicas: 1,
    followers: null,
    files: [],
    sandbox: null,
    stopSeconds: null,
    resources: { cpu: 1, memoryMb: 128 },
    ...fields,
    heldNetwork: 'NONE' as const,
    settings: null,
    group: null,
  }
}
