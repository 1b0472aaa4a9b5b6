import { expect, test } from 'vitest'
import type { ImageBuilder } from '../../../src/engines/images/image-builder.ts'
import type { EngineFault, EngineHarness, World } from '../engine-harness.ts'
import { expectUnavailable } from '../unavailable.ts'

const BOUNDS = { timeoutSeconds: 1 }

/** An engine that does not answer, or only half answers, costs a caller its deadline and no more. */
export function describeFaults(world: () => World, harness: EngineHarness): void {
  const calls = (imageBuilder: ImageBuilder): Record<string, () => Promise<unknown>> => ({
    resolveImage: () => imageBuilder.resolveImage('nosuch.invalid/app:1', null, BOUNDS),
    builtImages: () => imageBuilder.builtImages({}, BOUNDS),
    heldImages: () => imageBuilder.heldImages(BOUNDS),
    removePulled: () => imageBuilder.removePulled(`sha256:${'0'.repeat(64)}`, BOUNDS),
    removeImage: () => imageBuilder.removeImage(`sha256:${'0'.repeat(64)}`, BOUNDS),
    buildSteps: () => imageBuilder.buildSteps({}, BOUNDS),
    removeBuilder: () => imageBuilder.removeBuilder('acc_any', BOUNDS),
    clearBuilds: () => imageBuilder.clearBuilds({ appEnvId: 'env_any', since: new Date() }, BOUNDS),
  })

  test.each<EngineFault>(['absent', 'refusing', 'mute', 'falls silent', 'hangs up'])(
    'reports an engine as unavailable, in time: %s',
    async (fault) => {
      const options = { ...world(), callTimeoutSeconds: 1, pullIdleSeconds: 1 }
      await using engine = await harness.openFaulty(fault, options)
      await expectUnavailable(calls(engine.imageBuilder))
    },
  )

  test('ends a call at once when its caller aborts, with the reason', async () => {
    await using engine = await harness.openFaulty('mute', world())
    const reason = new Error('lease lost')
    const caller = new AbortController()
    const call = engine.imageBuilder.builtImages({}, { signal: caller.signal })
    setTimeout(() => caller.abort(reason), 50)
    await expect(call).rejects.toBe(reason)
  })
}
