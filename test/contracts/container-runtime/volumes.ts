import { expect, test } from 'vitest'
import { type Command, type EngineHarness, eventually, type World } from '../engine-harness.ts'

/** A volume appears at its mount path, outlives containers, and belongs to one installation. */
export function describeVolumes(world: () => World, harness: EngineHarness): void {
  const { writeNote, readNote } = harness.programs
  const volumeOf = () => ({ id: `vol_${Math.random().toString(36).slice(2).padEnd(13, '0')}`, path: '/data' })

  async function said(command: Command, volume: { id: string; path: string }): Promise<string> {
    const { runtime, rollout: rolloutOf } = world()
    const rollout = rolloutOf({ command, volume })
    await runtime.apply(rollout)
    const [replica] = await runtime.observe({ appEnvId: rollout.appEnvId })
    const lines = await eventually(
      () => Array.fromAsync(runtime.logs(replica?.name ?? '', { tail: 1 })),
      (seen) => seen.length > 0,
    )
    await runtime.remove({ appEnvId: rollout.appEnvId }, { graceSeconds: 0 })
    return lines[0]?.message ?? ''
  }

  test('keeps its data when the containers are gone, and loses it when it is removed', async () => {
    const volume = volumeOf()
    expect(await said(writeNote, volume)).toBe('done')
    expect(await said(readNote, volume)).toBe('kept')
    expect(await said(readNote, volumeOf())).toBe('nothing')
    await world().runtime.removeVolume(volume.id)
    expect(await said(readNote, volume)).toBe('nothing')
    await world().runtime.removeVolume(volume.id)
  })

  test('is measured, and one that is not there is left out', async () => {
    const { runtime } = world()
    const volume = volumeOf()
    expect(await runtime.volumeUse([volume.id])).toEqual(new Map())
    await said(writeNote, volume)
    const use = await runtime.volumeUse([volume.id, 'vol_unknown'])
    expect([...use.keys()]).toEqual([volume.id])
    expect(use.get(volume.id)).toBeGreaterThan(0)
  })

  test('is not removed while a container uses it; removing a missing one succeeds', async () => {
    const { runtime } = world()
    const volume = volumeOf()
    await runtime.removeVolume(volume.id)
    await runtime.apply(world().rollout({ volume }))
    await expect(runtime.removeVolume(volume.id)).rejects.toThrow(/in use/)
  })

  test('of another installation is separate, even with the same id', async () => {
    const volume = volumeOf()
    expect(await said(writeNote, volume)).toBe('done')
    const stranger = harness.open({ installationId: `ins_stranger${world().installationId.slice(-14)}x` }).runtime
    await stranger.removeVolume(volume.id)
    expect(await said(readNote, volume)).toBe('kept')
  })
}
