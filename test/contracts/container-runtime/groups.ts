import { expect, test } from 'vitest'
import type { Rollout } from '../../../src/engines/runtime/container-runtime.ts'
import { type EngineHarness, eventually, onlyReplica, uniqueId, type World } from '../engine-harness.ts'
import { lastingWorld } from '../lasting-world.ts'
import { runOf } from './runs.ts'

/** A group of environments has a network beside the account's, on which each has short names. */
export function describeGroups(given: () => World, harness: EngineHarness): void {
  const world = lastingWorld(given, harness)
  const { visit } = harness.programs

  /** The group's environment that answers by this name. */
  async function serverOf(group: NonNullable<Rollout['group']>, change: Partial<Rollout> = {}) {
    const rollout = world().rollout({ cliEnvName: `acme-${uniqueId('x').slice(-8)}-production`, group, ...change })
    await world().runtime.apply(rollout)
    return rollout
  }

  /** What a container gets from http://<host>:3000/. */
  async function answerAt(host: string, change: Partial<Rollout>) {
    const { runtime } = world()
    const asking = { command: visit, port: null, environment: { TARGET: host }, ...change }
    const client = world().rollout({ cliEnvName: `acme-${uniqueId('x').slice(-8)}-client`, ...asking })
    await runtime.apply(client)
    const { name } = await onlyReplica(runtime, client.appEnvId)
    const lines = await eventually(
      () => Array.fromAsync(runtime.logs(name, {})),
      (seen) => seen.length > 0,
    )
    return lines[0]?.message
  }

  const newGroup = (...aliases: string[]) => ({ id: uniqueId('inst'), aliases })
  const beside = ({ id }: { id: string }) => ({ group: { id, aliases: [] } })
  const observed = (appEnvId: string) => world().runtime.observe({ appEnvId })

  test('an alias leads to the environment of the own group, and nowhere else', async () => {
    const [one, other] = [newGroup('db', 'cache'), newGroup('db')]
    const server = await serverOf(one)
    await eventually(
      () => answerAt('db', beside(one)),
      (answer) => answer === 'hello',
    )
    expect(await answerAt('cache', beside(one))).toBe('hello')
    expect(await answerAt(server.cliEnvName, { group: null })).toBe('hello')
    expect(await answerAt('cache', beside(other))).toBe('no answer')
    expect(await answerAt('db', beside(other))).toBe('no answer')
    expect(await answerAt('db', { group: null })).toBe('no answer')
  })

  test('replicas share an alias, and those that follow the first have none', async () => {
    const group = newGroup('db')
    const alike = await serverOf(group, { replicas: 2 })
    expect((await observed(alike.appEnvId)).map(({ isConnected }) => isConnected)).toEqual([true, true])
    await world().runtime.remove({ appEnvId: alike.appEnvId, index: 0 }, { graceSeconds: 0 })
    await eventually(
      () => answerAt('db', beside(group)),
      (answer) => answer === 'hello',
    )
    await world().runtime.remove({ appEnvId: alike.appEnvId }, { graceSeconds: 0 })
    const followed = await serverOf(group, {
      replicas: 2,
      followers: {
        command: harness.programs.server,
        environment: {},
        files: [],
        dataPath: '/copy',
        alias: 'acme-db-replicas',
      },
    })
    await world().runtime.remove({ appEnvId: followed.appEnvId, index: 0 }, { graceSeconds: 0 })
    expect(await answerAt('db', beside(group))).toBe('no answer')
  })

  test('gives replicas the network of their group again that was removed by hand', async () => {
    const group = newGroup('db')
    const rollout = await serverOf(group, { replicas: 2 })
    const before = await observed(rollout.appEnvId)
    await harness.byHand.removeNetwork(world().installationId, group.id)
    expect((await observed(rollout.appEnvId)).map(({ isConnected }) => isConnected)).toEqual([false, false])
    await world().runtime.apply(rollout)
    const after = await observed(rollout.appEnvId)
    expect(after.map(({ containerId, isConnected }) => [containerId, isConnected])).toEqual(
      before.map(({ containerId }) => [containerId, true]),
    )
    await eventually(
      () => answerAt('db', beside(group)),
      (answer) => answer === 'hello',
    )
  })

  test('several workers that find the network gone end in connected replicas', async () => {
    const group = newGroup('db')
    const rollout = await serverOf(group)
    await harness.byHand.removeNetwork(world().installationId, group.id)
    const workers = Array.from({ length: 3 }, () => harness.open(world()).runtime)
    await Promise.all(workers.map((worker) => worker.apply(rollout)))
    expect(await onlyReplica(world().runtime, rollout.appEnvId)).toMatchObject({ isConnected: true })
    expect(await answerAt('db', beside(group))).toBe('hello')
  })

  test('the network goes when nothing is on it any more', async () => {
    const { runtime } = world()
    const group = newGroup('db')
    const rollout = await serverOf(group)
    await runtime.removeNetwork(group.id)
    expect(await onlyReplica(runtime, rollout.appEnvId)).toMatchObject({ isConnected: true })
    await runtime.remove({ appEnvId: rollout.appEnvId }, { graceSeconds: 0 })
    await runtime.removeNetwork(group.id)
    await runtime.removeNetwork(group.id)
    await expect(harness.byHand.removeNetwork(world().installationId, group.id)).rejects.toThrow()
  })

  test('a run reaches its group, and answers to none of its names', async () => {
    const { runtime } = world()
    const group = newGroup('db')
    await serverOf(group)
    const run = runOf(world(), visit, { ...beside(group), environment: { TARGET: 'db' } })
    const { containerId, name } = await runtime.createRun(run)
    expect((await runtime.createRun(run)).containerId).toBe(containerId)
    await runtime.startRun(containerId)
    const lines = await eventually(
      () => Array.fromAsync(runtime.logs(name, {})),
      (seen) => seen.length > 0,
    )
    expect(lines[0]?.message).toBe('hello')
  })
}
