import { expect, test } from 'vitest'
import type { ContainerRuntime } from '../../../src/engines/runtime/container-runtime.ts'
import { type EngineFault, type EngineHarness, onlyReplica, type World } from '../engine-harness.ts'
import { expectUnavailable, UNAVAILABLE } from '../unavailable.ts'

const BOUNDS = { timeoutSeconds: 1 }

/** An engine that does not answer, or only half answers, costs a caller its deadline and no more. */
export function describeFaults(world: () => World, harness: EngineHarness): void {
  const calls = (runtime: ContainerRuntime): Record<string, () => Promise<unknown>> => {
    const rollout = world().rollout()
    return {
      info: () => runtime.info(BOUNDS),
      apply: () => runtime.apply(rollout, BOUNDS),
      observe: () => runtime.observe({}, BOUNDS),
      remove: () => runtime.remove(rollout, { graceSeconds: 0, ...BOUNDS }),
      removeVolume: () => runtime.removeVolume('vol_any', BOUNDS),
      removeNetwork: () => runtime.removeNetwork(rollout.accountId, BOUNDS),
      logs: () => Array.fromAsync(runtime.logs('any', BOUNDS)),
      stats: () => runtime.stats('any', BOUNDS),
      exec: () => runtime.exec('any', ['any'], BOUNDS),
      killExec: () => runtime.killExec('any', 'key', BOUNDS),
      runTask: () => runtime.runTask(world().task(), BOUNDS),
      startTask: () => runtime.startTask(world().task(), BOUNDS),
      observeTasks: () => runtime.observeTasks(BOUNDS),
      removeTasks: () => runtime.removeTasks(rollout, BOUNDS),
      listening: () => runtime.listening('any', BOUNDS),
    }
  }

  test.each<EngineFault>(['absent', 'refusing', 'mute', 'falls silent', 'hangs up'])(
    'reports an engine as unavailable, in time: %s',
    async (fault) => {
      await using engine = await harness.openFaulty(fault, { ...world(), callTimeoutSeconds: 1 })
      await expectUnavailable(calls(engine.runtime))
    },
  )

  test('gives up on logs that stop in the middle of a line', async () => {
    const rollout = world().rollout({ command: harness.programs.talker })
    await world().runtime.apply(rollout)
    const { name } = await onlyReplica(world().runtime, rollout.appEnvId)
    await using engine = await harness.openFaulty('falls silent in logs', { ...world(), callTimeoutSeconds: 1 })
    await expect(Array.fromAsync(engine.runtime.logs(name, BOUNDS))).rejects.toMatchObject(UNAVAILABLE)
  })

  test('ends a call at once when its caller aborts, with the reason', async () => {
    await using engine = await harness.openFaulty('mute', world())
    const reason = new Error('lease lost')
    const caller = new AbortController()
    const call = engine.runtime.observe({}, { signal: caller.signal })
    setTimeout(() => caller.abort(reason), 50)
    await expect(call).rejects.toBe(reason)
  })
}
