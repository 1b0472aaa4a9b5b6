import { expect, test } from 'vitest'
import type { Rollout } from '../../../src/engines/runtime/container-runtime.ts'
import { probe } from '../../../src/engines/runtime/readiness.ts'
import { type EngineHarness, eventually, onlyReplica, type World } from '../engine-harness.ts'
import { lastingWorld } from '../lasting-world.ts'

/** `apply` gives running replicas their account's network back, and `watch` tells of its loss. */
export function describeNetworks(given: () => World, harness: EngineHarness): void {
  const world = lastingWorld(given, harness)
  let shared: Rollout | null = null
  const observed = (appEnvId: string) => world().runtime.observe({ appEnvId })

  /** Two replicas that answer, always the same: each test leaves them connected. */
  async function servers() {
    shared ??= world().rollout({ replicas: 2 })
    const rollout = shared
    await world().runtime.apply(rollout)
    await expectAnswers(rollout.appEnvId)
    return { rollout, before: await observed(rollout.appEnvId) }
  }

  async function expectAnswers(appEnvId: string): Promise<void> {
    for (const { address, port, isConnected } of await observed(appEnvId)) {
      expect(isConnected).toBe(true)
      const ask = () => probe({ address: address ?? '', port: port ?? 0, path: '/', timeoutMs: 1000 })
      await eventually(ask, ({ ready }) => ready)
    }
  }

  /** What another environment of the account gets from the replicas, by their environment's name. */
  async function visit({ accountId, cliEnvName }: { accountId: string; cliEnvName: string }) {
    const { runtime } = world()
    const command = harness.programs.visit
    const client = world().rollout({ accountId, command, port: null, environment: { TARGET: cliEnvName } })
    await runtime.apply(client)
    const { name } = await onlyReplica(runtime, client.appEnvId)
    const read = () => Array.fromAsync(runtime.logs(name, {}))
    return (await eventually(read, (lines) => lines.length > 0))[0]?.message
  }

  const identities = (replicas: { containerId: string; startedAt: Date | null }[]) =>
    replicas.map(({ containerId, startedAt }) => [containerId, startedAt?.getTime()])

  test('reports a replica that was disconnected by hand, and connects it and no other again', async () => {
    const { rollout, before } = await servers()
    await harness.byHand.disconnect(before[0]?.containerId ?? '')
    const [lost, other] = await observed(rollout.appEnvId)
    expect(lost).toMatchObject({ phase: 'running', isConnected: false, address: null })
    expect(other).toEqual(before[1])
    await world().runtime.apply(rollout)
    await expectAnswers(rollout.appEnvId)
    const after = await observed(rollout.appEnvId)
    expect(identities(after)).toEqual(identities(before))
    expect(after[1]).toEqual(before[1])
  })

  test('makes a network again that was removed by hand, with the names of its replicas', async () => {
    const { rollout, before } = await servers()
    await harness.byHand.removeNetwork(world().installationId, rollout.accountId)
    expect((await observed(rollout.appEnvId)).map(({ isConnected }) => isConnected)).toEqual([false, false])
    await world().runtime.apply(rollout)
    await expectAnswers(rollout.appEnvId)
    expect(identities(await observed(rollout.appEnvId))).toEqual(identities(before))
    expect(await visit(rollout)).toBe('hello')
  })

  test('starts a replica that was stopped and disconnected on its network', async () => {
    const { rollout, before } = await servers()
    const containerId = before[0]?.containerId ?? ''
    await harness.byHand.disconnect(containerId)
    await harness.byHand.stop(containerId)
    await world().runtime.apply(rollout)
    await expectAnswers(rollout.appEnvId)
    expect((await observed(rollout.appEnvId))[0]).toMatchObject({ containerId, phase: 'running' })
  })

  test('ends in connected replicas when several workers find their network gone', async () => {
    const { rollout, before } = await servers()
    await harness.byHand.removeNetwork(world().installationId, rollout.accountId)
    const workers = Array.from({ length: 3 }, () => harness.open(world()).runtime)
    await Promise.all(workers.map((worker) => worker.apply(rollout)))
    await expectAnswers(rollout.appEnvId)
    expect(identities(await observed(rollout.appEnvId))).toEqual(identities(before))
  })

  test('reports a change when a running replica loses its network', async () => {
    const { rollout, before } = await servers()
    const watching = new AbortController()
    const reported: string[] = []
    world().runtime.watch((appEnvId) => reported.push(appEnvId), watching.signal)
    // Until the engine has taken the subscription.
    await eventually(
      async () => {
        await world().runtime.apply({ ...rollout, replicas: reported.length === 0 ? 3 : 2 })
        if (reported.length === 0) await world().runtime.apply(rollout)
        return reported.length
      },
      (length) => length > 0,
    )
    await quiet(reported)
    await harness.byHand.disconnect(before[0]?.containerId ?? '')
    await eventually(
      async () => reported,
      (ids) => ids.includes(rollout.appEnvId),
    )
    watching.abort()
  })
}

/** Forgets what is reported until nothing has been for a while. */
async function quiet(reported: string[]): Promise<void> {
  let silentSince = Date.now()
  await eventually(
    async () => {
      if (reported.splice(0).length > 0) silentSince = Date.now()
      return Date.now() - silentSince
    },
    (silentMs) => silentMs > 700,
  )
}
