import { expect, test } from 'vitest'
import type { LogLine, Rollout } from '../../../src/runtime/container-runtime.ts'
import { eventually, nodeCommand, onlyReplica, type RuntimeHarness, type World } from './harness.ts'

const LONG_LINE = 'ä'.repeat(20_000)

/** Numbered lines on both streams, a line of 40 kB between them, and an end without a newline. */
const TALKER = `
  for (let n = 0; n < 300; n += 1) console.log('line ' + n)
  console.log('ä'.repeat(20000))
  console.error('to stderr')
  process.stdout.write('the end')
  setTimeout(() => {}, 600000)
  process.once('SIGUSR2', () => {})`

const TICKER = `let n = 0; setInterval(() => console.log('tick ' + n++), 50)`

const BUSY = 'const end = Date.now() + 30000; while (Date.now() < end);'

const textOf = (lines: LogLine[], stream: LogLine['stream']) =>
  lines.filter((line) => line.stream === stream).map(({ message }) => message)

/** What containers say and use, and the hints the engine gives. */
export function describeOutput(world: () => World, harness: RuntimeHarness): void {
  const start = async (change: Partial<Rollout>) => {
    const rollout = world().rollout(change)
    await world().runtime.apply(rollout)
    return await onlyReplica(world().runtime, rollout.appEnvId)
  }

  test('reads logs whole and in order, and long lines in pieces that lose nothing', async () => {
    const { name, containerId } = await start({ command: nodeCommand(TALKER) })
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

  test('follows logs until the caller has had enough', async () => {
    const { name } = await start({ command: nodeCommand(TICKER) })
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
    const { name } = await start({ command: nodeCommand(BUSY), resources: { cpu: 0.5, memoryMb: 128 } })
    const { cpuMillicores, memoryMb } = await world().runtime.stats(name)
    expect(cpuMillicores).toBeGreaterThan(100)
    expect(cpuMillicores).toBeLessThan(900)
    expect(memoryMb).toBeGreaterThan(2)
    expect(memoryMb).toBeLessThan(128)
  })

  test('hints at changes of its own installation until told to stop', async () => {
    const hints: string[] = []
    const watching = new AbortController()
    world().runtime.watch((appEnvId) => hints.push(appEnvId), watching.signal)
    // The first hint shows that the stream is open; there is no other way to know.
    const warmUp = world().rollout()
    const openStream = async () => {
      await world().runtime.apply(warmUp)
      await world().runtime.remove(warmUp, { graceSeconds: 0 })
      return hints
    }
    await eventually(openStream, () => hints.length > 0)
    const replica = await start({})
    await eventually(
      async () => hints,
      () => hints.includes(replica.appEnvId),
    )
    watching.abort()
    hints.length = 0
    await harness.byHand.kill(replica.containerId)
    expect(await world().runtime.observe({ appEnvId: replica.appEnvId })).toHaveLength(1)
    expect(hints).toEqual([])
  })
}
