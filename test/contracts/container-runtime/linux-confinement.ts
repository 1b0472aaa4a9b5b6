import { expect, test } from 'vitest'
import { type EngineHarness, eventually, onlyReplica, type World } from '../engine-harness.ts'

/** CHOWN (bit 0), KILL (5), SETGID (6) and SETUID (7): root keeps at most these. */
const CAPABILITIES_AT_MOST = 0b1110_0001n

/**
 * For engines whose containers are processes of a Linux kernel. Their program `confess` also prints the kernel's view:
 * `limitsProcesses`, `noNewPrivileges`, `seccomp` and `capabilities`.
 */
export function describeLinuxConfinement(world: () => World, harness: EngineHarness): void {
  test('limits processes, and drops privileges', async () => {
    const rollout = world().rollout({ command: harness.programs.confess })
    await world().runtime.apply(rollout)
    const { name } = await onlyReplica(world().runtime, rollout.appEnvId)
    const [line] = await eventually(
      () => Array.fromAsync(world().runtime.logs(name, {})),
      (lines) => lines.length > 0,
    )
    const confession = JSON.parse(line?.message ?? '')
    expect(confession).toMatchObject({ limitsProcesses: true, noNewPrivileges: '1', seccomp: '2' })
    expect(BigInt(`0x${confession.capabilities}`) & ~CAPABILITIES_AT_MOST).toBe(0n)
  })
}
