import { expect, test } from 'vitest'
import type { Rollout } from '../../../src/engines/runtime/container-runtime.ts'
import { probe } from '../../../src/engines/runtime/readiness.ts'
import { type EngineHarness, eventually, onlyReplica, type World } from '../engine-harness.ts'
import { lastingWorld } from '../lasting-world.ts'

/** `freeze` and `stop` keep a container, `unfreeze` and `start` bring it back. */
export function describeSleeping(given: () => World, harness: EngineHarness): void {
  const world = lastingWorld(given, harness)
  let shared: Rollout | null = null

  /** One replica that answers: the one of the tests before, where it is still there. */
  const serving = async () => {
    shared ??= world().rollout()
    const rollout = shared
    await world().runtime.apply(rollout)
    const replica = await onlyReplica(world().runtime, rollout.appEnvId)
    await eventually(
      () => ask(replica),
      ({ ready }) => ready,
    )
    return { rollout, replica, seen: () => onlyReplica(world().runtime, rollout.appEnvId) }
  }
  const ask = ({ address, port }: { address: string | null; port: number | null }, timeoutMs = 1000) =>
    probe({ address: address ?? '', port: port ?? 0, path: '/', timeoutMs })

  test('freezes a container, which keeps its address and answers nobody, and lets it go on', async () => {
    const { runtime } = world()
    const { replica, seen } = await serving()
    await runtime.freeze(replica.name)
    await runtime.freeze(replica.name)
    const { containerId, address, port, startedAt } = replica
    expect(await seen()).toMatchObject({ containerId, address, port, phase: 'paused' })
    expect(
      await probe({ address: replica.address ?? '', port: replica.port ?? 0, path: null, timeoutMs: 1000 }),
    ).toMatchObject({ ready: true })
    expect(await ask(replica, 300)).toMatchObject({ ready: false })
    // Only a container that this call lets go on is certain to be where it was.
    expect(await runtime.unfreeze(replica.name)).toBe(true)
    expect(await runtime.unfreeze(replica.name)).toBe(false)
    expect(await seen()).toMatchObject({ containerId, address, port, startedAt, phase: 'running', restartCount: 0 })
    await eventually(
      () => ask(replica),
      ({ ready }) => ready,
    )
  })

  test('stops a container that runs or is frozen, keeps it, and starts it again', async () => {
    const { runtime } = world()
    const { replica, seen } = await serving()
    for (const isFrozen of [false, true]) {
      if (isFrozen) await runtime.freeze(replica.name)
      await runtime.stop(replica.name, { graceSeconds: 5 })
      await runtime.stop(replica.name, { graceSeconds: 5 })
      expect(await seen()).toMatchObject({ containerId: replica.containerId, phase: 'exited' })
      const started = await runtime.start(replica.name)
      expect(started).toMatchObject({ containerId: replica.containerId, phase: 'running', isConnected: true })
      expect(started).toEqual(await seen())
      await eventually(
        () => ask(started),
        ({ ready }) => ready,
      )
    }
  })

  test('is applied over: a frozen or stopped container runs again', async () => {
    const { runtime } = world()
    const { rollout, replica, seen } = await serving()
    await runtime.freeze(replica.name)
    await runtime.apply(rollout)
    expect(await seen()).toMatchObject({ containerId: replica.containerId, phase: 'running' })
    await runtime.stop(replica.name, { graceSeconds: 5 })
    await runtime.apply(rollout)
    expect(await seen()).toMatchObject({ containerId: replica.containerId, phase: 'running' })
  })

  test('removes a frozen container', async () => {
    const { runtime } = world()
    const { rollout, replica } = await serving()
    await runtime.freeze(replica.name)
    await runtime.remove({ appEnvId: rollout.appEnvId }, { graceSeconds: 2 })
    expect(await runtime.observe({ appEnvId: rollout.appEnvId })).toEqual([])
  })

  test('refuses to freeze or unfreeze what does not run, and knows no container that is gone', async () => {
    const { runtime } = world()
    const { replica } = await serving()
    await harness.byHand.stop(replica.containerId)
    const notRunning = { reason: 'NOT_RUNNING' }
    await expect(runtime.freeze(replica.name)).rejects.toMatchObject(notRunning)
    await expect(runtime.unfreeze(replica.name)).rejects.toMatchObject(notRunning)
    await harness.byHand.remove(replica.containerId)
    const notFound = { code: 'NOT_FOUND' }
    await expect(runtime.freeze(replica.name)).rejects.toMatchObject(notFound)
    await expect(runtime.unfreeze(replica.name)).rejects.toMatchObject(notFound)
    await expect(runtime.stop(replica.name, { graceSeconds: 1 })).rejects.toMatchObject(notFound)
    await expect(runtime.start(replica.name)).rejects.toMatchObject(notFound)
  })
}
