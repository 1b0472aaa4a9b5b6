import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { networkName } from '../../../../src/engines/docker/networks.ts'
import { probe } from '../../../../src/engines/runtime/readiness.ts'
import { describeLinuxConfinement } from '../../../contracts/container-runtime/linux-confinement.ts'
import { describeContainerRuntime } from '../../../contracts/container-runtime.ts'
import { createWorld, eventually, onlyReplica, uniqueId, type World } from '../../../contracts/engine-harness.ts'
import { dockerEngine } from '../../../support/docker-engine.ts'
import { ENGINE_SOCKET, dockerHarness as harness, pauseByHand } from '../../../support/docker-harness.ts'
import { engineProxy } from '../../../support/engine-proxy.ts'

describeContainerRuntime('Docker Engine', harness)

describe('what only Docker Engine does', () => {
  const docker = new Docker()
  const worlds: World[] = []
  let world: World

  const newWorld = (image: string): World => {
    const created = createWorld(harness, image)
    worlds.push(created)
    return created
  }

  beforeAll(async () => {
    world = newWorld(await harness.ensureImage())
  })
  afterAll(() => Promise.all(worlds.map(({ installationId }) => harness.cleanUp(installationId))))

  test('brings back a replica whose network was pruned while it was stopped', async () => {
    const rollout = world.rollout()
    await world.runtime.apply(rollout)
    const { containerId } = await onlyReplica(world.runtime, rollout.appEnvId)
    await harness.byHand.stop(containerId)
    await docker.getNetwork(networkName(world.installationId, rollout.accountId)).remove()
    await world.runtime.apply(rollout)
    expect(await onlyReplica(world.runtime, rollout.appEnvId)).toMatchObject({ phase: 'running' })
  })

  test('makes a network that was removed again as it was, so that firewall rules apply to it', async () => {
    const rollout = world.rollout({ accountId: uniqueId('acc') })
    const network = docker.getNetwork(networkName(world.installationId, rollout.accountId))
    await world.runtime.apply(rollout)
    const { Id, Created, IPAM, Containers, ...before } = await network.inspect()
    await harness.byHand.removeNetwork(world.installationId, rollout.accountId)
    await world.runtime.apply(rollout)
    expect(await network.inspect()).toMatchObject(before)

    await harness.byHand.removeNetwork(world.installationId, rollout.accountId)
    await docker.createNetwork({ Name: networkName(world.installationId, rollout.accountId) })
    await world.runtime.apply(rollout)
    expect(await network.inspect()).toMatchObject(before)
    expect(await onlyReplica(world.runtime, rollout.appEnvId)).toMatchObject({ isConnected: true })
  })

  test('gives a replica its name back that was connected by hand without it', async () => {
    const rollout = world.rollout()
    await world.runtime.apply(rollout)
    const { containerId } = await onlyReplica(world.runtime, rollout.appEnvId)
    await harness.byHand.disconnect(containerId)
    const network = docker.getNetwork(networkName(world.installationId, rollout.accountId))
    await network.connect({ Container: containerId })
    expect(await onlyReplica(world.runtime, rollout.appEnvId)).toMatchObject({ isConnected: false })
    await world.runtime.apply(rollout)
    expect(await onlyReplica(world.runtime, rollout.appEnvId)).toMatchObject({ containerId, isConnected: true })
  })

  test('resumes a replica that was paused by hand, and removes a paused one', async () => {
    const rollout = world.rollout()
    await world.runtime.apply(rollout)
    const { containerId, address, hasOwnAddress } = await onlyReplica(world.runtime, rollout.appEnvId)
    expect(hasOwnAddress).toBe(true)
    await pauseByHand(containerId)
    expect(await onlyReplica(world.runtime, rollout.appEnvId)).toMatchObject({ phase: 'paused', address })
    await world.runtime.apply(rollout)
    expect(await onlyReplica(world.runtime, rollout.appEnvId)).toMatchObject({ containerId, phase: 'running' })
    await pauseByHand(containerId)
    await world.runtime.remove(rollout, { graceSeconds: 1 })
    expect(await world.runtime.observe({ appEnvId: rollout.appEnvId })).toEqual([])
  })

  test.each([
    { times: 2, phase: 'paused', says: 'unable to freeze' },
    { times: 3, phase: 'running', says: 'unable to freeze' },
    // As runc says it on a machine with cgroup v2.
    { times: 2, phase: 'paused', says: 'timeout of 10s reached waiting for the cgroup to freeze' },
  ] as const)('asks again when the kernel cannot freeze a replica, three times: $times times $says', async (one) => {
    const rollout = world.rollout()
    await world.runtime.apply(rollout)
    const { name } = await onlyReplica(world.runtime, rollout.appEnvId)
    const refusal = {
      kind: 'refuse',
      status: 500,
      message: `OCI runtime pause failed: ${one.says}: unknown`,
    } as const
    await using proxy = await engineProxy(ENGINE_SOCKET, { ...refusal, only: /\/pause/, times: one.times })
    const frozen = dockerEngine({ ...world, dockerHost: proxy.host }).runtime.freeze(name)
    if (one.phase === 'paused') await frozen
    else await expect(frozen).rejects.toThrow('unable to freeze')
    expect(await onlyReplica(world.runtime, rollout.appEnvId)).toMatchObject({ phase: one.phase })
  })

  test('refuses to take over a foreign container of the same name', async () => {
    const rollout = world.rollout()
    const other = newWorld(rollout.pinnedImage)
    await other.runtime.apply(rollout)
    const failure = { reason: 'CONTAINER_START_FAILED', message: expect.stringContaining('default-shop-production') }
    await expect(world.runtime.apply(rollout)).rejects.toMatchObject(failure)
    expect(await onlyReplica(other.runtime, rollout.appEnvId)).toMatchObject({ phase: 'running' })
  })

  test('creates one network however many workers need it at once', async () => {
    const { installationId, rollout } = newWorld(world.image)
    const workers = Array.from({ length: 4 }, () => harness.open({ installationId }).runtime)
    await Promise.all(workers.map((worker) => worker.apply(rollout())))
    const label = [`berth.installation=${installationId}`]
    expect(await docker.listNetworks({ filters: { label } })).toHaveLength(1)
  })

  test('reaches replicas at a loopback port if the engine’s bridges cannot be reached', async () => {
    const { installationId } = world
    const { runtime } = dockerEngine({ installationId, reach: 'published' })
    const rollout = world.rollout()
    await runtime.apply(rollout)
    const { address, port, hasOwnAddress } = await onlyReplica(runtime, rollout.appEnvId)
    expect(address).toBe('127.0.0.1')
    expect(hasOwnAddress).toBe(false)
    expect(port).not.toBe(3000)
    const ask = () => probe({ address: address ?? '', port: port ?? 0, path: '/', timeoutMs: 1000 })
    await eventually(ask, ({ ready }) => ready)
  })

  test('publishes a replica again that was disconnected', async () => {
    const { installationId } = world
    const { runtime } = dockerEngine({ installationId, reach: 'published' })
    const rollout = world.rollout()
    await runtime.apply(rollout)
    const { containerId } = await onlyReplica(runtime, rollout.appEnvId)
    await harness.byHand.disconnect(containerId)
    expect(await onlyReplica(runtime, rollout.appEnvId)).toMatchObject({ isConnected: false })
    await runtime.apply(rollout)
    const { address, port, isConnected } = await onlyReplica(runtime, rollout.appEnvId)
    expect(isConnected).toBe(true)
    const ask = () => probe({ address: address ?? '', port: port ?? 0, path: '/', timeoutMs: 1000 })
    await eventually(ask, ({ ready }) => ready)
  })

  test('puts no secret into a URL, and names no API version', async () => {
    await using proxy = await engineProxy(ENGINE_SOCKET, null)
    const { runtime, imageBuilder } = dockerEngine({ ...world, dockerHost: proxy.host })
    await runtime.apply(world.rollout({ environment: { TOKEN: 'hunter2' } }))
    await expect(
      imageBuilder.resolveImage('nosuch.invalid/app', { username: 'u', password: 'hunter2' }),
    ).rejects.toThrow()
    expect(proxy.requests.length).toBeGreaterThan(3)
    expect(proxy.requests.filter((line) => line.includes('hunter2') || / \/v\d/.test(line))).toEqual([])
  })

  test('follows the engine’s events again whenever the stream breaks', async () => {
    await using proxy = await engineProxy(ENGINE_SOCKET, { only: /\/events/, kind: 'hangUp' })
    const watching = new AbortController()
    dockerEngine({ ...world, dockerHost: proxy.host }).runtime.watch(() => undefined, watching.signal)
    await eventually(
      async () => proxy.requests,
      (requests) => requests.length >= 3,
    )
    watching.abort()
    expect(proxy.requests.every((request) => request.startsWith('GET /events?'))).toBe(true)
  })

  describeLinuxConfinement(() => world, harness)
})
