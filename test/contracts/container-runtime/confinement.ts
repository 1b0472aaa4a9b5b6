import { expect, test } from 'vitest'
import { createWorld, eventually, nodeCommand, onlyReplica, type RuntimeHarness, type World } from './harness.ts'

/** Reads its own confinement from the kernel, under either version of cgroups, and says it. */
const CONFESSION = `
  const { readFileSync } = require('node:fs')
  const read = (...paths) => {
    for (const path of paths) try { return readFileSync('/sys/fs/cgroup/' + path, 'utf8').trim() } catch {}
  }
  const status = readFileSync('/proc/self/status', 'utf8')
  const field = (name) => new RegExp('^' + name + ':\\\\s*(\\\\S+)', 'm').exec(status)?.[1]
  const quota = read('cpu/cpu.cfs_quota_us') ?? read('cpu.max').split(' ')[0]
  console.log(JSON.stringify({
    memory: Number(read('memory/memory.limit_in_bytes', 'memory.max')),
    cores: Number(quota) / 100000,
    limitsProcesses: Number(read('pids/pids.max', 'pids.max')) > 0,
    capabilities: field('CapBnd'),
    noNewPrivileges: field('NoNewPrivs'),
    seccomp: field('Seccomp'),
    directory: process.cwd(),
    greeting: process.env.GREETING,
  }))
  setInterval(() => {}, 1000)`

/** CHOWN (bit 0), KILL (5), SETGID (6) and SETUID (7): at most these are left of root. */
const CAPABILITIES_AT_MOST = 0b1110_0001n

/** Containers get what they were promised and no more, and installations on one engine do not meet. */
export function describeConfinement(world: () => World, harness: RuntimeHarness): void {
  test('limits processor, memory and processes, and drops privileges', async () => {
    const rollout = world().rollout({
      command: nodeCommand(CONFESSION),
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
    expect(confession).toMatchObject({ memory: 128 * 1024 * 1024, cores: 0.5, limitsProcesses: true })
    expect(confession).toMatchObject({ noNewPrivileges: '1', seccomp: '2', directory: '/tmp', greeting: 'a=b "c" $d' })
    expect(BigInt(`0x${confession.capabilities}`) & ~CAPABILITIES_AT_MOST).toBe(0n)
  })

  test('accepts more processor than the machine has', async () => {
    const rollout = world().rollout({ resources: { cpu: 512, memoryMb: 128 } })
    await world().runtime.apply(rollout)
    expect(await onlyReplica(world().runtime, rollout.appEnvId)).toMatchObject({ phase: 'running' })
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
