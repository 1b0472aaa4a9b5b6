import Docker from 'dockerode'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../../../src/engines/docker/connection.ts'
import { createDockerRuntime } from '../../../../src/engines/docker/runtime/docker-runtime.ts'
import { ensureHolderImage, HOLDER_IMAGE } from '../../../../src/engines/docker/runtime/holder-image.ts'
import type { RunContainer } from '../../../../src/engines/runtime/container-runtime.ts'
import { createWorld, eventually, uniqueId, type World } from '../../../contracts/engine-harness.ts'
import { dockerHarness as harness } from '../../../support/docker-harness.ts'

const docker = new Docker()
let world: World

beforeAll(async () => {
  world = createWorld(harness, await harness.ensureImage())
})
afterAll(() => harness.cleanUp(world.installationId))

/** Runs of one environment of an account of its own, on three holders at most. */
function job() {
  const runtime = createDockerRuntime(connect({ installationId: world.installationId }), { networkHolders: 3 })
  const { accountId, appId, appEnvId, contentId, generation, requestId, pinnedImage } = world.rollout({
    accountId: uniqueId('acc'),
  })
  const runOf = (program: string): RunContainer => ({
    accountId,
    appId,
    appEnvId,
    contentId,
    generation,
    requestId,
    pinnedImage,
    runId: uniqueId('run'),
    attempt: 1,
    environment: {},
    files: [],
    workingDir: null,
    settings: null,
    group: null,
    command: { entrypoint: ['node', '-e'], args: [program] },
    resources: { cpu: 1, memoryMb: 256 },
  })
  const create = async (program: string) => (await runtime.createRun(runOf(program))).containerId
  const start = async (containerId: string) => {
    expect(await runtime.startRun(containerId)).toBe(true)
    return containerId
  }
  const end = (containerId: string) =>
    eventually(
      async () => (await runtime.observeRuns({ containerId }))[0],
      (seen) => seen?.phase === 'exited',
    )
  const run = async (program: string, containerId?: string) => {
    const started = await start(containerId ?? (await create(program)))
    return { exitCode: (await end(started))?.exitCode, joined: await joinedBy(started) }
  }
  /** A holder is free a moment after it was made, or after its run has ended. */
  const createJoined = async (program = '') => {
    const found = await eventually(
      async () => {
        const containerId = await create(program)
        const holder = await joinedBy(containerId)
        if (holder === null) await runtime.removeRuns({ containerId })
        return { containerId, holder }
      },
      ({ holder }) => holder !== null,
    )
    return { containerId: found.containerId, holder: found.holder ?? '' }
  }
  /** Another one where the engine lost the connection before the start, as it may on a busy machine. */
  const startJoined = (program: string) =>
    eventually(
      async () => {
        const joined = await createJoined(program)
        return (await runtime.startRun(joined.containerId)) ? joined : null
      },
      (joined) => joined !== null,
    )
  return { runtime, accountId, create, createJoined, start, startJoined, run, holders: () => holdersOf(accountId) }
}

const holdersOf = async (accountId: string): Promise<string[]> => {
  const label = [`berth.account=${accountId}`, 'berth.role=network-holder']
  return (await docker.listContainers({ all: true, filters: { label } })).map(({ Id }) => Id)
}

/** The holder whose network the container is in; null: it has a connection of its own. */
async function joinedBy(containerId: string): Promise<string | null> {
  const { HostConfig } = await docker.getContainer(containerId).inspect()
  const { NetworkMode = '' } = HostConfig
  return NetworkMode.startsWith('container:') ? NetworkMode.slice('container:'.length) : null
}

const WAIT = 'setTimeout(() => {}, 60_000)'
const REACH = (url: string) =>
  `fetch('${url}').then((answer) => process.exit(answer.status === 200 ? 0 : 4), () => process.exit(5))`

/** As a run could whose image has root for its user. */
async function poison(holder: string): Promise<void> {
  const program = `require('node:fs').appendFileSync('/etc/hosts', '127.0.0.1 registry.example\\n')`
  const container = await docker.createContainer({
    Image: world.image,
    User: '0',
    Cmd: ['node', '-e', program],
    Labels: { 'berth.installation': world.installationId },
    HostConfig: { NetworkMode: `container:${holder}` },
  })
  await container.start()
  expect(await container.wait()).toMatchObject({ StatusCode: 0 })
}

/** A job whose first run is over, so that a holder is made for the next. */
async function warm() {
  const warmed = job()
  expect(await warmed.run('')).toEqual({ exitCode: 0, joined: null })
  return warmed
}

test('every process uses the image that is there', async () => {
  const ensure = () => ensureHolderImage(connect({ installationId: world.installationId }), AbortSignal.timeout(60_000))
  const id = async () => (await docker.getImage(HOLDER_IMAGE).inspect()).Id
  expect(await ensure()).toBe(true)
  const made = await id()
  expect(await ensure()).toBe(true)
  expect(await id()).toBe(made)
})

test('a run joins the connection that was made after the one before, and reaches the account’s network', async () => {
  const here = await warm()
  await here.runtime.apply(world.rollout({ accountId: here.accountId }))
  const { containerId, holder } = await here.createJoined(REACH('http://default-shop-production:3000'))
  expect(await here.run('', containerId)).toEqual({ exitCode: 0, joined: holder })
  // And the one after it joins one that is there already.
  const before = await here.holders()
  expect(before).toContain((await here.createJoined()).holder)
})

test('runs at the same time are in different ones', async () => {
  const here = await warm()
  const holders = new Set<string | undefined>()
  for (let number = 0; number < 3; number += 1) holders.add((await here.startJoined(WAIT))?.holder)
  expect(holders.size).toBe(3)
  const more = await Promise.all([here.create(WAIT), here.create(WAIT)])
  expect(await Promise.all(more.map(joinedBy))).toEqual([null, null])
  expect(await here.holders()).toHaveLength(3)
})

test('one whose files a run has changed is thrown away', async () => {
  const here = await warm()
  const { containerId, holder } = await here.createJoined()
  await poison(holder)
  expect((await here.run('', containerId)).exitCode).toBe(0)
  await eventually(here.holders, (holders) => !holders.includes(holder))
  const lookUp = `process.exit(/registry.example/.test(require('node:fs').readFileSync('/etc/hosts')) ? 4 : 0)`
  const later = await here.createJoined(lookUp)
  expect((await here.run('', later.containerId)).exitCode).toBe(0)
})

test('one that is gone when its run starts costs another container, and not the run', async () => {
  const here = await warm()
  const { containerId, holder } = await here.createJoined()
  await docker.getContainer(holder).remove({ force: true })
  expect(await here.runtime.startRun(containerId)).toBe(false)
  expect((await here.run('')).exitCode).toBe(0)
})

test('one that is not on the account’s network is not joined', async () => {
  const here = await warm()
  const { containerId, holder } = await here.createJoined()
  await here.runtime.removeRuns({ containerId })
  await harness.byHand.removeNetwork(world.installationId, here.accountId)
  expect(await here.run(REACH('http://default-shop-production:3000'))).toEqual({ exitCode: 5, joined: null })
  expect((await here.createJoined()).holder).not.toBe(holder)
  await eventually(here.holders, (holders) => !holders.includes(holder))
})

test('they go with the account’s network, and stay while a run is in them', async () => {
  const here = await warm()
  const { containerId, holder } = await here.createJoined(WAIT)
  await here.start(containerId)
  const removed = async () => {
    await here.runtime.removeNetwork(here.accountId)
    return here.holders()
  }
  await eventually(removed, (holders) => holders.join() === holder)
  await here.runtime.removeRuns({ containerId })
  await eventually(removed, ({ length }) => length === 0)
})
