import { isService } from '../../app-types/behaviours.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import { notifyIngresses } from '../../storage/events/notifications.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import { drainClients } from '../service/drain-clients.ts'
import { sleep } from '../time/sleep.ts'
import { removeReplicas } from './remove-replicas.ts'
import { drainOthers } from './route.ts'

/**
 * Two versions that write to one volume at once could corrupt it, so the serving one is stopped first (contract §4.1).
 */
export function needsRecreate({ appEnv, content }: VersionAttemptContext): boolean {
  // Two servers behind one name would each have half of the data.
  if (isService(appEnv.app)) return appEnv.currentContent !== null
  const volume = recordedConfiguration(content).volume
  const serving = appEnv.currentContent
  return Boolean(volume && serving && recordedConfiguration(serving).volume?.id === volume.id)
}

/**
 * Stops every other version. If the new one fails, the next reconcile restarts the old one, because it is still the
 * current one. Every attempt repeats this: reconciles in between have restarted it.
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
    const since = attempt.lease.claim.clock.now()
    await sleep(config.BERTH_ROUTE_PROPAGATION_MS, signal)
    signal.throwIfAborted()
    await drainClients(attempt, since)
    await removeReplicas(attempt, others)
  }
  const detail = `${others.length} stopped first: a volume is written by one version at a time`
  await steps.advance({ finish: { name: 'stop', detail }, start: 'create' })
}
