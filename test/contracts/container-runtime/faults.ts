import { expect, test } from 'vitest'
import type { ContainerRuntime } from '../../../src/runtime/container-runtime.ts'
import { type EngineFault, engineProxy } from '../../support/engine-proxy.ts'
import { nodeCommand, onlyReplica, type RuntimeHarness, type World } from './harness.ts'

const BOUNDS = { timeoutSeconds: 1 }
const UNAVAILABLE = { code: 'RUNTIME_UNAVAILABLE' }

/** An engine that is away, or worse, half there, costs a caller its deadline and no more. */
export function describeFaults(world: () => World, harness: RuntimeHarness): void {
  const calls = (runtime: ContainerRuntime): Record<string, () => Promise<unknown>> => {
    const rollout = world().rollout()
    return {
      info: () => runtime.info(BOUNDS),
      resolveImage: () => runtime.resolveImage('nosuch.invalid/app:1', null, BOUNDS),
      apply: () => runtime.apply(rollout, BOUNDS),
      observe: () => runtime.observe({}, BOUNDS),
      remove: () => runtime.remove(rollout, { graceSeconds: 0, ...BOUNDS }),
      removeNetwork: () => runtime.removeNetwork(rollout.accountId, BOUNDS),
      logs: () => Array.fromAsync(runtime.logs('any', BOUNDS)),
      stats: () => runtime.stats('any', BOUNDS),
    }
  }
  const at = (host: string) => harness.createRuntime({ ...world(), host, callTimeoutSeconds: 1, pullIdleSeconds: 1 })

  /** Runs every call at once and tells what became of each, and whether it took longer than its deadline. */
  const outcomes = async (runtime: ContainerRuntime) => {
    const begin = performance.now()
    const results = Object.entries(calls(runtime)).map(async ([name, call]) => {
      const error = await call().then(
        () => null,
        (reason: unknown) => reason,
      )
      expect(error, name).toMatchObject(UNAVAILABLE)
      expect(performance.now() - begin, name).toBeLessThan(2500)
      return name
    })
    return Promise.all(results)
  }
  const allCalls = () => Object.keys(calls(world().runtime))

  test.each([
    ['a socket that is not there', 'unix:///nonexistent/engine.sock'],
    ['a port where nobody listens', 'tcp://127.0.0.1:1'],
  ])('reports %s as unavailable', async (_what, host) => {
    expect(await outcomes(at(host))).toEqual(allCalls())
  })

  test.each<[string, EngineFault]>([
    ['never answers', { kind: 'mute' }],
    ['falls silent in the middle of an answer', { kind: 'stall' }],
    ['hangs up in the middle of an answer', { kind: 'hangUp' }],
  ])('gives up in time on an engine that %s', async (_what, fault) => {
    await using proxy = await engineProxy(harness.socketPath, fault)
    expect(await outcomes(at(proxy.host))).toEqual(allCalls())
  })

  test('gives up on logs that stop in the middle of a line', async () => {
    const rollout = world().rollout({
      command: nodeCommand("console.log('x'.repeat(9000)); setInterval(() => {}, 1000)"),
    })
    await world().runtime.apply(rollout)
    const { name } = await onlyReplica(world().runtime, rollout.appEnvId)
    await using proxy = await engineProxy(harness.socketPath, { only: /\/logs/, kind: 'stall' })
    await expect(Array.fromAsync(at(proxy.host).logs(name, BOUNDS))).rejects.toMatchObject(UNAVAILABLE)
  })

  test('ends a call at once when its caller gives up, with the reason', async () => {
    await using proxy = await engineProxy(harness.socketPath, { kind: 'mute' })
    const reason = new Error('lease lost')
    const caller = new AbortController()
    const call = harness.createRuntime({ ...world(), host: proxy.host }).observe({}, { signal: caller.signal })
    setTimeout(() => caller.abort(reason), 50)
    const begin = performance.now()
    await expect(call).rejects.toBe(reason)
    expect(performance.now() - begin).toBeLessThan(1000)
  })
}
