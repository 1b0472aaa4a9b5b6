import { expect, test } from 'vitest'
import { replicaName } from '../../../src/domain/replica-name.ts'
import type { ObservedReplica } from '../../../src/engines/runtime/container-runtime.ts'
import { probe } from '../../../src/engines/runtime/readiness.ts'
import { type EngineHarness, eventually, onlyReplica, type World } from '../engine-harness.ts'

/** `apply` reaches the desired state from any state, and leaves correct containers alone. */
export function describeConvergence(world: () => World, harness: EngineHarness): void {
  const observed = async (appEnvId: string) => await world().runtime.observe({ appEnvId })

  test('runs the replicas of a rollout, under their names, and reports what they belong to', async () => {
    const { runtime } = world()
    const rollout = world().rollout({ replicas: 2, generation: 7 })
    await runtime.apply(rollout)
    const replicas = await observed(rollout.appEnvId)
    const { accountId, appId, appEnvId, contentId, rolloutId } = rollout
    for (const [index, replica] of replicas.entries()) {
      expect(replica).toMatchObject({ accountId, appId, appEnvId, contentId, rolloutId, generation: 7, index })
      expect(replica).toMatchObject({ name: replicaName(rollout, index), phase: 'running', exitCode: null })
      expect(replica.startedAt?.getTime()).toBeGreaterThan(Date.now() - 60_000)
      const { address, port } = replica
      if (address === null || port === null) throw new Error('A running replica has an address')
      const ask = () => probe({ address, port, path: '/', timeoutMs: 1000 })
      await eventually(ask, ({ ready }) => ready)
    }
    expect(replicas).toHaveLength(2)
    const brief = await runtime.observe({ appEnvId, isBrief: true })
    const known = ['name', 'containerId', 'accountId', 'appEnvId', 'rolloutId', 'index', 'phase'] as const
    for (const [index, replica] of brief.entries())
      for (const key of known) expect(replica[key]).toBe(replicas[index]?.[key])
  })

  test('leaves running replicas alone, also when another process applies the same rollout later', async () => {
    const rollout = world().rollout({ replicas: 2 })
    await world().runtime.apply(rollout)
    const before = await observed(rollout.appEnvId)
    await harness.open(world()).runtime.apply(rollout)
    expect(await observed(rollout.appEnvId)).toEqual(before)
  })

  test('repairs replicas that were killed, stopped or removed by hand, and no others', async () => {
    const rollout = world().rollout({ replicas: 4 })
    await world().runtime.apply(rollout)
    const before = (await observed(rollout.appEnvId)).map(({ containerId }) => containerId)
    const [killed = '', stopped = '', removed = '', untouched] = before
    await Promise.all([harness.byHand.kill(killed), harness.byHand.stop(stopped), harness.byHand.remove(removed)])
    await eventually(
      () => observed(rollout.appEnvId),
      (replicas) => replicas.filter(({ phase }) => phase === 'running').length === 1,
    )
    await world().runtime.apply(rollout)
    const after = await observed(rollout.appEnvId)
    expect(after.map(({ phase }) => phase)).toEqual(Array(4).fill('running'))
    expect(after[3]).toMatchObject({ containerId: untouched, restartCount: 0 })
  })

  test('scales down by removing the highest indexes', async () => {
    const rollout = world().rollout({ replicas: 3 })
    await world().runtime.apply(rollout)
    const [first] = await observed(rollout.appEnvId)
    await world().runtime.apply({ ...rollout, replicas: 1 })
    expect(await observed(rollout.appEnvId)).toEqual([first])
  })

  test('ends in the same replicas when several workers apply a rollout at the same time', async () => {
    const rollout = world().rollout({ replicas: 2 })
    const workers = Array.from({ length: 3 }, () => harness.open(world()).runtime)
    await Promise.all(workers.map((worker) => worker.apply(rollout)))
    const replicas = await observed(rollout.appEnvId)
    expect(replicas.map(({ index, phase }) => [index, phase])).toEqual([
      [0, 'running'],
      [1, 'running'],
    ])
  })

  test('says, once each time, that all replicas are started', async () => {
    const rollout = world().rollout({ replicas: 3 })
    const seen: Promise<ObservedReplica[]>[] = []
    const onStarted = () => seen.push(observed(rollout.appEnvId))
    await world().runtime.apply(rollout, { onStarted })
    await world().runtime.apply(rollout, { onStarted })
    const phases = (await Promise.all(seen)).map((replicas) => replicas.map(({ phase }) => phase))
    expect(phases).toEqual(Array(2).fill(Array(3).fill('running')))
  })

  test('names the command that cannot be run, at each attempt', async () => {
    const command = { entrypoint: ['/no/such/program'], args: [] }
    const rollout = world().rollout({ command })
    const failure = { reason: 'CONTAINER_START_FAILED', message: expect.stringContaining('/no/such/program') }
    await expect(world().runtime.apply(rollout)).rejects.toMatchObject(failure)
    await expect(world().runtime.apply(rollout)).rejects.toMatchObject(failure)
  })

  test('reports that the engine has lost the pinned image', async () => {
    const rollout = world().rollout({ pinnedImage: `sha256:${'0'.repeat(64)}` })
    await expect(world().runtime.apply(rollout)).rejects.toMatchObject({ reason: 'IMAGE_NOT_FOUND' })
  })

  test('reports how a replica that keeps crashing ended', async () => {
    const rollout = world().rollout({ command: harness.programs.crash })
    await world().runtime.apply(rollout)
    const read = () => onlyReplica(world().runtime, rollout.appEnvId)
    const replica = await eventually(read, ({ restartCount, exitCode }) => restartCount > 0 && exitCode !== null)
    expect(replica).toMatchObject({ exitCode: 3, phase: 'restarting', address: null, outOfMemory: false })
    expect(replica.finishedAt).toBeInstanceOf(Date)
  })

  test('reports that a replica ran out of memory', async () => {
    const rollout = world().rollout({ command: harness.programs.hungry, resources: { cpu: 1, memoryMb: 64 } })
    await world().runtime.apply(rollout)
    await eventually(
      () => onlyReplica(world().runtime, rollout.appEnvId),
      ({ outOfMemory }) => outOfMemory,
    )
  })
}
