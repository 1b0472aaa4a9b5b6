import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { CommandControl } from '../../../src/engines/runtime/container-runtime.ts'
import {
  commandLine,
  type EngineHarness,
  eventually,
  onlyReplica,
  said,
  uniqueId,
  type World,
} from '../engine-harness.ts'
import { lastingWorld } from '../lasting-world.ts'
import { BLOCK_BYTES, hashed, randomBlocks, silentInput } from '../streams.ts'

const NOTE = '/data/note'
/** Of the engine, its connection and the streams: more than this is not on its way at any time. */
const MAX_UNDER_WAY = 64

/** `exec` runs a command, carries its streams, and leaves nothing of it behind. */
export function describeCommands(given: () => World, harness: EngineHarness): void {
  const { programs, open, byHand } = harness
  const world = lastingWorld(given, harness)

  /** One whose volume nothing has written into yet. */
  const newContainer = async () => {
    const volume = { id: `vol_${uniqueId('x').slice(-13)}`, path: '/data' }
    const rollout = world().rollout({ environment: { PORT: '3000', GREETING: 'hello' }, volume })
    await world().runtime.apply(rollout)
    return onlyReplica(world().runtime, rollout.appEnvId)
  }
  let shared: ReturnType<typeof newContainer> | null = null
  const runningContainer = () => {
    shared ??= newContainer()
    return shared
  }
  const note = async (name: string) => (await said(world().runtime, name, commandLine(programs.show, NOTE))).text

  const beats = (name: string) =>
    eventually(
      () => note(name),
      (text) => Number(text) > 0,
    )

  const expectStill = async (name: string) => {
    const before = await note(name)
    await pause(300)
    expect(await note(name)).toBe(before)
  }

  test('hands standard error out as it comes', async () => {
    const { name } = await runningContainer()
    const errors: Uint8Array[] = []
    const result = await world().runtime.exec(name, commandLine(programs.grumble), {
      errors: (chunk) => void errors.push(chunk),
    })
    expect(result.exitCode).toBe(3)
    expect(Buffer.concat(errors).toString()).toMatch(/^line 0 ä to stderr\n[\s\S]*line 2999 ä to stderr\n$/)
  })

  test('gives a command a terminal, on which both outputs are one', async () => {
    const { name } = await runningContainer()
    const seen: Uint8Array[] = []
    const result = await world().runtime.exec(name, commandLine(programs.grumble), {
      terminal: { columns: 100, rows: 30 },
      output: (chunk) => void seen.push(chunk),
    })
    expect(result).toMatchObject({ exitCode: 3, errorOutput: '' })
    const text = Buffer.concat(seen).toString()
    expect(text).toContain('said')
    expect(text).toContain('line 2999 ä to stderr')
  })

  test('sends signals to a command, and kills it from outside by its key', async () => {
    const { name } = await newContainer()
    const began = Promise.withResolvers<CommandControl>()
    const running = world().runtime.exec(name, commandLine(programs.beat), { onStarted: began.resolve })
    const control = await began.promise
    await beats(name)
    await control.signal('KILL')
    expect((await running).exitCode).toBe(137)
    await expectStill(name)
    // Nothing is left that it could reach.
    await control.signal('TERM')
    await control.resize({ columns: 10, rows: 10 })

    const key = 'from-outside'
    const again = world().runtime.exec(name, commandLine(programs.beat), { key, isKeyNew: true })
    const before = await note(name)
    await eventually(
      () => note(name),
      (text) => text !== before,
    )
    await world().runtime.killExec(name, key)
    expect((await again).exitCode).toBe(137)
    await expectStill(name)
  })

  test('reports output, exit code and the end of the error output', async () => {
    const { name } = await runningContainer()
    const result = await said(world().runtime, name, commandLine(programs.grumble))
    expect(result).toMatchObject({ exitCode: 3, text: 'said' })
    expect(result.errorOutput).toMatch(/line 2999 ä to stderr\n$/)
    expect(Buffer.byteLength(result.errorOutput)).toBeGreaterThan(8000)
    expect(Buffer.byteLength(result.errorOutput)).toBeLessThanOrEqual(8192)
    expect(await said(world().runtime, name, commandLine(programs.greet))).toEqual({
      exitCode: 0,
      text: 'hello',
      errorOutput: '',
    })
  })

  test('adds variables for the command alone', async () => {
    const { name } = await runningContainer()
    const own = { environment: { GREETING: 'good = day;' } }
    expect(await said(world().runtime, name, commandLine(programs.greet), own)).toMatchObject({ text: 'good = day;' })
    expect(await said(world().runtime, name, commandLine(programs.greet))).toMatchObject({ text: 'hello' })
  })

  test('reports a command that does not exist by its exit code, and not as output', async () => {
    const { name } = await runningContainer()
    const result = await said(world().runtime, name, ['no-such-program'])
    expect([126, 127]).toContain(result.exitCode)
    expect(result.text).toBe('')
    expect(result.errorOutput).toContain('no-such-program')
  })

  test('carries input and output byte for byte, and ends the input', async () => {
    const { name } = await runningContainer()
    const sent = randomBlocks(160)
    const received = hashed()
    const streams = { input: sent.blocks, output: received.output, timeoutSeconds: 120 }
    const result = await world().runtime.exec(name, commandLine(programs.copy), streams)
    expect(result).toEqual({ exitCode: 0, errorOutput: '' })
    expect(received.bytes()).toBe(160 * BLOCK_BYTES)
    expect(received.digest()).toBe(sent.digest())
  })

  test('ends the input at once where there is none', async () => {
    const { name } = await runningContainer()
    expect(await said(world().runtime, name, commandLine(programs.copy))).toMatchObject({ exitCode: 0, text: '' })
  })

  test('waits for a slow reader on both sides', async () => {
    const { name } = await runningContainer()
    const sent = randomBlocks(512)
    const released = Promise.withResolvers<void>()
    const received = hashed()
    const output = async (chunk: Uint8Array) => {
      received.output(chunk)
      await released.promise
    }
    const streams = { input: sent.blocks, output, timeoutSeconds: 120 }
    const copying = world().runtime.exec(name, commandLine(programs.copy), streams)
    await eventually(
      async () => received.bytes(),
      (bytes) => bytes > 0,
    )
    await pause(1000)
    expect(sent.taken()).toBeLessThan(MAX_UNDER_WAY)
    expect(received.bytes()).toBeLessThanOrEqual(BLOCK_BYTES)
    released.resolve()
    expect(await copying).toMatchObject({ exitCode: 0 })
    expect(received.digest()).toBe(sent.digest())
  })

  test('does not wait for input that a command has not read', async () => {
    const { name } = await runningContainer()
    const input = silentInput()
    expect(await said(world().runtime, name, commandLine(programs.grumble), { input })).toMatchObject({ exitCode: 3 })
    const { blocks } = randomBlocks(400)
    const result = await said(world().runtime, name, commandLine(programs.grumble), { input: blocks })
    expect(result.exitCode).toBe(3)
  })

  test('kills the command when its caller aborts, before the call ends', async () => {
    const { name } = await newContainer()
    const caller = new AbortController()
    const reason = new Error('lease lost')
    const running = world().runtime.exec(name, commandLine(programs.beat), {
      signal: caller.signal,
      timeoutSeconds: 60,
    })
    await beats(name)
    caller.abort(reason)
    await expect(running).rejects.toBe(reason)
    await expectStill(name)
  })

  test('kills the command at the deadline', async () => {
    const { name } = await newContainer()
    const running = world().runtime.exec(name, commandLine(programs.beat), { timeoutSeconds: 4 })
    await expect(running).rejects.toMatchObject({ reason: 'COMMAND_TIMEOUT', isFinal: true })
    expect(await note(name)).not.toBe('nothing')
    await expectStill(name)
  })

  test('kills the command when its input or output fails, with that error', async () => {
    const { name } = await newContainer()
    const failure = new Error('the disk is full')
    const output = () => Promise.reject(failure)
    await expect(world().runtime.exec(name, commandLine(programs.pour, '1000000'), { output })).rejects.toBe(failure)
    const input = Readable.from(
      (async function* () {
        yield Buffer.from('something')
        await beats(name)
        throw failure
      })(),
    )
    await expect(world().runtime.exec(name, commandLine(programs.beat), { input })).rejects.toBe(failure)
    await expectStill(name)
  })

  test('kills a command of the same key that somebody else has left, and no other', async () => {
    const { name } = await newContainer()
    const left = open({ installationId: world().installationId }).runtime
    const key = 'backup-1'
    const abandoned = left.exec(name, commandLine(programs.beat), { key, timeoutSeconds: 60 })
    await beats(name)
    await said(world().runtime, name, commandLine(programs.greet), { key: 'backup' })
    const before = Number(await note(name))
    await eventually(
      async () => Number(await note(name)),
      (now) => now > before,
    )
    expect(await said(world().runtime, name, commandLine(programs.greet), { key })).toMatchObject({ exitCode: 0 })
    await expectStill(name)
    expect(await abandoned).toMatchObject({ exitCode: 137 })
  })

  test('refuses a container that does not run, is unknown, or is another installation’s', async () => {
    const { name, containerId } = await runningContainer()
    const { runtime } = world()
    const command = commandLine(programs.greet)
    await expect(runtime.exec('no-such-container', command)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const stranger = open({ installationId: uniqueId('ins') }).runtime
    await expect(stranger.exec(name, command)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await said(runtime, containerId, command)).toMatchObject({ text: 'hello' })
    const rollout = world().rollout({ command: programs.polite })
    await runtime.apply(rollout)
    const stopped = await onlyReplica(runtime, rollout.appEnvId)
    await eventually(
      () => Array.fromAsync(runtime.logs(stopped.name, {})),
      (lines) => lines.length > 0,
    )
    await byHand.stop(stopped.containerId)
    const refusal = { reason: 'NOT_RUNNING', isFinal: false }
    await expect(runtime.exec(stopped.name, command)).rejects.toMatchObject(refusal)
  })
}
