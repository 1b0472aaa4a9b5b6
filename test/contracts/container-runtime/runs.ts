import { expect, test } from 'vitest'
import { type RunContainer, runName } from '../../../src/engines/runtime/container-runtime.ts'
import { type EngineHarness, eventually, uniqueId, type World } from '../engine-harness.ts'

type Command = { entrypoint: readonly string[]; args: readonly string[] }

export function runOf(world: World, { entrypoint, args }: Command, change: Partial<RunContainer> = {}): RunContainer {
  const { accountId, appId, appEnvId, contentId, generation, requestId, pinnedImage } = world.rollout()
  return {
    accountId,
    appId,
    appEnvId,
    contentId,
    generation,
    requestId,
    pinnedImage,
    runId: uniqueId('run'),
    attempt: 1,
    environment: {},
    files: [],
    workingDir: null,
    settings: null,
    group: null,
    command: { entrypoint: [...entrypoint], args: [...args] },
    resources: { cpu: 1, memoryMb: 256 },
    ...change,
  }
}

/** Containers of finite runs are created once, started once, and stay until they are removed. */
export function describeRuns(world: () => World, { programs }: EngineHarness): void {
  const started = async (run: RunContainer) => {
    const { containerId } = await world().runtime.createRun(run)
    expect(await world().runtime.startRun(containerId)).toBe(true)
    return containerId
  }
  const observe = async (containerId: string) => (await world().runtime.observeRuns({ containerId }))[0]
  const ended = (containerId: string) =>
    eventually(
      () => observe(containerId),
      (seen) => seen?.phase === 'exited',
    )

  test('are created once under their name, however often that is asked, and never started by it', async () => {
    const { runtime } = world()
    const run = runOf(world(), programs.fail)
    const [one, other] = [await runtime.createRun(run), await runtime.createRun(run)]
    expect(one).toMatchObject({ name: runName(run), runId: run.runId, attempt: 1, phase: 'created', exitCode: null })
    expect(other.containerId).toBe(one.containerId)
    expect(await observe(one.containerId)).toMatchObject({ phase: 'created', startedAt: null })
    expect(await runtime.observe()).toEqual([])
    expect(await runtime.observeTasks()).toEqual([])
  })

  test('keep their exit code and output when they have ended, and are not started again', async () => {
    const { runtime } = world()
    const run = runOf(world(), programs.fail)
    const containerId = await started(run)
    const end = await ended(containerId)
    expect(end).toMatchObject({ exitCode: 3, outOfMemory: false })
    expect(await runtime.startRun(containerId)).toBe(true)
    expect(await runtime.createRun(run)).toMatchObject({ containerId, phase: 'exited', exitCode: 3 })
    expect((await observe(containerId))?.startedAt).toEqual(end?.startedAt)
  })

  test('are stopped, kept, and removed by container and by environment', async () => {
    const { runtime } = world()
    const run = runOf(world(), programs.wait)
    const containerId = await started(run)
    // A signal that comes before the command has begun ends the engine's own program, with a code of that.
    await eventually(
      () => Array.fromAsync(runtime.logs(runName(run), {})),
      (lines) => lines.some(({ message }) => message === 'waiting'),
    )
    await runtime.stopRun(containerId, { graceSeconds: 1 })
    expect((await ended(containerId))?.exitCode).toBeGreaterThan(128)
    const second = await runtime.createRun({ ...run, attempt: 2 })
    expect(await runtime.observeRuns({ appEnvId: run.appEnvId })).toHaveLength(2)
    await runtime.removeRuns({ containerId })
    expect(await observe(containerId)).toBeUndefined()
    await runtime.removeRuns({ appEnvId: run.appEnvId })
    expect(await observe(second.containerId)).toBeUndefined()
    // It is unknown whether it ran: another one in its place might be the second.
    await expect(runtime.startRun(containerId)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await runtime.stopRun(containerId, { graceSeconds: 0 })
    await runtime.removeRuns({ containerId })
  })

  test('of an image that is gone are refused', async () => {
    const gone = runOf(world(), programs.fail, { pinnedImage: `sha256:${'0'.repeat(64)}` })
    await expect(world().runtime.createRun(gone)).rejects.toMatchObject({ reason: 'IMAGE_NOT_FOUND' })
  })
}
