import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../worker/fixtures.ts'
import { ask } from './clients.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import {
  copyImage,
  type RemoteMachine,
  remoteMachineProblem,
  sshProblem,
  startRemoteMachine,
} from './remote-machine.ts'
import { sampleStartup } from './sample-app.ts'

const problem = remoteMachineProblem()
if (problem) console.log(`No second engine is started here: ${problem}`)
const ssh = problem ?? sshProblem()
if (ssh) console.log(`No engine is reached by SSH here: ${ssh}`)

interface Operation {
  status: string
  reason: string | null
  message: string | null
}

interface Place {
  appEnvId: string
  host: string
}

let berth: TestPlatform
let machine: RemoteMachine
let accountId: string
const undo = new AsyncDisposableStack()

beforeAll(async () => {
  if (problem) return
  machine = undo.use(await startRemoteMachine())
  berth = await startTestPlatform({ BERTH_ENGINE_TIMEOUT_SECONDS: '5' })
  undo.defer(() => berth.stop())
  machine.writeTlsKeys(keysOf('north'))
  await copyImage(berth.docker, machine.engine.docker, berth.image)
  const { accounts } = await berth.ok<{ accounts: { accountId: string }[] }>('GET', '/accounts')
  accountId = accounts.at(-1)?.accountId ?? ''
  await createRegion('north', machine.tlsAddress)
})

afterAll(() => undo.disposeAsync())

const keysOf = (region: string) => join(berth.dataDir, 'engine-keys', region)

const createRegion = (region: string, engine: string) =>
  berth.ok('POST', '/region', {
    region,
    name: region,
    functionsSupported: true,
    domain: `${region}.berth.localhost`,
    engine,
    reachAddress: machine.address,
  })

/** An environment of a new app in a region, with an operation that deploys it. */
async function deployed(name: string, region: string): Promise<Place & { operationId: string }> {
  const app = { name, accountId, port: 3000, useImage: true, image: berth.image, healthCheckPath: '/healthz' }
  const { appId } = await berth.ok<{ appId: string }>('POST', '/app', app)
  const fields = { accountId, appId, name: 'production', region, startupConfig: sampleStartup }
  const { appEnvId } = await berth.ok<{ appEnvId: string }>('POST', '/app-env', fields)
  const { hosts } = await berth.ok<{ hosts: string[] }>('GET', `/app-env?appEnvId=${appEnvId}`)
  return { appEnvId, host: hosts[0] ?? '', operationId: await deploy(appEnvId) }
}

async function deploy(appEnvId: string): Promise<string> {
  await berth.ok('POST', '/app-env/deploy-image', { appEnvId, image: berth.image })
  const newest = { where: { appEnvId }, orderBy: { createdAt: 'desc' } } as const
  return (await berth.database.operation.findFirstOrThrow(newest)).id
}

const operation = (operationId: string) => berth.ok<Operation>('GET', `/operation?operationId=${operationId}`)
const succeeded = (operationId: string) =>
  eventually(
    () => operation(operationId),
    ({ status }) => status === 'SUCCEEDED',
  )
const answers = (host: string) =>
  eventually(
    async () => (await ask(berth.platform.ingressUrl ?? '', host)).status,
    (status) => status === 200,
  )
const containersOf = async ({ appEnvId }: Place) => {
  const filters = { label: [`berth.env=${appEnvId}`] }
  const [here, there] = [berth.docker, machine.engine.docker]
  return {
    here: (await here.listContainers({ all: true, filters })).length,
    there: (await there.listContainers({ all: true, filters })).length,
  }
}
const isReachable = async (region: string) => {
  const { regions } = await berth.ok<{ regions: { region: string; engineReachable: boolean | null }[] }>(
    'GET',
    '/regions',
  )
  return regions.find((one) => one.region === region)?.engineReachable
}

describe.skipIf(problem)('a region with an engine of its own', () => {
  test('runs its environments there, holds up no other region when it is away, and goes on when it is back', async () => {
    const [local, north] = [await deployed('Local', 'local'), await deployed('North', 'north')]
    await succeeded(local.operationId)
    await succeeded(north.operationId)
    await answers(north.host)
    expect(await containersOf(local)).toEqual({ here: 1, there: 0 })
    expect(await containersOf(north)).toEqual({ here: 0, there: 1 })
    const { logs } = await eventually(
      () => berth.ok<{ logs: { message: string }[] }>('GET', `/logs?appEnvId=${north.appEnvId}`),
      ({ logs }) => logs.some(({ message }) => message === 'listening'),
    )
    expect(logs.length).toBeGreaterThan(0)
    expect(await isReachable('north')).toBe(true)

    await machine.engine.kill()
    const waiting = await deploy(north.appEnvId)
    // Lasts until the engine is started again.
    const held = await eventually(
      () => operation(waiting),
      ({ reason }) => reason === 'ENGINE_UNREACHABLE',
    )
    expect(held.message).toContain('the region north')
    expect(held.message).not.toContain(machine.address)
    await eventually(
      () => isReachable('north'),
      (reachable) => reachable === false,
    )
    await succeeded(await deploy(local.appEnvId))
    expect(await isReachable('local')).toBe(true)

    await machine.engine.start()
    await succeeded(waiting)
    await answers(north.host)
    await eventually(
      () => isReachable('north'),
      (reachable) => reachable === true,
    )
    expect((await containersOf(north)).here).toBe(0)
  })

  test('cannot change its engine while environments are there, and tells nobody but the admin where it is', async () => {
    const response = await berth.rest('PUT', '/region', { region: 'north', engine: null, reachAddress: null })
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({
      reason: 'REGION_IN_USE',
      message: expect.stringContaining('environments (1)'),
    })
    expect(JSON.stringify(await berth.ok('GET', '/regions'))).not.toContain(machine.address)
    const { engines } = await berth.ok<{ engines: object[] }>('GET', '/region-engines')
    expect(engines).toContainEqual(expect.objectContaining({ region: 'north', engine: machine.tlsAddress }))
  })

  test('is unreachable with keys that are missing, and reached as soon as they are there', async () => {
    await createRegion('south', machine.tlsAddress)
    await eventually(
      () => isReachable('south'),
      (reachable) => reachable === false,
    )
    machine.writeTlsKeys(keysOf('south'))
    await eventually(
      () => isReachable('south'),
      (reachable) => reachable === true,
    )
  })
})

describe.skipIf(ssh)('an engine behind SSH', () => {
  test('runs environments of its region', async () => {
    await createRegion('west', await machine.serveSsh(keysOf('west')))
    const west = await deployed('West', 'west')
    await succeeded(west.operationId)
    await answers(west.host)
    expect(await containersOf(west)).toEqual({ here: 0, there: 1 })
    const command = { appEnvId: west.appEnvId }
    await berth.ok('POST', '/app-env/stop', command)
    await eventually(
      () => containersOf(west),
      ({ there }) => there === 0,
    )
  })
})
