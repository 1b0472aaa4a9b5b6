import { recordedConfiguration } from '../../domain/configuration.ts'
import { notifyIngresses } from '../../events/notifications.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import { sleep } from '../claim/pause.ts'
import { removeAll } from '../reconcile/repair.ts'
import { drainOthers } from './route.ts'

/** Two versions that write to one volume at once could ruin it, so the one that serves goes first (contract §4.1). */
export function needsRecreate({ appEnv, content }: VersionAttemptContext): boolean {
  const volume = recordedConfiguration(content).volume
  const serving = appEnv.currentContent
  return Boolean(volume && serving && recordedConfiguration(serving).volume?.id === volume.id)
}

/**
 * Takes down whatever runs of other versions. Should the new one fail, the next look brings the old one back, because
 * it is still the one that is maintained. Repeated by every attempt: looks in between have brought it back.
 */
export async function stopOtherVersions(attempt: VersionAttemptContext): Promise<void> {
  const { steps, engine, appEnv, operation, signal, config } = attempt
  const others = (await engine.observe()).filter((replica) => replica.rolloutId !== operation.id)
  if (others.length > 0) {
    await steps.advance({
      start: 'stop',
      async write(tx) {
        await drainOthers(tx, appEnv.id, operation.id, 0)
        await notifyIngresses(tx)
      },
    })
    await sleep(config.BERTH_ROUTE_PROPAGATION_MS, signal)
    signal.throwIfAborted()
    await removeAll(attempt, others)
  }
  const detail = `${others.length} stopped first: a volume is written by one version at a time`
  await steps.advance({ finish: { name: 'stop', detail }, start: 'create' })
}
