import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../../../src/engines/docker/connection.ts'
import { createDockerRuntime } from '../../../../src/engines/docker/runtime/docker-runtime.ts'
import type { Rollout } from '../../../../src/engines/runtime/container-runtime.ts'
import { probe } from '../../../../src/engines/runtime/readiness.ts'
import { createWorld, eventually, onlyReplica, uniqueId, type World } from '../../../contracts/engine-harness.ts'
import { dockerHarness as harness } from '../../../support/docker-harness.ts'

const docker = new Docker()
let world: World

beforeAll(async () => {
  world = createWorld(harness, await harness.ensureImage())
})
afterAll(() => harness.cleanUp(world.installationId))

/** The container of an environment that sleeps, in an account of its own. */
function sleeper({ most = 64, heldNetwork = 'MADE' as Rollout['heldNetwork'] } = {}) {
  const runtime = createDockerRuntime(connect({ installationId: world.installationId }), { replicaNetworks: most })
  const rollout = world.rollout({ accountId: uniqueId('acc'), heldNetwork })
  const seen = () => onlyReplica(runtime, rollout.appEnvId)
  const answers = async () => {
    const { address, port } = await seen()
    const ask = () => probe({ address: address ?? '', port: port ?? 0, path: '/', timeoutMs: 1000 })
    expect(await eventually(ask, ({ ready }) => ready)).toMatchObject({ ready: true })
  }
  const holder = async () => joinedBy((await seen()).containerId)
  const begin = async () => {
    await runtime.apply(rollout)
    await answers()
    return { replica: await seen(), holder: (await holder()) ?? '' }
  }
  return { runtime, rollout, seen, answers, holder, begin, holders: () => holdersOf(rollout.accountId) }
}

const holdersOf = async (accountId: string): Promise<string[]> => {
  const label = [`berth.account=${accountId}`, 'berth.role=network-holder']
  return (await docker.listContainers({ all: true, filters: { label } })).map(({ Id }) => Id)
}

async function joinedBy(containerId: string): Promise<string | null> {
  const { NetworkMode = '' } = (await docker.getContainer(containerId).inspect()).HostConfig
  return NetworkMode.startsWith('container:') ? NetworkMode.slice('container:'.length) : null
}

describe('a container that sleeps', () => {
  test('joins a connection that was made for it, under its name, and keeps it through every sleep', async () => {
    const { runtime, rollout, seen, answers, begin, holders } = sleeper()
    const { replica, holder } = await begin()
    expect(await holders()).toEqual([holder])
    expect(replica).toMatchObject({ phase: 'running', isConnected: true, hasOwnAddress: true })
    const { containerId, address, port } = replica
    await runtime.freeze(replica.name)
    expect(await seen()).toMatchObject({ phase: 'paused', address, port })
    await runtime.unfreeze(replica.name)
    await answers()
    await runtime.stop(replica.name, { graceSeconds: 1 })
    expect(await seen()).toMatchObject({ phase: 'exited', isConnected: true })
    expect(await runtime.start(replica.name)).toMatchObject({ containerId, address, port, isConnected: true })
    await answers()
    // Others of the account find it by its name.
    const visitor = world.rollout({ accountId: rollout.accountId, command: harness.programs.visit, port: null })
    const environment = { TARGET: rollout.cliEnvName }
    await runtime.apply({
      ...visitor,
      environment,
      appEnvId: uniqueId('env'),
      cliEnvName: 'default-visitor-production',
    })
    const [{ name = '' } = {}] = (await runtime.observe()).filter(
      ({ appEnvId }) => appEnvId !== rollout.appEnvId && appEnvId.startsWith('env'),
    )
    const lines = () => Array.fromAsync(runtime.logs(name, {}), ({ message }) => message)
    expect(await eventually(lines, (said) => said.length > 0)).toEqual(['hello'])
  })

  test('leaves no holder behind, and its account’s network can be removed', async () => {
    const { runtime, rollout, begin, holders } = sleeper()
    await begin()
    await runtime.remove({ appEnvId: rollout.appEnvId }, { graceSeconds: 1 })
    expect(await holders()).toEqual([])
    await runtime.removeNetwork(rollout.accountId)
    const label = [`berth.account=${rollout.accountId}`]
    expect(await docker.listNetworks({ filters: { label } })).toEqual([])
  })

  test.each(['running', 'stopped'])('is replaced when its holder was killed while it was %s', async (state) => {
    const { runtime, rollout, seen, answers, holder, begin, holders } = sleeper()
    const first = await begin()
    if (state === 'stopped') await runtime.stop(first.replica.name, { graceSeconds: 1 })
    await docker.getContainer(first.holder).kill()
    if (state === 'running') expect(await seen()).toMatchObject({ phase: 'running', address: null, isConnected: false })
    else await expect(runtime.start(first.replica.name)).rejects.toMatchObject({ reason: 'CONTAINER_START_FAILED' })
    await runtime.apply(rollout)
    await answers()
    expect((await seen()).containerId).not.toBe(first.replica.containerId)
    expect(await holders()).toEqual([await holder()])
  })

  test('is replaced when its holder is gone and it was never started', async () => {
    const { runtime, rollout, answers, begin } = sleeper()
    const { replica, holder } = await begin()
    await runtime.stop(replica.name, { graceSeconds: 1 })
    await docker.getContainer(holder).remove({ force: true })
    await runtime.apply(rollout)
    await answers()
  })

  test('has a connection of its own where as many are held as may be, or a request waits and none is ready', async () => {
    for (const one of [sleeper({ most: 0 }), sleeper({ heldNetwork: 'IF_READY' }), sleeper({ heldNetwork: 'NONE' })]) {
      await one.begin()
      expect([await one.holder(), await one.holders()]).toEqual([null, []])
    }
    const crowded = sleeper({ most: (await installationHolders()) + 1 })
    await crowded.begin()
    const next = { ...crowded.rollout, appEnvId: uniqueId('env'), rolloutId: uniqueId('op'), version: 2 }
    await crowded.runtime.apply(next)
    expect(await joinedBy((await onlyReplica(crowded.runtime, next.appEnvId)).containerId)).toBeNull()
  })

  test('wakes on a connection that was made ready when its container was removed', async () => {
    const { runtime, rollout, answers, holder, holders } = sleeper({ heldNetwork: 'IF_READY' })
    await runtime.remove({ appEnvId: rollout.appEnvId }, { graceSeconds: 1, expected: rollout })
    const [spare] = await holders()
    await runtime.apply(rollout)
    await answers()
    expect(await holder()).toBe(spare)
  })

  test('has its name for itself: what a worker that is gone has made ready is removed', async () => {
    const { runtime, rollout, answers, holder, holders } = sleeper({ heldNetwork: 'IF_READY' })
    await sleeper().runtime.remove({ appEnvId: rollout.appEnvId }, { graceSeconds: 1, expected: rollout })
    expect(await holders()).toHaveLength(1)
    await runtime.apply(rollout)
    await answers()
    await eventually(holders, (ids) => ids.length === 0)
    expect(await holder()).toBeNull()
  })

  test('has replicas beside it with connections of their own', async () => {
    const { runtime, rollout, holders } = sleeper()
    await runtime.apply({ ...rollout, replicas: 2 })
    const both = await runtime.observe({ appEnvId: rollout.appEnvId })
    expect(both.map(({ isConnected }) => isConnected)).toEqual([true, true])
    expect(await Promise.all(both.map(({ containerId }) => joinedBy(containerId)))).toEqual([expect.any(String), null])
    await runtime.apply({ ...rollout, replicas: 1 })
    expect(await holders()).toHaveLength(1)
  })
})

async function installationHolders(): Promise<number> {
  const label = [`berth.installation=${world.installationId}`, 'berth.network-of']
  return (await docker.listContainers({ all: true, filters: { label } })).length
}
