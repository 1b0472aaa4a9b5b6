import type { ContainerRuntime } from '../../src/engines/runtime/container-runtime.ts'

type Method = 'apply' | 'remove'

/**
 * The same engine, of which one action waits while it is held. The state before it then lasts until the test has read
 * it, where polling for it would miss it on a busy machine. A test that holds releases, whatever happens.
 */
export function heldRuntime(runtime: ContainerRuntime, method: Method) {
  let gate: PromiseWithResolvers<void> | null = null
  const release = () => {
    gate?.resolve()
    gate = null
  }
  const act = runtime[method] as (...given: unknown[]) => Promise<unknown>
  const held = async (...given: unknown[]) => {
    await gate?.promise
    return act(...given)
  }
  return {
    runtime: { ...runtime, [method]: held } as ContainerRuntime,
    /** Runs `during` while the action waits. */
    async hold<T>(during: () => Promise<T>): Promise<T> {
      gate = Promise.withResolvers()
      return during().finally(release)
    },
  }
}
