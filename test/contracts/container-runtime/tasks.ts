import { expect, test } from 'vitest'
import { type ExecResult, RuntimeError, taskName } from '../../../src/engines/runtime/container-runtime.ts'
import { commandLine, type EngineHarness, eventually, said, uniqueId, type World } from '../engine-harness.ts'
import { hashed, randomBlocks } from '../streams.ts'

/** Tasks run beside the replicas, and leave nothing but what they wrote into the volume. */
export function describeTasks(world: () => World, { programs, open }: EngineHarness): void {
  const volumeOf = () => ({ id: `vol_${uniqueId('x').slice(-13)}`, path: '/data' })

  test('carries input and output byte for byte, and is gone at its end', async () => {
    const { runtime } = world()
    const sent = randomBlocks(100)
    const received = hashed()
    const streams = { input: sent.blocks, output: received.output, timeoutSeconds: 120 }
    expect(await runtime.runTask(world().task(), streams)).toEqual({ exitCode: 0, errorOutput: '' })
    expect(received.digest()).toBe(sent.digest())
    expect(await runtime.observeTasks()).toEqual([])
  })

  test('reports exit code and error output', async () => {
    const { runtime } = world()
    const result = await runtime.runTask(world().task(programs.grumble))
    expect(result.exitCode).toBe(3)
    expect(result.errorOutput).toMatch(/line 2999 ä to stderr\n$/)
    expect(await runtime.runTask(world().task(programs.fail))).toMatchObject({ exitCode: 3 })
  })

  test('shares the volume of the environment, which outlives it, and reads its files', async () => {
    const { runtime } = world()
    const volume = volumeOf()
    const files = [{ path: '/etc/engine/secret', content: 'hunter2' }]
    const environment = { GREETING: 'hello' }
    const name = await runtime.startTask(world().task({ ...programs.writeNote, volume, files, environment }))
    await eventually(
      () => Array.fromAsync(runtime.logs(name, {})),
      (lines) => lines.length > 0,
    )
    expect(await said(runtime, name, commandLine(programs.show, '/etc/engine/secret'))).toMatchObject({
      text: 'hunter2',
    })
    expect(await said(runtime, name, commandLine(programs.greet))).toMatchObject({ text: 'hello' })
    const show = { ...programs.show, args: [...programs.show.args, '/data/note'], volume }
    const received: Uint8Array[] = []
    await runtime.runTask(world().task(show), { output: (chunk) => void received.push(chunk) })
    expect(Buffer.concat(received).toString()).toBe('kept')
  })

  test('is no replica, and is found and removed by its environment and operation', async () => {
    const { runtime } = world()
    const task = world().task(programs.wait)
    const other = world().task({ ...programs.wait, appEnvId: task.appEnvId, purpose: 'verify' })
    const foreign = world().task(programs.wait)
    for (const one of [task, other, foreign]) expect(await runtime.startTask(one)).toBe(taskName(one))
    expect(await runtime.observe()).toEqual([])
    const seen = await runtime.observeTasks()
    expect(seen).toHaveLength(3)
    const { appEnvId, operationId } = task
    expect(seen).toContainEqual({ name: taskName(task), appEnvId, operationId })
    await runtime.removeTasks({ appEnvId, operationId })
    expect((await runtime.observeTasks()).map(({ name }) => name).sort()).toEqual([other, foreign].map(taskName).sort())
    await runtime.removeTasks({ appEnvId })
    await runtime.removeTasks({ appEnvId })
    expect(await runtime.observeTasks()).toMatchObject([{ name: taskName(foreign) }])
    const stranger = open({ installationId: uniqueId('ins') }).runtime
    await stranger.removeTasks({ appEnvId: foreign.appEnvId })
    expect(await runtime.observeTasks()).toHaveLength(1)
  })

  test('takes the place of one that an earlier attempt left', async () => {
    const { runtime } = world()
    const task = world().task({ ...programs.wait, environment: { GREETING: 'first' } })
    const name = await runtime.startTask(task)
    await runtime.startTask({ ...task, environment: { GREETING: 'second' } })
    expect(await said(runtime, name, commandLine(programs.greet))).toMatchObject({ text: 'second' })
    expect(await runtime.runTask({ ...task, ...programs.copy })).toMatchObject({ exitCode: 0 })
    expect(await runtime.observeTasks()).toEqual([])
  })

  test('ends when its caller aborts, at the deadline, and when it is removed, and is gone', async () => {
    const { runtime } = world()
    const task = world().task(programs.wait)
    const caller = new AbortController()
    const reason = new Error('lease lost')
    const aborted = runtime.runTask(task, { signal: caller.signal, output: () => caller.abort(reason) })
    await expect(aborted).rejects.toBe(reason)
    expect(await runtime.observeTasks()).toEqual([])
    await expect(runtime.runTask(task, { timeoutSeconds: 3 })).rejects.toMatchObject({ reason: 'COMMAND_TIMEOUT' })
    expect(await runtime.observeTasks()).toEqual([])
    let removal = Promise.resolve()
    const output = () => {
      removal = runtime.removeTasks(task)
    }
    // Between its end and its removal, its exit code can be read.
    const end = await runtime.runTask(task, { output, timeoutSeconds: 60 }).catch((error: unknown) => error)
    const ending = end instanceof RuntimeError ? end.reason : (end as ExecResult).exitCode
    expect([137, 'NOT_RUNNING']).toContain(ending)
    await removal
  })

  test('is refused without its image or its program', async () => {
    const { runtime } = world()
    const withoutImage = world().task({ pinnedImage: 'no-such-image:1' })
    await expect(runtime.runTask(withoutImage)).rejects.toMatchObject({ reason: 'IMAGE_NOT_FOUND' })
    await expect(runtime.startTask(withoutImage)).rejects.toMatchObject({ reason: 'IMAGE_NOT_FOUND' })
    const withoutProgram = world().task({ entrypoint: ['no-such-program'], args: [] })
    await expect(runtime.startTask(withoutProgram)).rejects.toMatchObject({ reason: 'CONTAINER_START_FAILED' })
    expect(await runtime.observeTasks()).toEqual([])
  })

  test('reaches the account’s containers where it may', async () => {
    const { runtime } = world()
    await runtime.apply(world().rollout())
    const visit = { ...programs.visit, environment: { TARGET: 'default-shop-production' } }
    const heard = async (network: 'ACCOUNT' | 'NONE') => {
      const name = await runtime.startTask(world().task({ ...visit, network }))
      const lines = await eventually(
        () => Array.fromAsync(runtime.logs(name, {})),
        (seen) => seen.length > 0,
      )
      return lines[0]?.message
    }
    await eventually(
      () => heard('ACCOUNT'),
      (words) => words === 'hello',
      20,
    )
    expect(await heard('NONE')).toBe('no answer')
  })
}
