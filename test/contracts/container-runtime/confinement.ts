import { expect, test } from 'vitest'
import { probe } from '../../../src/engines/runtime/readiness.ts'
import { createWorld, type EngineHarness, eventually, onlyReplica, uniqueId, type World } from '../engine-harness.ts'

/** Containers get the promised resources and no more, and installations on one engine stay apart. */
export function describeConfinement(world: () => World, harness: EngineHarness): void {
  test('limits processor and memory, and passes directory and variables on unchanged', async () => {
    const rollout = world().rollout({
      command: harness.programs.confess,
      resources: { cpu: 0.5, memoryMb: 128 },
      workingDir: '/tmp',
      environment: { GREETING: 'a=b "c" $d' },
    })
    await world().runtime.apply(rollout)
    const { name } = await onlyReplica(world().runtime, rollout.appEnvId)
    const [line] = await eventually(
      () => Array.fromAsync(world().runtime.logs(name, {})),
      (lines) => lines.length > 0,
    )
    const confession = JSON.parse(line?.message ?? '')
    expect(confession).toMatchObject({ memory: 128 * 1024 * 1024, cores: 0.5 })
    expect(confession).toMatchObject({ directory: '/tmp', greeting: 'a=b "c" $d' })
  })

  test('takes the working directory of the settings, unless the command has one', async () => {
    const { runtime } = world()
    const directoryOf = async (workingDir: string | null) => {
      const rollout = world().rollout({
        command: harness.programs.confess,
        settings: { workingDir: '/srv' },
        workingDir,
      })
      await runtime.apply(rollout)
      const { name } = await onlyReplica(runtime, rollout.appEnvId)
      const lines = await eventually(
        () => Array.fromAsync(runtime.logs(name, {})),
        (seen) => seen.length > 0,
      )
      return JSON.parse(lines[0]?.message ?? '{}').directory
    }
    expect(await directoryOf(null)).toBe('/srv')
    expect(await directoryOf('/tmp')).toBe('/tmp')
  })

  test('accepts a limit above the machine’s cores', async () => {
    const rollout = world().rollout({ resources: { cpu: 512, memoryMb: 128 } })
    await world().runtime.apply(rollout)
    expect(await onlyReplica(world().runtime, rollout.appEnvId)).toMatchObject({ phase: 'running' })
  })

  test('lets containers of one account reach each other by environment name, and no others', async () => {
    const { runtime } = world()
    const server = world().rollout({ cliEnvName: `default-shop-${uniqueId('a').slice(-6)}` })
    await runtime.apply(server)
    const { address, port } = await onlyReplica(runtime, server.appEnvId)
    const ask = () => probe({ address: address ?? '', port: port ?? 0, path: '/', timeoutMs: 1000 })
    await eventually(ask, ({ ready }) => ready)
    const visit = async (accountId: string) => {
      const command = harness.programs.visit
      const client = world().rollout({ accountId, command, port: null, environment: { TARGET: server.cliEnvName } })
      await runtime.apply(client)
      const { name } = await onlyReplica(runtime, client.appEnvId)
      const read = () => Array.fromAsync(runtime.logs(name, {}))
      return (await eventually(read, (lines) => lines.length > 0))[0]?.message
    }
    expect(await visit(server.accountId)).toBe('hello')
    expect(await visit(uniqueId('acc'))).toBe('no answer')
  })

  test('keeps two installations on one engine apart', async () => {
    const rollout = world().rollout()
    await world().runtime.apply(rollout)
    const { name, containerId } = await onlyReplica(world().runtime, rollout.appEnvId)
    const other = createWorld(harness, rollout.pinnedImage).runtime
    expect(await other.observe()).toEqual([])
    await other.remove({ appEnvId: rollout.appEnvId }, { graceSeconds: 0 })
    await expect(Array.fromAsync(other.logs(name, {}))).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(other.stats(name)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await onlyReplica(world().runtime, rollout.appEnvId)).toMatchObject({ containerId, phase: 'running' })
  })
}
