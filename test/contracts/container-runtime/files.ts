import { expect, test } from 'vitest'
import type { Rollout } from '../../../src/engines/runtime/container-runtime.ts'
import { commandLine, type EngineHarness, eventually, onlyReplica, said, type World } from '../engine-harness.ts'

/** Files are there when the container starts, whenever it starts. */
export function describeFiles(world: () => World, harness: EngineHarness): void {
  const { programs, byHand } = harness
  const files: Rollout['files'] = [
    { path: '/etc/engine/engine.conf', content: 'password ä\n' },
    { path: '/etc/engine/empty', content: '' },
    { path: '/srv/other/deep/file', content: 'other' },
  ]

  async function show(appEnvId: string, path: string): Promise<string> {
    const { name } = await onlyReplica(world().runtime, appEnvId)
    return (await said(world().runtime, name, commandLine(programs.show, path))).text
  }

  test('gives a container its files, again when it is made again', async () => {
    const { runtime } = world()
    const rollout = world().rollout({ files })
    await runtime.apply(rollout)
    for (const { path, content } of files) expect(await show(rollout.appEnvId, path)).toBe(content)
    await byHand.remove((await onlyReplica(runtime, rollout.appEnvId)).containerId)
    await runtime.apply(rollout)
    expect(await show(rollout.appEnvId, '/etc/engine/engine.conf')).toBe('password ä\n')
  })

  test('keeps them when the container is started again', async () => {
    const { runtime } = world()
    const rollout = world().rollout({ files })
    await runtime.apply(rollout)
    await byHand.stop((await onlyReplica(runtime, rollout.appEnvId)).containerId)
    await runtime.apply(rollout)
    await eventually(
      () => onlyReplica(runtime, rollout.appEnvId),
      ({ phase }) => phase === 'running',
    )
    expect(await show(rollout.appEnvId, '/srv/other/deep/file')).toBe('other')
  })

  test('gives another rollout of the environment its own', async () => {
    const { runtime } = world()
    const old = world().rollout({ files })
    await runtime.apply(old)
    await runtime.remove(old, { graceSeconds: 0 })
    const successor = world().rollout({
      appEnvId: old.appEnvId,
      files: [{ path: '/etc/engine/engine.conf', content: 'new' }],
    })
    await runtime.apply(successor)
    expect(await show(old.appEnvId, '/etc/engine/engine.conf')).toBe('new')
    expect(await show(old.appEnvId, '/srv/other/deep/file')).toBe('nothing')
  })
}
