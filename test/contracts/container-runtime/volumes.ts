import { expect, test } from 'vitest'
import { eventually, nodeCommand, type RuntimeHarness, type World } from './harness.ts'

const WRITE = `require('node:fs').writeFileSync('/data/note', 'kept'); setInterval(() => {}, 1000); console.log('done')`
const READ = `
  const { existsSync, readFileSync } = require('node:fs')
  console.log(existsSync('/data/note') ? readFileSync('/data/note', 'utf8') : 'nothing'); setInterval(() => {}, 1000)`

/** A volume is where it is mounted, outlives containers, and belongs to one installation. */
export function describeVolumes(world: () => World, harness: RuntimeHarness): void {
  const volumeOf = () => ({ id: `vol_${Math.random().toString(36).slice(2).padEnd(13, '0')}`, path: '/data' })

  async function said(script: string, volume: { id: string; path: string }): Promise<string> {
    const { runtime, rollout: rolloutOf } = world()
    const rollout = rolloutOf({ command: nodeCommand(script), volume })
    await runtime.apply(rollout)
    const [replica] = await runtime.observe({ appEnvId: rollout.appEnvId })
    const lines = await eventually(
      () => Array.fromAsync(runtime.logs(replica?.name ?? '', { tail: 1 })),
      (seen) => seen.length > 0,
    )
    await runtime.remove({ appEnvId: rollout.appEnvId }, { graceSeconds: 0 })
    return lines[0]?.message ?? ''
  }

  test('keeps what was written when the containers are gone, and not after it was removed', async () => {
    const volume = volumeOf()
    expect(await said(WRITE, volume)).toBe('done')
    expect(await said(READ, volume)).toBe('kept')
    expect(await said(READ, volumeOf())).toBe('nothing')
    await world().runtime.removeVolume(volume.id)
    expect(await said(READ, volume)).toBe('nothing')
    await world().runtime.removeVolume(volume.id)
  })

  test('is not removed while a container uses it; one that is not there is removed already', async () => {
    const { runtime } = world()
    const volume = volumeOf()
    await runtime.removeVolume(volume.id)
    await runtime.apply(world().rollout({ volume }))
    await expect(runtime.removeVolume(volume.id)).rejects.toThrow(/in use/)
  })

  test('of another installation is another, whatever its id', async () => {
    const volume = volumeOf()
    expect(await said(WRITE, volume)).toBe('done')
    const stranger = harness.createRuntime({ installationId: `ins_stranger${world().installationId.slice(-14)}x` })
    await stranger.removeVolume(volume.id)
    expect(await said(READ, volume)).toBe('kept')
  })
}
