import { expect, test } from 'vitest'
import { probe } from '../../../src/engines/runtime/readiness.ts'
import { type EngineHarness, eventually, onlyReplica, type World } from '../engine-harness.ts'

/** `remove` ends, and leaves nothing behind. */
export function describeRemoval(world: () => World, harness: EngineHarness): void {
  const indexes = async (appEnvId: string) => (await world().runtime.observe({ appEnvId })).map(({ index }) => index)

  test('removes one replica, one rollout, or all of an environment', async () => {
    const { runtime } = world()
    const old = world().rollout({ replicas: 2 })
    const successor = { ...world().rollout(), appEnvId: old.appEnvId, version: 2 }
    await Promise.all([runtime.apply(old), runtime.apply(successor)])
    await runtime.remove({ ...old, index: 0 }, { graceSeconds: 1 })
    expect(await indexes(old.appEnvId)).toEqual([0, 1])
    await runtime.remove({ appEnvId: old.appEnvId, rolloutId: old.rolloutId }, { graceSeconds: 1 })
    expect(await onlyReplica(runtime, old.appEnvId)).toMatchObject({ rolloutId: successor.rolloutId })
    await runtime.remove({ appEnvId: old.appEnvId }, { graceSeconds: 1 })
    expect(await indexes(old.appEnvId)).toEqual([])
  })

  test('succeeds when there is nothing to remove, and when two callers remove at once', async () => {
    const { runtime } = world()
    const rollout = world().rollout({ replicas: 2 })
    await runtime.apply(rollout)
    const remove = () => runtime.remove({ appEnvId: rollout.appEnvId }, { graceSeconds: 1 })
    await Promise.all([remove(), remove()])
    await remove()
    expect(await indexes(rollout.appEnvId)).toEqual([])
  })

  test('kills processes that ignore SIGTERM after the grace, all at once, and waits no longer than needed', async () => {
    const { runtime } = world()
    const deaf = world().rollout({ replicas: 2, command: harness.programs.deaf })
    const polite = world().rollout({ command: harness.programs.polite })
    await Promise.all([runtime.apply(deaf), runtime.apply(polite)])
    for (const { name } of await runtime.observe()) {
      const said = () => Array.fromAsync(runtime.logs(name, { tail: 1 }))
      await eventually(said, (lines) => lines.length > 0)
    }
    const begin = performance.now()
    await runtime.remove(deaf, { graceSeconds: 1 })
    expect(performance.now() - begin).toBeGreaterThan(900)
    // Longer than a test may take.
    await runtime.remove(polite, { graceSeconds: 600 })
    expect(await runtime.observe()).toEqual([])
  })

  test('removes an account network only when nothing uses it any more', async () => {
    const { runtime } = world()
    const rollout = world().rollout()
    await runtime.apply(rollout)
    await runtime.removeNetwork(rollout.accountId)
    const { address, port } = await onlyReplica(runtime, rollout.appEnvId)
    const ask = () => probe({ address: address ?? '', port: port ?? 0, path: '/', timeoutMs: 1000 })
    await eventually(ask, ({ ready }) => ready)
    await runtime.remove(rollout, { graceSeconds: 0 })
    await runtime.removeNetwork(rollout.accountId)
    await runtime.removeNetwork(rollout.accountId)
    await runtime.apply(rollout)
    expect(await onlyReplica(runtime, rollout.appEnvId)).toMatchObject({ phase: 'running' })
  })
}
