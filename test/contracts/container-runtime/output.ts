import { expect, test } from 'vitest'
import type { LogLine, Rollout } from '../../../src/engines/runtime/container-runtime.ts'
import { type EngineHarness, eventually, onlyReplica, type World } from '../engine-harness.ts'

const LONG_LINE = 'ä'.repeat(20_000)

const textOf = (lines: LogLine[], stream: LogLine['stream']) =>
  lines.filter((line) => line.stream === stream).map(({ message }) => message)

/** Output and use of containers, and the engine's notifications. */
export function describeOutput(world: () => World, harness: EngineHarness): void {
  const start = async (change: Partial<Rollout>) => {
    const rollout = world().rollout(change)
    await world().runtime.apply(rollout)
    return await onlyReplica(world().runtime, rollout.appEnvId)
  }

  test('reads logs whole and in order, and long lines in pieces that lose nothing', async () => {
    const { name, containerId } = await start({ command: harness.programs.talker })
    const read = (options = {}) => Array.fromAsync(world().runtime.logs(name, options))
    await eventually(read, (lines) => textOf(lines, 'stderr').length > 0 && lines.length > 302)
    await harness.byHand.stop(containerId)
    const lines = await read()
    const said = textOf(lines, 'stdout')
    expect(said.slice(0, 300)).toEqual(Array.from({ length: 300 }, (_, n) => `line ${n}`))
    expect(said.slice(300, -1).join('')).toBe(LONG_LINE)
    expect(said.at(-1)).toBe('the end')
    expect(textOf(lines, 'stderr')).toEqual(['to stderr'])
    for (const { message } of lines) expect(Buffer.byteLength(message)).toBeLessThanOrEqual(16 * 1024)
    expect(await read({ tail: 1 })).toHaveLength(1)
    expect(await read({ since: BigInt(Date.now() + 1000) * 1_000_000n })).toEqual([])
    expect(lines[0]?.timestamp.getTime()).toBeGreaterThan(Date.now() - 60_000)
  })

  test('follows logs until the caller stops reading', async () => {
    const { name } = await start({ command: harness.programs.ticker })
    const seen: string[] = []
    for await (const { message } of world().runtime.logs(name, { follow: true })) {
      seen.push(message)
      if (seen.length === 5) break
    }
    expect(seen).toEqual(['tick 0', 'tick 1', 'tick 2', 'tick 3', 'tick 4'])
    const enough = new Error('enough')
    const following = Array.fromAsync(
      world().runtime.logs(name, { follow: true, tail: 0, signal: AbortSignal.timeout(200) }),
    )
    await expect(following).rejects.toThrow(/timeout/)
    await expect(Array.fromAsync(world().runtime.logs(name, { signal: AbortSignal.abort(enough) }))).rejects.toBe(
      enough,
    )
  })

  test('measures processor and memory', async () => {
    const { name } = await start({ command: harness.programs.busy, resources: { cpu: 0.5, memoryMb: 128 } })
    const { cpuMillicores, memoryMb } = await world().runtime.stats(name)
    expect(cpuMillicores).toBeGreaterThan(100)
    expect(cpuMillicores).toBeLessThan(700)
    expect(memoryMb).toBeGreaterThan(2)
    expect(memoryMb).toBeLessThan(128)
  })

  test('finds out where a replica listens', async () => {
    const own = await start({})
    const elsewhere = await start({ command: harness.programs.elsewhere })
    const socketsOf = async (name: string) =>
      (await world().runtime.listening(name))?.sockets.map(({ address, port }) => `${address}:${port}`).sort()
    const seen = await eventually(
      () => socketsOf(elsewhere.name),
      (sockets) => sockets?.length === 2,
    )
    expect(seen).toEqual(['0.0.0.0:3999', '127.0.0.1:3000'])
    // On all addresses, of one family or of both.
    await eventually(
      () => socketsOf(own.name),
      (sockets) => sockets?.length === 1 && /^(::|0\.0\.0\.0):3000$/.test(sockets[0] ?? ''),
    )
    await expect(world().runtime.listening('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('reports changes of its own installation until it is aborted', async () => {
    const changes: string[] = []
    const watching = new AbortController()
    world().runtime.watch((appEnvId) => changes.push(appEnvId), watching.signal)
    // The first one shows that the stream is open; there is no other way to know.
    const warmUp = world().rollout()
    const openStream = async () => {
      await world().runtime.apply(warmUp)
      await world().runtime.remove(warmUp, { graceSeconds: 0 })
      return changes
    }
    await eventually(openStream, () => changes.length > 0)
    const replica = await start({})
    await eventually(
      async () => changes,
      () => changes.includes(replica.appEnvId),
    )
    watching.abort()
    changes.length = 0
    await harness.byHand.kill(replica.containerId)
    expect(await world().runtime.observe({ appEnvId: replica.appEnvId })).toHaveLength(1)
    expect(changes).toEqual([])
  })
}
